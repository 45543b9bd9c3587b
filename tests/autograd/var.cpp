// Tests of autograd/var.cpp: recording, backward(), and what the graph keeps alive.
#include "autograd/var.hpp"

#include "tensor/counters.hpp"
#include "tests/autograd/gradients.hpp"

using namespace heed;
using namespace heed::testing;

namespace {
Var number(double x) { return Var::parameter(Tensor::scalar(static_cast<real>(x))); }
double grad(const Var& x) { return static_cast<double>(x.grad().item()); }
}  // namespace

TEST_CASE("var: constants, parameters, results") {
  Var none, constant = array({2}, {1, 2}), w = Var::parameter(array({2}, {3, 4}));
  CHECK_FALSE(none.defined());
  CHECK_FALSE(none.requires_grad());
  CHECK(none.node() == nullptr);
  CHECK_FALSE(constant.requires_grad());
  CHECK(constant.node() == nullptr);
  CHECK(w.requires_grad());
  CHECK_FALSE(w.grad().defined());
  CHECK_FALSE((constant * constant).requires_grad());
  Var y = constant * w, copy = w;
  CHECK(y.requires_grad());
  CHECK(std::string(y.node()->op) == "mul");
  CHECK(y.node()->edges.size() == 1);  // the constant's pull, and what it saved, are not kept
  CHECK(copy.same(w));
  CHECK_FALSE(y.same(w));
  copy.value() = array({2}, {5, 6});
  CHECK(close(w.value(), array({2}, {5, 6})));
  CHECK_THROWS_WITH(none.value(), "heed: Var::value: the variable is undefined");
  CHECK_THROWS_WITH(none.shape(), "heed: Var::value: the variable is undefined");
  CHECK_THROWS_WITH(constant.grad(), "heed: Var::grad: the variable is a constant");
  CHECK_THROWS_WITH(Var::parameter({}), "heed: Var::parameter: the tensor is undefined");
}

TEST_CASE("var: gradients add up until they are cleared") {
  Var w = number(3);
  (w * w).backward();
  CHECK(grad(w) == 6);
  (w * 2).backward();
  CHECK(grad(w) == 8);
  w.backward();  // a parameter is its own gradient's seed
  CHECK(grad(w) == 9);
  w.grad() = {};
  (w * w).backward(Tensor::scalar(10));
  CHECK(grad(w) == 60);
}

TEST_CASE("var: a gradient is not changed through what it was made from") {
  Var a = Var::parameter(Tensor({2}, 1)), b = Var::parameter(Tensor({2}, 1));
  Tensor seed = array({2}, {1, 2});
  (a + b).backward(seed);
  a.grad().mut()[0] = 7;
  CHECK(close(b.grad(), array({2}, {1, 2})));
  CHECK(close(seed, array({2}, {1, 2})));
  (a + b).backward(seed);
  CHECK(close(a.grad(), array({2}, {8, 4})));
  CHECK(close(b.grad(), array({2}, {2, 4})));
  CHECK(close(seed, array({2}, {1, 2})));
}

TEST_CASE("fault 15: values that are used twice") {
  Var a = number(2), b = number(3), c = a + b, d = a * b, e = c + d, f = c * d, y = e + f;
  y.backward();
  CHECK(y.item() == 41);
  CHECK(grad(a) == 25);
  CHECK(grad(b) == 19);
  Var x = number(1), twice = x + x;
  (twice + twice).backward();
  CHECK(grad(x) == 4);
  // A diamond of diamonds has 2^40 paths; each step is visited once.
  Var z = number(1), up = z;
  for (int i = 0; i < 40; i++) up = up * real(0.5) + up * real(0.5);
  up.backward();
  CHECK(grad(z) == 1);
  // A long path and a short one to the same value.
  Var s = number(2), t = s * 1, l = t;
  for (int i = 0; i < 10; i++) l = l * 1;
  (l * t).backward();
  CHECK(grad(s) == 4);
}

TEST_CASE("fault 17: a chain of a million operations") {
  const Size nodes = live_nodes(), bytes = counters().live_bytes;
  {
    Var x = number(1), y = x;
    for (int i = 0; i < 1'000'000; i++) y = y * 1;
    CHECK(live_nodes() == nodes + 1'000'001);
    y.backward();
    CHECK(grad(x) == 1);
    CHECK(live_nodes() == nodes + 2);  // the ends, which x and y hold
    Var z = x;
    for (int i = 0; i < 1'000'000; i++) z = z * 1;
  }
  CHECK(live_nodes() == nodes);
  CHECK(counters().live_bytes == bytes);
}

TEST_CASE("fault 19: gradients of broadcast operands have their operand's shape") {
  Var a = Var::parameter(array({4, 1}, {1, 2, 3, 4})), b = Var::parameter(array({1, 4}, {10, 20, 30, 40}));
  Var loss = sum(a * b);
  CHECK(loss.item() == 1000);
  loss.backward();
  CHECK(close(a.grad(), Tensor({4, 1}, 100)));
  CHECK(close(b.grad(), Tensor({1, 4}, 10)));
  Var one = Var::parameter(Tensor({1}, 1)), scalar = number(1), bias = Var::parameter(Tensor({3}, 1));
  sum(one * Tensor({5, 4}, 1)).backward();
  sum(Tensor({5, 4}, 1) + scalar).backward();
  sum(Tensor({2, 4, 3}, 1) + bias).backward();
  CHECK(close(one.grad(), Tensor({1}, 20)));
  CHECK(close(scalar.grad(), Tensor::scalar(20)));
  CHECK(close(bias.grad(), Tensor({3}, 8)));
  one.value() = map([](real x, real g) { return x - g; }, one.value(), one.grad());
  CHECK(one.shape() == Shape{1});
  // Axes of size 0 broadcast as well.
  Var empty = Var::parameter(Tensor({1}, 1));
  sum(empty * Tensor({0}, 1)).backward();
  CHECK(close(empty.grad(), Tensor({1}, 0)));
}

TEST_CASE("fault 21: a later write never reaches a gradient") {
  Var x = number(3), y = x * x;
  x.value().mut()[0] += 1;
  CHECK(x.item() == 4);
  y.backward();
  CHECK(grad(x) == 6);
  Var w = Var::parameter(array({2, 2}, {1, 2, 3, 4})), v = Var::parameter(array({2, 2}, {5, 6, 7, 8}));
  Var e = exp(v), z = matmul(w, v) + transpose(w) * v;
  w.value() = Tensor({2, 2}, 100);
  paste(v.value(), 0, 0, Tensor({1, 2}, 100));
  sum(z).backward();
  CHECK(close(w.grad(), array({2, 2}, {11 + 5, 15 + 7, 11 + 6, 15 + 8})));
  CHECK(close(v.grad(), array({2, 2}, {4 + 1, 4 + 3, 6 + 2, 6 + 4})));
  v.grad() = {};
  Tensor before = e.value().compact();
  e.value().mut()[0] = 0;  // the result is saved too
  sum(e).backward();
  CHECK(close(v.grad(), before));
}

TEST_CASE("fault 25: nothing grows over 10,000 steps") {
  Var w = Var::parameter(array({3}, {1, 2, 3}));
  double total = 0;
  Size nodes = 0, bytes = 0;
  for (int step = 1; step <= 10'000; step++) {
    Var loss = mean(w * w);
    loss.backward();
    total += static_cast<double>(loss.item());
    w.value() = map([](real x, real g) { return x - real(1e-5) * g; }, w.value(), w.grad());
    w.grad() = {};
    if (step == 10) nodes = live_nodes(), bytes = counters().live_bytes;
    if (step < 10'000) continue;
    CHECK(live_nodes() == nodes);
    CHECK(counters().live_bytes == bytes);
  }
  CHECK(total > 0);
  // Summing up Vars keeps their graphs; detached ones do not.
  Var sum_of_losses = Tensor::scalar(0);
  for (int step = 0; step < 100; step++) sum_of_losses = sum_of_losses + mean(w * w).detach();
  CHECK(live_nodes() == nodes - 1);  // the last loss of the loop above is gone
}

TEST_CASE("fault 27: a parameter that took no part has no gradient") {
  Var a = Var::parameter(array({2}, {1, 2})), b = Var::parameter(array({2}, {1, 2}));
  Var unused = b * 2;
  sum(a * array({2}, {3, 4})).backward();
  CHECK(close(a.grad(), array({2}, {3, 4})));
  CHECK_FALSE(b.grad().defined());
}

TEST_CASE("fault 29: state carried over has to be detached, and the error says so") {
  Var w = number(0.5);
  Var state = tanh(w * 1);
  (state * state).backward();
  const char* text =
      "heed: backward: the graph at \"tanh\" was freed by an earlier backward(); compute the value again, or detach() "
      "what is carried over";
  CHECK_THROWS_WITH((state * w).backward(), text);
  w.grad() = {};
  (state.detach() * w).backward();
  CHECK(close(grad(w), std::tanh(0.5)));
}

TEST_CASE("var: a second backward is an error, and changes nothing") {
  Var w = number(3), y = w * w;
  y.backward();
  CHECK_THROWS_WITH(y.backward(),
                    "heed: backward: the graph at \"mul\" was freed by an earlier backward(); compute the value again, "
                    "or detach() what is carried over");
  CHECK(grad(w) == 6);
}

TEST_CASE("var: errors of backward") {
  Var w = Var::parameter(Tensor({2}, 1)), y = w * 2;
  const char* constant =
      "heed: backward: no gradient flows to this value: it is a constant, or was computed under Eval";
  CHECK_THROWS_WITH(y.backward(), "heed: backward: a value of shape (2) needs a seed gradient");
  CHECK_THROWS_WITH(y.backward(Tensor({3}, 1)), "heed: backward: the seed has shape (3), the value (2)");
  CHECK_THROWS_WITH(Var(Tensor({1}, 1)).backward(), constant);
  CHECK_THROWS_WITH(Var().backward(), constant);
  CHECK_THROWS_WITH(sum(y.detach()).backward(), constant);
  sum(y).backward();
  CHECK(close(w.grad(), Tensor({2}, 2)));
  Var bad = op("bad", Tensor({2}, 1), {{w, [](const Tensor&) { return Tensor({3}, 1); }}});
  CHECK_THROWS_WITH(sum(bad).backward(), "heed: bad: gradient of shape (3) for an input of shape (2)");
}

TEST_CASE("var: Eval records nothing, on this thread, while it lives") {
  Var w = number(2);
  const Size nodes = live_nodes();
  {
    Eval outer;
    {
      Eval inner;
      CHECK(Eval::on());
    }
    CHECK(Eval::on());
    Var y = w * w;
    CHECK(y.item() == 4);
    CHECK_FALSE(y.requires_grad());
    CHECK(live_nodes() == nodes);
    CHECK_THROWS_AS(y.backward(), Error);
  }
  CHECK_FALSE(Eval::on());
  CHECK((w * w).requires_grad());
}

TEST_CASE("var: detach cuts, but keeps the numbers without copying") {
  Var w = Var::parameter(Tensor({2}, 3)), y = w * 2, cut = y.detach();
  CHECK(cut.value().shares(y.value()));
  CHECK_FALSE(cut.requires_grad());
  sum(cut * w).backward();
  CHECK(close(w.grad(), Tensor({2}, 6)));
}

TEST_CASE("var: what an operation saved is freed as soon as backward has passed") {
  Var w = Var::parameter(Tensor({64, 1024}, real(0.01)));
  Size bytes = 0, start = counters().live_bytes;
  {
    Var y = w;
    for (int i = 0; i < 20; i++) y = tanh(y);
    Var loss = sum(y);
    y = {};
    Size built = counters().live_bytes;
    bytes = (built - start) / 20;  // one saved result a step
    CHECK(bytes >= w.numel() * static_cast<Size>(sizeof(real)));
    reset_counters();
    loss.backward();
    CHECK(counters().peak_bytes <= built + 3 * bytes);
    CHECK(counters().live_bytes <= start + 2 * bytes);
  }
  w.grad() = {};
  CHECK(counters().live_bytes == start);
}

TEST_CASE("var: operations whose gradients share their work") {
  Var a = number(2), b = number(3), none;
  auto product = [&](const Var& x, const Var& y) {
    return op("product", map([](real p, real q) { return p * q; }, x.value(), y.value()), {x, y, none},
              [p = x.value(), q = y.value()](const Tensor& g) {
                auto times = [&](const Tensor& t) { return map([](real u, real v) { return u * v; }, g, t); };
                return std::vector<Tensor>{times(q), times(p), {}};
              });
  };
  product(a, b).backward();
  CHECK(grad(a) == 3);
  CHECK(grad(b) == 2);
  Var constant = Tensor::scalar(5);
  product(constant, a).backward();
  CHECK(grad(a) == 8);
  CHECK_FALSE(product(constant, constant).requires_grad());
}

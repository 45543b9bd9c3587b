// Tests of autograd/math.cpp: elementwise operations.
#include "tests/autograd/gradients.hpp"

using namespace heed;
using namespace heed::testing;

namespace {
using Vars = std::vector<Var>;
using Unary = std::function<Var(const Var&)>;

// Values at `x`, and gradients of their sum.
void check_values(const Unary& f, const Tensor& x, const std::vector<double>& y, const std::vector<double>& slope) {
  CHECK(close(f(x).value(), array(x.shape(), y)));
  CHECK(close(gradient([&](const Var& v) { return sum(f(v)); }, x), array(x.shape(), slope)));
}

void check_unary(const Unary& f, double low, double high) {
  Rng rng(3);
  check_gradients([&](const Vars& v) { return f(v[0]); }, {random(rng, {2, 3, 4}, low, high)});
}
}  // namespace

TEST_CASE("math: values of the four operations") {
  Var a = array({2, 1}, {6, -8}), b = array({2}, {2, 4});
  CHECK(close((a + b).value(), array({2, 2}, {8, 10, -6, -4})));
  CHECK(close((a - b).value(), array({2, 2}, {4, 2, -10, -12})));
  CHECK(close((a * b).value(), array({2, 2}, {12, 24, -16, -32})));
  CHECK(close((a / b).value(), array({2, 2}, {3, 1.5, -4, -2})));
  CHECK(close((-a).value(), array({2, 1}, {-6, 8})));
  CHECK(close((b + 1).value(), array({2}, {3, 5})));
  CHECK(close((b - 1).value(), array({2}, {1, 3})));
  CHECK(close((b * 3).value(), array({2}, {6, 12})));
  CHECK(close((b / 2).value(), array({2}, {1, 2})));
  CHECK(close((1 + b).value(), array({2}, {3, 5})));
  CHECK(close((1 - b).value(), array({2}, {-1, -3})));
  CHECK(close((3 * b).value(), array({2}, {6, 12})));
  CHECK(close((8 / b).value(), array({2}, {4, 2})));
}

TEST_CASE("math: gradients of the four operations, with and without broadcasting") {
  Rng rng(1);
  const std::pair<Shape, Shape> shapes[] = {{{2, 3}, {2, 3}}, {{2, 1, 4}, {3, 1}}, {{3}, {2, 3}},
                                            {{}, {2, 2}},     {{1}, {5, 4}},       {{1, 1}, {3}}};
  for (const auto& [first, second] : shapes) {
    Tensor a = random(rng, first), b = random(rng, second, 0.7, 1.5);
    CAPTURE(a.shape());
    CAPTURE(b.shape());
    check_gradients([](const Vars& v) { return v[0] + v[1]; }, {a, b});
    check_gradients([](const Vars& v) { return v[0] - v[1]; }, {a, b});
    check_gradients([](const Vars& v) { return v[0] * v[1]; }, {a, b});
    check_gradients([](const Vars& v) { return v[0] / v[1]; }, {a, b});
  }
}

TEST_CASE("math: one variable on both sides") {
  Rng rng(2);
  Tensor a = random(rng, {2, 3}, 0.7, 1.5), b = random(rng, {2, 3}, 0.7, 1.5);
  check_binary([](const Vars& v) { return v[0] + v[1]; }, a, b);
  check_binary([](const Vars& v) { return v[0] - v[1]; }, a, b);
  check_binary([](const Vars& v) { return v[0] * v[1]; }, a, b);
  check_binary([](const Vars& v) { return v[0] / v[1]; }, a, b);
  CHECK(close(gradient([](const Var& x) { return sum(x * x); }, a), map([](real x) { return 2 * x; }, a)));
  CHECK(close(gradient([](const Var& x) { return sum(x - x); }, a), Tensor({2, 3}, 0)));
}

TEST_CASE("math: gradients with plain numbers") {
  for (const Unary& f : std::vector<Unary>{
           [](const Var& x) { return x + 3; }, [](const Var& x) { return x - 3; }, [](const Var& x) { return x * -3; },
           [](const Var& x) { return x / 3; }, [](const Var& x) { return 3 + x; }, [](const Var& x) { return 3 - x; },
           [](const Var& x) { return 3 * x; }, [](const Var& x) { return 3 / x; }, [](const Var& x) { return -x; }})
    check_unary(f, 0.8, 2);
}

TEST_CASE("math: pow, exp, log, sqrt") {
  check_values([](const Var& x) { return pow(x, 3); }, array({3}, {-2, 0, 3}), {-8, 0, 27}, {12, 0, 27});
  check_values([](const Var& x) { return pow(x, -1); }, array({2}, {2, -4}), {0.5, -0.25}, {-0.25, -0.0625});
  check_values([](const Var& x) { return exp(x); }, array({2}, {0, 1}), {1, std::exp(1.0)}, {1, std::exp(1.0)});
  check_values([](const Var& x) { return log(x); }, array({2}, {1, 4}), {0, std::log(4.0)}, {1, 0.25});
  check_values([](const Var& x) { return sqrt(x); }, array({2}, {4, 0.25}), {2, 0.5}, {0.25, 1});
  CHECK(std::isinf(gradient([](const Var& x) { return pow(x, real(0.5)); }, Tensor::scalar(0)).item()));
  check_unary([](const Var& x) { return pow(x, real(1.7)); }, 0.6, 2);
  check_unary([](const Var& x) { return exp(x); }, -1, 1);
  check_unary([](const Var& x) { return log(x); }, 0.6, 2);
  check_unary([](const Var& x) { return sqrt(x); }, 0.6, 2);
}

TEST_CASE("math: tanh, sigmoid, relu, softplus") {
  double t = std::tanh(0.5), s = 1 / (1 + std::exp(-2.0));
  check_values([](const Var& x) { return tanh(x); }, array({3}, {0, 0.5, -0.5}), {0, t, -t}, {1, 1 - t * t, 1 - t * t});
  check_values([](const Var& x) { return sigmoid(x); }, array({3}, {0, 2, -2}), {0.5, s, 1 - s},
               {0.25, s * (1 - s), s * (1 - s)});
  check_values([](const Var& x) { return relu(x); }, array({4}, {-3, 0, 2, -0.0}), {0, 0, 2, 0}, {0, 0, 1, 0});
  check_values([](const Var& x) { return softplus(x); }, array({2}, {0, 2}), {std::log(2.0), 2 - std::log(s)},
               {0.5, s});
  for (double side : {-1.0, 1.0}) check_unary([=](const Var& x) { return relu(x * real(side)); }, 0.1, 1);
  check_values([](const Var& x) { return leaky_relu(x, real(0.2)); }, array({3}, {-3, 0, 2}), {-0.6, 0, 2},
               {0.2, 0.2, 1});
  for (double side : {-1.0, 1.0}) check_unary([=](const Var& x) { return leaky_relu(x * real(side)); }, 0.1, 1);
  check_values([](const Var& x) { return elu(x); }, array({4}, {-3, -0.01, 0, 2}),
               {std::expm1(-3), std::expm1(-0.01), 0, 2}, {std::exp(-3), std::exp(-0.01), 1, 1});
  check_unary([](const Var& x) { return elu(x); }, -3, 3);
  check_unary([](const Var& x) { return tanh(x); }, -2, 2);
  check_unary([](const Var& x) { return sigmoid(x); }, -2, 2);
  check_unary([](const Var& x) { return softplus(x); }, -2, 2);
}

TEST_CASE("math: sigmoid and softplus at the extremes") {
  for (double x : {20.0, 90.0, 800.0, 1e4, 1e30}) {
    CAPTURE(x);
    double e = std::exp(-x);
    check_values([](const Var& v) { return sigmoid(v); }, array({2}, {x, -x}), {1 / (1 + e), e / (1 + e)},
                 {e / (1 + e) / (1 + e), e / (1 + e) / (1 + e)});
    check_values([](const Var& v) { return softplus(v); }, array({2}, {x, -x}), {x + std::log1p(e), std::log1p(e)},
                 {1 / (1 + e), e / (1 + e)});
  }
  check_values([](const Var& v) { return tanh(v); }, array({2}, {1e30, -1e30}), {1, -1}, {0, 0});
  // The small side keeps its digits: relative error, not absolute.
  for (double x : {-5.0, -30.0, -80.0}) {
    CHECK(close(softplus(array({1}, {x})).value(), array({1}, {std::log1p(std::exp(x))}), 1e-5, 0));
    CHECK(close(sigmoid(array({1}, {x})).value(), array({1}, {1 / (1 + std::exp(-x))}), 1e-5, 0));
  }
}

TEST_CASE("math: both forms of GELU") {
  auto phi = [](double x) { return 0.5 * std::erfc(-x / std::sqrt(2.0)); };
  std::vector<double> x = {-6, -2, -0.5, 0, 1, 3, 8}, exact, slope, approximate;
  for (double v : x) {
    exact.push_back(v * phi(v));
    slope.push_back(phi(v) + v * std::exp(-v * v / 2) * 0.3989422804014327);
    approximate.push_back(0.5 * v * (1 + std::tanh(std::sqrt(2 / std::acos(-1.0)) * (v + 0.044715 * v * v * v))));
  }
  check_values([](const Var& v) { return gelu(v); }, array({7}, x), exact, slope);
  CHECK(close(gelu(array({7}, x), Gelu::tanh).value(), array({7}, approximate)));
  CHECK_FALSE(close(gelu(array({7}, x)).value(), gelu(array({7}, x), Gelu::tanh).value(), 1e-5));
  for (Gelu form : {Gelu::erf, Gelu::tanh}) {
    check_unary([=](const Var& v) { return gelu(v, form); }, -2, 2);
    for (double far : {30.0, 800.0, 1e10}) {
      CHECK(gelu(Tensor::scalar(static_cast<real>(far)), form).item() == static_cast<real>(far));
      CHECK(gelu(Tensor::scalar(static_cast<real>(-far)), form).item() >= real(-1e-30));
      CHECK(close(gradient([=](const Var& v) { return sum(gelu(v, form)); }, array({2}, {far, -far})),
                  array({2}, {1, 0})));
    }
  }
}

// Does not hold yet: v * v overflows in the slope, and 0 times infinity is NaN.
TEST_CASE("math: the gradient of GELU's tanh form where the square overflows" * doctest::may_fail()) {
  const double far = is_double ? 1e200 : 1e25;
  auto f = [](const Var& v) { return gelu(v, Gelu::tanh); };
  CHECK(close(gradient(f, array({2}, {far, -far}), Tensor({2}, 1)), array({2}, {1, 0})));
}

TEST_CASE("math: where and masked_fill choose, forward and backward") {
  Mask keep({2, 3}, {1, 0, 1, 0, 0, 1});
  Var a = Var::parameter(iota({2, 3})), b = Var::parameter(array({3}, {10, 20, 30}));
  Var y = where(keep, a, b);
  CHECK(close(y.value(), array({2, 3}, {0, 20, 2, 10, 20, 5})));
  y.backward(array({2, 3}, {1, 2, 3, 4, 5, 6}));
  CHECK(close(a.grad(), array({2, 3}, {1, 0, 3, 0, 0, 6})));
  CHECK(close(b.grad(), array({3}, {4, 7, 0})));
  CHECK(close(masked_fill(a, keep, -1).value(), array({2, 3}, {0, -1, 2, -1, -1, 5})));
  CHECK(masked_fill(a, {}, -1).same(a));
  Rng rng(4);
  check_binary([&](const Vars& v) { return where(keep, v[0], v[1]); }, random(rng, {2, 3}), random(rng, {2, 3}));
  check_gradients([&](const Vars& v) { return where(keep, v[0], v[1]); }, {random(rng, {4, 1, 3}), random(rng, {1})});
  check_gradients([&](const Vars& v) { return masked_fill(v[0], keep, 2); }, {random(rng, {4, 2, 3})});
  CHECK_THROWS_WITH(where({}, a, b), "heed: where: the mask is undefined");
}

TEST_CASE("fault 11: a value that was not chosen gets gradient 0, even if it is NaN") {
  Mask keep({3}, {1, 0, 1});
  Var x = Var::parameter(array({3}, {0.5, not_a_number, 1}));
  Var p = softmax(masked_fill(x, keep, static_cast<real>(-infinity)));
  CHECK(close(p.value(), array({3}, {0.37754067, 0, 0.62245933}), 1e-7));
  p.backward(array({3}, {1, 0, 0}));
  CHECK(close(x.grad(), array({3}, {0.23500371, 0, -0.23500371}), 1e-7));
  CHECK(x.grad().at({1}) == 0);
  // The gradient that arrives may be NaN as well where nothing was chosen.
  Tensor seed = array({3}, {1, not_a_number, 2});
  CHECK(close(gradient([&](const Var& v) { return where(keep, v, Tensor({3}, 0)); }, Tensor({3}, 1), seed),
              array({3}, {1, 0, 2})));
  CHECK(close(gradient([&](const Var& v) { return where(!keep, Tensor({3}, 0), v); }, Tensor({3}, 1), seed),
              array({3}, {1, 0, 2})));
  // The same through the mask of softmax itself.
  Var y = Var::parameter(array({3}, {0.5, not_a_number, 1}));
  softmax(y, keep).backward(array({3}, {1, 0, 0}));
  CHECK(close(y.grad(), array({3}, {0.23500371, 0, -0.23500371}), 1e-7));
}

TEST_CASE("math: dropout") {
  Rng rng(7), replay = rng;
  Tensor x({200, 50}, 2);
  Var leaf = Var::parameter(x), y = dropout(leaf, 0.2, rng);
  double kept = 0;
  each_index(x.shape(), [&](const Shape& index) {
    double v = element(y.value(), index);
    CHECK((v == 0 || close(v, 2.5)));
    kept += v != 0;
  });
  CHECK(std::abs(kept / 10000 - 0.8) < 0.02);
  y.backward(Tensor({200, 50}, 2));
  CHECK(same_bits(leaf.grad(), y.value()));
  CHECK(same_bits(dropout(x, 0.2, replay).value(), y.value()));
  CHECK(rng.state() == replay.state());
  CHECK_FALSE(same_bits(dropout(x, 0.2, rng).value(), y.value()));
  Tensor compact = dropout(iota({20, 30}), 0.5, rng = replay).value();
  CHECK(same_bits(dropout(reversed_layout(iota({20, 30})), 0.5, rng = replay).value(), compact));

  std::uint64_t state = rng.state();
  CHECK(dropout(leaf, 0, rng).same(leaf));
  {
    Eval eval;
    CHECK(dropout(leaf, 0.5, rng).same(leaf));
  }
  CHECK(rng.state() == state);
  check_unary(
      [](const Var& v) {
        Rng fixed(11);
        return dropout(v, 0.5, fixed);
      },
      -1, 1);
  CHECK_THROWS_WITH(dropout(leaf, 1, rng), "heed: dropout: expected a probability in [0, 1), got 1");
  CHECK_THROWS_WITH(dropout(leaf, -0.5, rng), "heed: dropout: expected a probability in [0, 1), got -0.5");
}

TEST_CASE("math: dropout draws a pattern for every element, however many there are") {
  Rng rng(8);
  Size n = 3 * kernel::grain + 5;
  Tensor y = dropout(Tensor({n}, 1), 0.5, rng).value();
  for (Size shift : {Size(1), Size(64), Size(256), kernel::grain}) {
    double same = 0;
    for (Size i = shift; i < n; i++) same += y.data()[i] == y.data()[i - shift];
    CHECK(std::abs(same / static_cast<double>(n - shift) - 0.5) < 0.02);
  }
}

TEST_CASE("math: dropout makes 0 of what it drops, whatever it was") {
  Rng rng(9);
  int wrong = 0;
  for (real x : dropout(Tensor({64}, static_cast<real>(infinity)), 0.5, rng).value().to_vector())
    wrong += x != 0 && !std::isinf(x);
  CHECK(wrong == 0);
}

TEST_CASE("math: NaN goes through") {
  Var x = Tensor::scalar(static_cast<real>(not_a_number));
  for (const Var& y : {x + 1, x * 0, 1 / x, exp(x), log(x), sqrt(x), tanh(x), sigmoid(x), relu(x), softplus(x), gelu(x),
                       gelu(x, Gelu::tanh), pow(x, 2)})
    CHECK(std::isnan(y.item()));
}

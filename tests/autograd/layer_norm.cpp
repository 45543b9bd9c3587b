// Tests of autograd/layer_norm.cpp.
#include "autograd/ops.hpp"

#include "tests/autograd/gradients.hpp"

using namespace heed;
using namespace heed::testing;

namespace {
using Vars = std::vector<Var>;
Var plain(const Var& x) { return layer_norm(x, {}, {}); }
}  // namespace

TEST_CASE("layer_norm: values") {
  // Mean 2, variance 1, so that eps = 3 gives half of the deviation.
  Tensor x = array({2, 2}, {1, 3, 11, 13});
  CHECK(close(layer_norm(x, {}, {}, 3).value(), array({2, 2}, {-0.5, 0.5, -0.5, 0.5})));
  CHECK(close(layer_norm(x, array({2}, {2, 4}), array({2}, {10, 20}), 3).value(), array({2, 2}, {9, 22, 9, 22})));
  CHECK(close(layer_norm(x, array({2}, {2, 4}), {}, 3).value(), array({2, 2}, {-1, 2, -1, 2})));
  CHECK(close(layer_norm(x, {}, array({2}, {2, 4}), 3).value(), array({2, 2}, {1.5, 4.5, 1.5, 4.5})));
  Rng rng(1);
  Tensor y = plain(random(rng, {50, 37}, 5, 9)).value();
  const int last[] = {1};
  CHECK(close(sum(y, last), Tensor({50}, 0), 1e-4));
  CHECK(close(sum(map([](real v) { return v * v; }, y), last), Tensor({50}, 37), 1e-3));
}

TEST_CASE("layer_norm: gradients") {
  Rng rng(2);
  for (const Shape& shape : {Shape{5}, Shape{2, 3, 5}, Shape{1, 2}, Shape{130, 3}}) {  // 130 rows: three blocks
    CAPTURE(shape);
    Size d = shape[-1];
    Tensor x = random(rng, shape), gain = random(rng, {d}, 0.5, 2), bias = random(rng, {d});
    check_gradients([](const Vars& v) { return layer_norm(v[0], {}, {}, 0.1); }, {x});
    check_gradients([](const Vars& v) { return layer_norm(v[0], v[1], {}, 0.1); }, {x, gain});
    check_gradients([](const Vars& v) { return layer_norm(v[0], {}, v[1], 0.1); }, {x, bias});
    check_gradients([](const Vars& v) { return layer_norm(v[0], v[1], v[2], 0.1); }, {x, gain, bias});
  }
  check_binary([](const Vars& v) { return layer_norm(iota({3, 2}), v[0], v[1]); }, random(rng, {2}), random(rng, {2}));
  CHECK(gradcheck([](const Vars& v) { return layer_norm(v[0], v[0], v[0], 0.1); }, {random(rng, {5})}) <
        gradient_tolerance);
}

TEST_CASE("fault 9: eps stands inside the root") {
  Tensor flat({1, 4}, 2), seed = array({1, 4}, {1, 0, 0, 0});
  CHECK(close(plain(flat).value(), Tensor({1, 4}, 0)));
  CHECK(close(gradient(plain, flat, seed), array({1, 4}, {237.17082, -79.056942, -79.056942, -79.056942}), 1e-6));
  for (double level : {0.0, 1e4, -1e8})
    CHECK(all_finite(gradient(plain, Tensor({2, 4}, static_cast<real>(level)), Tensor({2, 4}, 1))));
}

TEST_CASE("layer_norm: width 1 gives the bias and no gradient to the input") {
  Var x = Var::parameter(array({3, 1}, {1, -2, 1e6})), gain = Var::parameter(Tensor({1}, 3));
  Var bias = Var::parameter(Tensor({1}, 5)), y = layer_norm(x, gain, bias);
  CHECK(close(y.value(), Tensor({3, 1}, 5)));
  y.backward(Tensor({3, 1}, 1));
  CHECK(close(x.grad(), Tensor({3, 1}, 0)));
  CHECK(close(gain.grad(), Tensor({1}, 0)));
  CHECK(close(bias.grad(), Tensor({1}, 3)));
}

TEST_CASE("layer_norm: large offsets do not eat the variance") {
  Rng rng(3);
  Tensor x = random(rng, {4, 64});
  Tensor moved = map([](real v) { return v + 1024; }, x);
  CHECK(close(plain(moved).value(), plain(x).value(), tolerance(1e-11, 2e-3)));
}

TEST_CASE("layer_norm: no rows") {
  Var x = Var::parameter(Tensor({0, 3})), gain = Var::parameter(Tensor({3}, 1));
  sum(layer_norm(x, gain, {})).backward();
  CHECK(x.grad().shape() == Shape{0, 3});
  CHECK(close(gain.grad(), Tensor({3}, 0)));
}

TEST_CASE("layer_norm: errors") {
  CHECK_THROWS_WITH(plain(Tensor({2, 0})), "heed: layer_norm: the last axis of (2, 0) is empty");
  CHECK_THROWS_WITH(layer_norm(iota({2, 3}), Tensor({2}, 1), {}),
                    "heed: layer_norm: expected a gain and bias of shape (3), got (2)");
  CHECK_THROWS_WITH(layer_norm(iota({2, 3}), {}, Tensor({1, 3}, 1)),
                    "heed: layer_norm: expected a gain and bias of shape (3), got (1, 3)");
}

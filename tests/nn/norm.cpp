// Tests of nn/norm.hpp.
#include "nn/norm.hpp"

#include "tests/nn/layers.hpp"

using namespace heed;
using namespace heed::testing;

TEST_CASE("norm: every row has mean 0 and variance 1, then gain and bias; gradients") {
  Rng rng(1);
  LayerNorm layer(7);
  Tensor x = random(rng, {3, 2, 7}, -5, 9);
  Tensor y = layer(x).value();
  for (Size r = 0; r < 6; r++) {
    double mean = 0, squares = 0;
    for (Size i = 0; i < 7; i++) {
      auto v = static_cast<double>(y.data()[r * 7 + i]);
      mean += v / 7;
      squares += v * v / 7;
    }
    CHECK(std::abs(mean) < tolerance(1e-14, 1e-6));
    CHECK(std::abs(squares - 1) < 1e-4);  // eps takes a little
  }
  randomise(layer.parameters());
  Tensor z = map([](real n, real g, real b) { return n * g + b; }, y, layer.gain.value(), layer.bias.value());
  CHECK(close(layer(x).value(), z));
  CHECK(layer_gradcheck([&](const Vars& v) { return layer(v[0]); }, {x}, layer.parameters()) < gradient_tolerance);
}

TEST_CASE("norm: starts as gain 1 and bias 0, neither decayed") {
  LayerNorm layer(3);
  CHECK(same_bits(layer.gain.value(), Tensor({3}, 1)));
  CHECK(same_bits(layer.bias.value(), Tensor({3}, 0)));
  REQUIRE(layer.parameters().size() == 2);
  for (const Parameter& p : layer.parameters()) CHECK_FALSE(p.decay);
}

TEST_CASE("fault 9: eps stands inside the root") {
  LayerNorm layer(4);
  Tensor x = array({1, 4}, {2, 2, 2, 2}), seed = array({1, 4}, {1, 0, 0, 0});
  CHECK(same_bits(layer(x).value(), Tensor({1, 4}, 0)));
  Tensor dx = input_gradient([&](const Var& v) { return layer(v); }, x, seed);
  CHECK(
      close(dx, array({1, 4}, {237.17082451262844, -79.05694150420949, -79.05694150420949, -79.05694150420949}), 1e-6));
}

TEST_CASE("norm: the layer's own eps is used") {
  LayerNorm layer(2, 3);  // variance 1: divides by 2
  CHECK(close(layer(array({1, 2}, {1, 3})).value(), array({1, 2}, {-0.5, 0.5})));
}

TEST_CASE("norm: of one number the bias is left, and no gradient") {
  LayerNorm layer(1);
  randomise(layer.parameters());
  Tensor x = array({3, 1}, {5, -2, 0});
  CHECK(close(layer(x).value(), layer.bias.value().reshape({1, 1}).expand({3, 1})));
  Tensor dx = input_gradient([&](const Var& v) { return layer(v); }, x, Tensor({3, 1}, 1));
  CHECK(close(dx, Tensor({3, 1}, 0), 0, 1e-30));
  CHECK(close(layer.bias.grad(), Tensor({1}, 3)));
}

TEST_CASE("norm: does not see the size and the offset of a row") {
  Rng rng(2);
  LayerNorm layer(16);
  Tensor x = random(rng, {2, 16}, -3, 3);
  Tensor y = map([](real v) { return 4 * v + 100; }, x);
  CHECK(close(layer(y).value(), layer(x).value(), 1e-4));
  CHECK_THROWS_AS(layer(Tensor({2, 15}, 0)), Error);
}

// Tests of nn/linear.hpp: the layer alone at each position, and on a window of neighbours.
#include "nn/linear.hpp"

#include "nn/embedding.hpp"
#include "tests/nn/layers.hpp"

using namespace heed;
using namespace heed::testing;

namespace {

/// y = x W + b with three loops, x as (rows, in).
Tensor by_hand(const Tensor& x, const Tensor& w, const Tensor& b) {
  Tensor y({x.size(0), w.size(1)}, 0);
  for (Size r = 0; r < x.size(0); r++)
    for (Size j = 0; j < w.size(1); j++) {
      double total = b.defined() ? static_cast<double>(b.at({j})) : 0;
      for (Size i = 0; i < w.size(0); i++)
        total += static_cast<double>(x.at({r, i})) * static_cast<double>(w.at({i, j}));
      y.mut()[r * w.size(1) + j] = static_cast<real>(total);
    }
  return y;
}

}  // namespace

TEST_CASE("linear: x W + b at any rank, with gradients") {
  Rng rng(1);
  Linear layer(4, 3, rng), bare(4, 3, rng, {.bias = false});
  randomise(layer.parameters());
  CHECK_FALSE(bare.b.defined());
  CHECK(bare.parameter_count() == 12);
  CHECK(layer.parameter_count() == 15);
  for (const Shape& shape : {Shape{4}, Shape{2, 4}, Shape{2, 5, 4}, Shape{2, 1, 3, 4}}) {
    CAPTURE(shape);
    Tensor x = random(rng, shape);
    Tensor flat = x.reshape({-1, 4});
    CHECK(close(layer(x).value(), by_hand(flat, layer.w.value(), layer.b.value()).reshape(shape.with(-1, 3))));
    CHECK(close(bare(x).value(), by_hand(flat, bare.w.value(), {}).reshape(shape.with(-1, 3))));
    CHECK(layer_gradcheck([&](const Vars& v) { return layer(v[0]); }, {x}, layer.parameters()) < gradient_tolerance);
    CHECK(layer_gradcheck([&](const Vars& v) { return bare(v[0]); }, {x}, bare.parameters()) < gradient_tolerance);
  }
  CHECK_THROWS_AS(layer(Tensor({2, 5}, 0)), Error);
}

TEST_CASE("linear: starts Xavier uniform with zero bias, decayed on W only") {
  Rng rng(2), again(2);
  Linear layer(30, 20, rng);
  CHECK(same_bits(layer.w.value(), xavier_uniform({30, 20}, again)));
  CHECK(same_bits(layer.b.value(), Tensor({20}, 0)));
  CHECK(layer.parameters()[0].decay);
  CHECK_FALSE(layer.parameters()[1].decay);
}

TEST_CASE("linear: alone at each position it cannot tell the two \"saw\" of \"I saw a saw\" apart") {
  Rng rng(3);
  Embedding words(4, 17, rng);
  Linear first(17, 33, rng), second(33, 5, rng);
  randomise(first.parameters());
  std::vector<int> i_saw_a_saw{0, 1, 2, 1};
  Tensor y = second(relu(first(words(i_saw_a_saw, {1, 4})))).value();
  CHECK(same_bits(y.slice(1, 1, 2), y.slice(1, 3, 4)));
  CHECK_FALSE(same_bits(y.slice(1, 0, 1), y.slice(1, 1, 2)));
  // Nor does it depend on what else is in the batch.
  std::vector<int> saw{1};
  CHECK(close(second(relu(first(words(saw, {1, 1})))).value(), y.slice(1, 1, 2)));
}

TEST_CASE("linear: on a window it is a convolution of width 2c+1 with zeros outside") {
  Rng rng(4);
  for (int c : {0, 1, 2, 4})
    for (Size n : {Size(1), Size(2), Size(5)}) {
      CAPTURE(c);
      CAPTURE(n);
      WindowedLinear layer(3, 2, c, rng);
      randomise(layer.parameters());
      Tensor x = random(rng, {2, n, 3}), w = layer.inner.w.value(), b = layer.inner.b.value();
      CHECK(w.shape() == Shape{(2 * c + 1) * 3, 2});
      Tensor y = layer(x).value();
      REQUIRE(y.shape() == Shape{2, n, 2});
      for (Size s = 0; s < 2; s++)
        for (Size i = 0; i < n; i++)
          for (Size j = 0; j < 2; j++) {
            double total = static_cast<double>(b.at({j}));
            for (Size k = -c; k <= c; k++)
              for (Size f = 0; f < 3 && i + k >= 0 && i + k < n; f++)
                total += static_cast<double>(x.at({s, i + k, f})) * static_cast<double>(w.at({(k + c) * 3 + f, j}));
            CHECK(close(static_cast<double>(y.at({s, i, j})), total, loose));
          }
    }
}

TEST_CASE("linear: padding inside a window reads as zero, whatever stands there") {
  Rng rng(5);
  WindowedLinear layer(3, 2, 1, rng);
  randomise(layer.parameters());
  std::vector<int> lengths{2, 4};
  Mask mask = padding_mask(lengths, 4);
  Tensor x = random(rng, {2, 4, 3}), zeroed = x, poisoned = x;
  for (Size i = 6; i < 12; i++) zeroed.mut()[i] = 0, poisoned.mut()[i] = static_cast<real>(not_a_number);
  Tensor expected = layer(zeroed).value();
  CHECK(same_bits(layer(x, mask).value(), expected));
  CHECK(same_bits(layer(poisoned, mask).value(), expected));
  CHECK(all_finite(input_gradient([&](const Var& v) { return layer(v, mask); }, poisoned, Tensor({2, 4, 2}, 1))));
}

TEST_CASE("linear: parameters of a window grow with its width") {
  Rng rng(6);
  for (int c = 0; c < 5; c++) CHECK(WindowedLinear(8, 4, c, rng).parameter_count() == (2 * c + 1) * 8 * 4 + 4);
  CHECK(WindowedLinear(8, 4, 1, rng).parameters()[0].name == "inner.w");
}

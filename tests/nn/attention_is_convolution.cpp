// Tests of nn/attention/convolution.hpp: attention computes what a convolution computes, and learns what it learns.
#include "nn/attention/convolution.hpp"
#include "tests/nn/layers.hpp"

using namespace heed;
using namespace heed::testing;

namespace {

constexpr double equal = tolerance(1e-10, 1e-5);

/// x with a ring of r zero pixels.
Var ringed(const Var& x, Size r) {
  Var wide = concat({Tensor(x.shape().with(3, r), 0), x, Tensor(x.shape().with(3, r), 0)}, 3);
  return concat({Tensor(wide.shape().with(2, r), 0), wide, Tensor(wide.shape().with(2, r), 0)}, 2);
}

/// x without its outer r pixels.
Var cropped(const Var& x, Size r) { return slice(slice(x, 2, r, x.size(2) - r), 3, r, x.size(3) - r); }

}  // namespace

TEST_CASE("attention is convolution: equal with a ring of zeros, gradients too") {
  Rng rng(1);
  for (Size size : {Size(1), Size(3), Size(5)})
    for (Size out : {Size(1), Size(4)}) {
      CAPTURE(size);
      CAPTURE(out);
      Size r = size / 2, in = 3;
      Tensor w = random(rng, {out, in, size, size}), b = random(rng, {out}), x = random(rng, {2, in, 7, 6});
      PixelAttention layer = convolution_as_attention(w, b);
      Var kernels = Var::parameter(w), bias = Var::parameter(b), image = Var::parameter(x), same = Var::parameter(x);
      Var expected = conv2d(image, kernels, bias, {.padding = r}), y = cropped(layer(ringed(same, r)), r);
      CHECK(close(y.value(), expected.value(), equal));
      Tensor seed = random(rng, y.shape());
      expected.backward(seed);
      y.backward(seed);
      CHECK(close(same.grad(), image.grad(), equal));
      CHECK(close(layer.v.grad().reshape({size, size, in, out}).permute({3, 2, 0, 1}), kernels.grad(),
                  tolerance(1e-10, 3e-5)));
      CHECK(close(layer.b.grad(), bias.grad(), tolerance(1e-10, 3e-5)));
    }
}

TEST_CASE("attention is convolution: without the ring equal inside, not at the border") {
  Rng rng(2);
  Tensor w = random(rng, {2, 3, 3, 3}), x = random(rng, {1, 3, 6, 5});
  Var expected = conv2d(x, w, {}, {.padding = 1}), y = convolution_as_attention(w)(x);
  CHECK(close(cropped(y, 1).value(), cropped(expected, 1).value(), equal));
  CHECK_FALSE(close(y.value(), expected.value(), 1e-3));
  // A tap beyond the border reads the nearest pixel: that is an image with its edge repeated.
  Tensor down[] = {x.slice(2, 0, 1), x, x.slice(2, 5, 6)};
  Tensor tall = concat(down, 2);
  Tensor across[] = {tall.slice(3, 0, 1), tall, tall.slice(3, 4, 5)};
  CHECK(close(y.value(), conv2d(concat(across, 3), w).value(), equal));
}

TEST_CASE("attention is convolution: the shift is key minus query, the kernel is not mirrored") {
  Tensor w({1, 1, 3, 3}, 0), x({1, 1, 5, 5}, 0);
  w.mut()[2 * 3 + 1] = 1;  // reads the pixel below
  x.mut()[3 * 5 + 2] = 1;
  Tensor y = convolution_as_attention(w)(x).value();
  CHECK(close(static_cast<double>(y.at({0, 0, 2, 2})), 1));
  CHECK(close(static_cast<double>(sum(y).item()), 1));
}

TEST_CASE("attention is convolution: what goes astray falls as e^-alpha") {
  Rng rng(3);
  Tensor w = random(rng, {2, 2, 3, 3}), x = random(rng, {1, 2, 6, 6});
  Tensor expected = cropped(conv2d(x, w, {}, {.padding = 1}), 1).value();
  auto error = [&](real sharpness) {
    return max_difference(cropped(convolution_as_attention(w, {}, sharpness)(x), 1).value(), expected);
  };
  CHECK(error(2) > 0.05);
  CHECK(error(4) / error(6) > std::exp(1.7));
  CHECK(error(4) / error(6) < std::exp(2.3));
}

TEST_CASE("attention is convolution: learned centres and sharpness have the right gradients") {
  Rng rng(4);
  PixelAttention layer(3, 2, 4, rng);
  CHECK(layer.parameter_count() == 4 * 2 + 4 + 4 * 3 * 2 + 2);
  CHECK_FALSE(layer.parameters()[0].decay);
  CHECK(same_bits(layer.sharpness.value(), Tensor({4}, 1)));
  CHECK(layer_gradcheck([&](const Vars& v) { return layer(v[0]); }, {random(rng, {2, 3, 3, 4})}, layer.parameters()) <
        gradient_tolerance);
  CHECK(layer(Tensor({1, 3, 1, 1}, 1)).shape() == Shape{1, 2, 1, 1});
}

TEST_CASE("attention is convolution: errors") {
  CHECK_THROWS_WITH(convolution_as_attention(Tensor({2, 3, 2, 2}, 1)),
                    "heed: convolution_as_attention: expected kernels (Cout, C, K, K) with an odd K, got (2, 3, 2, 2)");
  PixelAttention layer = convolution_as_attention(Tensor({2, 3, 3, 3}, 1));
  CHECK_THROWS_WITH(layer(Tensor({1, 2, 5, 5}, 1)),
                    "heed: PixelAttention: expected (B, 3, H, W), not empty, got (1, 2, 5, 5)");
  CHECK_THROWS_AS(layer(Tensor({1, 3, 0, 5})), Error);
  CHECK_THROWS_AS(PixelAttention(Tensor({4, 3}, 0), Tensor({4}, 1), Tensor({8, 2}, 1)), Error);
}

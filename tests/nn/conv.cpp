// Tests of nn/conv.hpp: the layers; the operations are tested in tests/autograd.
#include "nn/conv.hpp"

#include "tests/nn/layers.hpp"

using namespace heed;
using namespace heed::testing;

TEST_CASE("conv: layers give what the operations give, with gradients") {
  Rng rng(1);
  Conv1d line(4, 6, 3, rng, {.stride = 2, .padding = 1, .groups = 2});
  Conv2d plane(2, 3, 3, rng, {.padding = 1}), bare(2, 3, 1, rng, {}, {.bias = false});
  for (const Module& layer : {Module(line), Module(plane), Module(bare)}) randomise(layer.parameters());
  Tensor x = random(rng, {2, 4, 7}), image = random(rng, {2, 2, 4, 5});
  CHECK(same_bits(line(x).value(), conv1d(x, line.w, line.b, line.how).value()));
  CHECK(same_bits(plane(image).value(), conv2d(image, plane.w, plane.b, plane.how).value()));
  CHECK(same_bits(bare(image).value(), conv2d(image, bare.w).value()));
  CHECK(line(x).shape() == Shape{2, 6, 4});
  CHECK(plane(image).shape() == Shape{2, 3, 4, 5});
  CHECK(layer_gradcheck([&](const Vars& v) { return line(v[0]); }, {x}, line.parameters()) < gradient_tolerance);
  CHECK(layer_gradcheck([&](const Vars& v) { return plane(v[0]); }, {image}, plane.parameters()) < gradient_tolerance);
  CHECK(layer_gradcheck([&](const Vars& v) { return bare(v[0]); }, {image}, bare.parameters()) < gradient_tolerance);
}

TEST_CASE("conv: names, shapes and the start of parameters") {
  Rng rng(2);
  Conv2d layer(6, 4, 3, rng, {.groups = 2}), bare(1, 1, 3, rng, {}, {.bias = false});
  CHECK(layer.w.shape() == Shape{4, 3, 3, 3});
  CHECK(layer.parameter_count() == 4 * 27 + 4);
  CHECK(bare.parameter_count() == 9);
  CHECK(layer.parameters()[0].name == "w");
  CHECK(layer.parameters()[0].decay);
  CHECK_FALSE(layer.parameters()[1].decay);
  CHECK(same_bits(layer.b.value(), Tensor({4}, 0)));
  Conv1d wide(300, 100, 2, rng);
  std::vector<real> values = wide.w.value().to_vector();
  auto [low, high] = std::minmax_element(values.begin(), values.end());
  const double bound = std::sqrt(6.0 / 800);
  CHECK(close(static_cast<double>(*low), -bound, 1e-3));
  CHECK(close(static_cast<double>(*high), bound, 1e-3));
}

TEST_CASE("conv: a windowed fully connected layer is a convolution") {
  Rng rng(3);
  WindowedLinear windowed(3, 4, 2, rng);
  Conv1d layer(3, 4, 5, rng, {.padding = 2});
  randomise(windowed.parameters());
  // (5 in, out) -> (out, in, 5)
  layer.w.value() = windowed.inner.w.value().reshape({5, 3, 4}).permute({2, 1, 0});
  layer.b.value() = windowed.inner.b.value();
  std::vector<int> lengths{6, 3, 0};
  Tensor x = random(rng, {3, 6, 3});
  for (const Mask& mask : {Mask(), padding_mask(lengths, 6)})
    CHECK(close(transpose(layer(transpose(x, 1, 2), mask), 1, 2).value(), windowed(x, mask).value(), loose));
}

TEST_CASE("conv: kernel = stride = patch is a linear layer on patches") {
  Rng rng(4);
  Conv2d layer(3, 5, 2, rng, {.stride = 2});
  Tensor x = random(rng, {2, 3, 4, 6});
  // (B, C, H/2, 2, W/2, 2) -> (B, patches, C 2 2)
  Tensor patches = x.reshape({2, 3, 2, 2, 3, 2}).permute({0, 2, 4, 1, 3, 5}).reshape({2, 6, 12});
  Var expected = linear(patches, layer.w.value().reshape({5, 12}).transpose(), layer.b);
  CHECK(close(layer(x).value(), expected.value().transpose(1, 2).reshape({2, 5, 2, 3}), loose));
}

TEST_CASE("fault 47: a sentence of 5 alone and beside one of 30 (convolution)") {
  Rng rng(5);
  Conv1d layer(3, 4, 3, rng, {.padding = 1});
  randomise(layer.parameters());
  std::vector<int> lengths{5, 30};
  Tensor x = random(rng, {2, 3, 30});
  Tensor batch = layer(x, padding_mask(lengths, 30)).value();
  CHECK(close(batch.slice(0, 0, 1).slice(2, 0, 5), layer(x.slice(0, 0, 1).slice(2, 0, 5)).value()));
}

TEST_CASE("conv: pooling as layers") {
  Rng rng(6);
  Tensor x = random(rng, {2, 3, 6, 6});
  CHECK(same_bits(MaxPool()(x).value(), max_pool(x).value()));
  CHECK(same_bits(MeanPool{{.window = 3}}(x).value(), mean_pool(x, {.window = 3}).value()));
}

TEST_CASE("conv: errors of the layers") {
  Rng rng(7);
  CHECK_THROWS_WITH(Conv1d(3, 4, 3, rng, {.groups = 2}), "heed: Conv1d: 2 groups do not divide 3 and 4 channels");
  CHECK_THROWS_WITH(Conv2d(4, 3, 3, rng, {.groups = 2}), "heed: Conv2d: 2 groups do not divide 4 and 3 channels");
  Conv1d layer(3, 4, 3, rng);
  CHECK_THROWS_WITH(layer(Tensor({2, 3, 5}, 1), Mask({2, 4}, std::vector<std::uint8_t>(8, 1))),
                    "heed: Conv1d: expected (B, C, L) and a key_padding_mask (B, L), got (2, 3, 5) and (2, 4)");
  CHECK_THROWS_AS(layer(Tensor({2, 3, 2}, 1)), Error);
}

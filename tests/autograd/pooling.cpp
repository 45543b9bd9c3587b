// Tests of autograd/pooling.cpp: values against loops, gradients, ties and padding.
#include "tests/autograd/gradients.hpp"
#include "tests/golden.hpp"

using namespace heed;
using namespace heed::testing;

namespace {

using Vars = std::vector<Var>;

/// The definition: what lies inside under each window of (B, C, H, W), reduced.
template <class F>
Tensor by_hand(const Tensor& x, Size window, Size stride, Size padding, const F& reduce) {
  auto outputs = [&](Size n) { return (n + 2 * padding - window) / stride + 1; };
  Shape shape{x.size(0), x.size(1), outputs(x.size(2)), outputs(x.size(3))};
  Tensor y(shape);
  real* out = y.mut();
  each_index(shape, [&](const Shape& at) {
    std::vector<double> under;
    for (Size i = at[2] * stride - padding; i < at[2] * stride - padding + window; i++)
      for (Size j = at[3] * stride - padding; j < at[3] * stride - padding + window; j++)
        if (i >= 0 && i < x.size(2) && j >= 0 && j < x.size(3)) under.push_back(element(x, {at[0], at[1], i, j}));
    *out++ = static_cast<real>(reduce(under));
  });
  return y;
}

/// Random values at least 0.1 apart: the step of a gradient check does not change which is the largest.
Tensor distinct(Rng& rng, const Shape& shape) {
  std::vector<real> values;
  for (int place : rng.permutation(static_cast<int>(shape.numel()))) values.push_back(static_cast<real>(0.1 * place));
  return Tensor(shape, values);
}

double largest(const std::vector<double>& v) { return *std::max_element(v.begin(), v.end()); }
double average(const std::vector<double>& v) {
  return std::accumulate(v.begin(), v.end(), 0.0) / static_cast<double>(v.size());
}

}  // namespace

TEST_CASE("pooling: small examples") {
  Var x = array({1, 1, 5}, {1, 5, 2, 4, 9});
  CHECK(close(max_pool(x).value(), array({1, 1, 2}, {5, 4})));
  CHECK(close(mean_pool(x).value(), array({1, 1, 2}, {3, 3})));
  CHECK(close(max_pool(x, {.window = 3, .stride = 1, .padding = 1}).value(), array({1, 1, 5}, {5, 5, 5, 9, 9})));
  CHECK(close(mean_pool(x, {.window = 3, .stride = 2, .padding = 1}).value(), array({1, 1, 3}, {3, 11.0 / 3, 6.5})));
  CHECK(close(max_pool(iota({1, 1, 4, 4})).value(), array({1, 1, 2, 2}, {5, 7, 13, 15})));
}

TEST_CASE("pooling: values and gradients for every window, stride and padding") {
  Rng rng(1);
  for (Size window : {Size(1), Size(2), Size(3)})
    for (Size stride : {Size(1), Size(2), Size(4)})
      for (Size padding = 0; padding < window; padding++)
        for (Size width : {Size(3), Size(8)}) {
          CAPTURE(window);
          CAPTURE(stride);
          CAPTURE(padding);
          CAPTURE(width);
          Pooling how{.window = window, .stride = stride, .padding = padding};
          Tensor image = distinct(rng, {2, 3, 5, width}), line = distinct(rng, {2, 3, width});
          CHECK(close(max_pool(image, how).value(), by_hand(image, window, stride, padding, largest)));
          CHECK(close(mean_pool(image, how).value(), by_hand(image, window, stride, padding, average)));
          for (const Tensor& x : {image, line}) {
            CHECK(gradcheck([&](const Vars& v) { return max_pool(v[0], how); }, {x}) < gradient_tolerance);
            CHECK(gradcheck([&](const Vars& v) { return mean_pool(v[0], how); }, {x}) < gradient_tolerance);
          }
        }
  check_gradients([](const Vars& v) { return max_pool(v[0], {.window = 2, .stride = 1}); },
                  {distinct(rng, {2, 2, 3, 4})});
  check_gradients([](const Vars& v) { return mean_pool(v[0], {.window = 3}); }, {random(rng, {2, 2, 6})});
}

TEST_CASE("pooling: in ties the lowest index wins and takes the whole gradient") {
  Tensor equal({1, 1, 4}, 7);
  CHECK(close(gradient([](const Var& v) { return sum(max_pool(v)); }, equal), array({1, 1, 4}, {1, 0, 1, 0})));
  CHECK(close(gradient([](const Var& v) { return sum(max_pool(v, {.window = 3, .stride = 1})); }, equal),
              array({1, 1, 4}, {1, 1, 0, 0})));
  Tensor square({1, 1, 2, 2}, 7);
  CHECK(close(gradient([](const Var& v) { return sum(max_pool(v)); }, square), array({1, 1, 2, 2}, {1, 0, 0, 0})));
}

TEST_CASE("pooling: padding never wins and is not counted; NaN wins") {
  Tensor low({1, 1, 3}, -5);
  low.mut()[1] = static_cast<real>(-infinity);
  Pooling how{.window = 2, .stride = 2, .padding = 1};
  CHECK(same_bits(max_pool(low, how).value(), Tensor({1, 1, 2}, -5)));
  CHECK(close(mean_pool(array({1, 1, 3}, {-6, -2, -4}), how).value(), array({1, 1, 2}, {-6, -3})));
  Tensor below({1, 1, 1, 1}, static_cast<real>(-infinity));
  CHECK(same_bits(max_pool(below, how).value(), below));
  Tensor bad = array({1, 1, 4}, {1, not_a_number, 3, 2});
  CHECK(close(max_pool(bad).value(), array({1, 1, 2}, {not_a_number, 3})));
}

TEST_CASE("pooling: golden") {
  Golden golden("conv.txt");
  Pooling how{.window = 3, .stride = 2, .padding = 1};
  for (const char* name : {"max_pool1d", "max_pool2d"})
    check_golden(golden, name, {"x"}, [&](const Vars& v) { return max_pool(v[0], how); });
  for (const char* name : {"mean_pool1d", "mean_pool2d"})
    check_golden(golden, name, {"x"}, [&](const Vars& v) { return mean_pool(v[0], how); });
}

TEST_CASE("pooling: errors") {
  Var x = Tensor({2, 3, 4}, 1);
  CHECK_THROWS_WITH(max_pool(Tensor({3, 4}, 1)), "heed: max_pool: expected (B, C, L) or (B, C, H, W), got (3, 4)");
  CHECK_THROWS_WITH(mean_pool(x, {.padding = 2}), "heed: mean_pool: a padding of 2 leaves nothing under a window of 2");
  CHECK_THROWS_WITH(max_pool(x, {.window = 5}),
                    "heed: max_pool: a window of 5 with dilation 1 does not fit into a length of 4 with padding 0");
  CHECK_THROWS_AS(max_pool(x, {.window = 0}), Error);
  CHECK_THROWS_AS(max_pool(x, {.window = 2, .stride = -1}), Error);
  CHECK_THROWS_AS(max_pool(Tensor({2, 3, 0}), {.window = 2, .padding = 1}), Error);
}

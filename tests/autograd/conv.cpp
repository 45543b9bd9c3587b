// Tests of autograd/conv.cpp: values against loops, gradients, cost and memory.
#include "tensor/counters.hpp"
#include "tests/autograd/gradients.hpp"
#include "tests/golden.hpp"

using namespace heed;
using namespace heed::testing;

namespace {

using Vars = std::vector<Var>;

/// The definition in seven loops; x (B, C, H, W), w (Cout, C/groups, Kh, Kw). With `flat` only the last axis moves.
Tensor by_hand(const Tensor& x, const Tensor& w, const Tensor& b, const Convolution& how, bool flat = false) {
  Size stride = flat ? 1 : how.stride, padding = flat ? 0 : how.padding, dilation = flat ? 1 : how.dilation;
  auto outputs = [](Size n, Size k, Size s, Size p, Size d) { return (n + 2 * p - d * (k - 1) - 1) / s + 1; };
  Shape shape{x.size(0), w.size(0), outputs(x.size(2), w.size(2), stride, padding, dilation),
              outputs(x.size(3), w.size(3), how.stride, how.padding, how.dilation)};
  Tensor y(shape);
  real* out = y.mut();
  each_index(shape, [&](const Shape& at) {
    double total = b.defined() ? static_cast<double>(b.at({at[1]})) : 0;
    Size first = at[1] / (w.size(0) / how.groups) * w.size(1);
    each_index(w.shape().erase(0), [&](const Shape& tap) {
      Size i = at[2] * stride - padding + tap[1] * dilation,
           j = at[3] * how.stride - how.padding + tap[2] * how.dilation;
      if (i >= 0 && i < x.size(2) && j >= 0 && j < x.size(3))
        total += element(x, {at[0], first + tap[0], i, j}) * element(w, {at[1], tap[0], tap[1], tap[2]});
    });
    *out++ = static_cast<real>(total);
  });
  return y;
}

Tensor raise(const Tensor& x) { return x.reshape({x.size(0), x.size(1), 1, x.size(2)}); }

const Convolution ways[] = {{},
                            {.padding = 1},
                            {.stride = 2},
                            {.stride = 3, .padding = 2},
                            {.padding = 4, .dilation = 3},
                            {.stride = 2, .padding = 3, .dilation = 2},
                            {.padding = 1, .groups = 2},
                            {.stride = 2, .padding = 2, .groups = 4}};

}  // namespace

TEST_CASE("conv: a small example of each dimension, flipped by nothing") {
  Var x = array({1, 1, 4}, {1, 2, 3, 4}), w = array({1, 1, 2}, {10, 1});
  CHECK(close(conv1d(x, w).value(), array({1, 1, 3}, {12, 23, 34})));
  CHECK(close(conv1d(x, w, Tensor({1}, 100), {.padding = 1}).value(), array({1, 1, 5}, {101, 112, 123, 134, 140})));
  Var image = iota({1, 1, 3, 3}), corners = array({1, 1, 2, 2}, {1000, 100, 10, 1});
  CHECK(close(conv2d(image, corners).value(), array({1, 1, 2, 2}, {134, 1245, 3467, 4578})));
}

TEST_CASE("conv: values and gradients for every stride, padding, dilation and grouping") {
  Rng rng(1);
  for (const Convolution& how : ways)
    for (Size kernel : {Size(1), Size(2), Size(3)})
      for (Size length : {Size(1), Size(2), Size(7)}) {
        if (how.dilation * (kernel - 1) + 1 > length + 2 * how.padding) continue;
        CAPTURE(how.stride);
        CAPTURE(how.padding);
        CAPTURE(how.dilation);
        CAPTURE(how.groups);
        CAPTURE(kernel);
        CAPTURE(length);
        Tensor x = random(rng, {2, 4, length}), w = random(rng, {8, 4 / how.groups, kernel}), b = random(rng, {8});
        Tensor image = random(rng, {2, 4, length, 5}), kernels = random(rng, {4, 4 / how.groups, kernel, 2});
        auto line = [&](const Vars& v) { return conv1d(v[0], v[1], v.size() > 2 ? v[2] : Var(), how); };
        auto plane = [&](const Vars& v) { return conv2d(v[0], v[1], v.size() > 2 ? v[2] : Var(), how); };
        Tensor expected = by_hand(raise(x), w.reshape({8, w.size(1), 1, kernel}), b, how, true);
        CHECK(close(line({x, w, b}).value(), expected.reshape({2, 8, -1}), loose));
        CHECK(close(plane({image, kernels}).value(), by_hand(image, kernels, {}, how), loose));
        CHECK(gradcheck(line, {x, w, b}) < gradient_tolerance);
        CHECK(gradcheck(plane, {image, kernels, b.slice(0, 0, 4)}) < gradient_tolerance);
      }
}

TEST_CASE("conv: views, constants and stretched gradients") {
  Rng rng(2);
  Convolution how{.stride = 2, .padding = 1};
  check_gradients([&](const Vars& v) { return conv1d(v[0], v[1], v[2], how); },
                  {random(rng, {2, 3, 6}), random(rng, {4, 3, 3}), random(rng, {4})});
  check_gradients([&](const Vars& v) { return conv2d(v[0], v[1], v[2], how); },
                  {random(rng, {2, 3, 5, 6}), random(rng, {4, 3, 3, 2}), random(rng, {4})});
  check_gradients([](const Vars& v) { return conv2d(v[0], v[1], v[2]); },
                  {random(rng, {2, 3, 2, 4}), random(rng, {4, 3, 1, 1}), random(rng, {4})});
}

TEST_CASE("conv: several blocks of positions and of channels give what loops give") {
  Rng rng(3);
  for (const Convolution& how : {Convolution{.padding = 1}, Convolution{.stride = 2, .padding = 2, .groups = 2}}) {
    Tensor x = random(rng, {3, 64, 37, 41}), w = random(rng, {6, 64 / how.groups, 3, 3}), b = random(rng, {6});
    Var image = Var::parameter(x), kernels = Var::parameter(w), bias = Var::parameter(b);
    Var y = conv2d(image, kernels, bias, how);
    CHECK(close(y.value(), by_hand(x, w, b, how), tolerance(1e-11, 2e-4)));
    // Both gradients of <y, seed> are linear in what they are not gradients of: <dx, x> = <dw, w> = <y - b, seed>.
    Tensor seed = random(rng, y.shape());
    y.backward(seed);
    auto dot = [](const Tensor& p, const Tensor& q) {
      return static_cast<double>(sum(map([](real s, real t) { return s * t; }, p, q)).item());
    };
    double expected = dot(by_hand(x, w, {}, how), seed);
    CHECK(close(dot(image.grad(), x), expected, loose));
    CHECK(close(dot(kernels.grad(), w), expected, loose));
    CHECK(close(dot(bias.grad(), b), dot(y.value(), seed) - expected, tolerance(1e-10, 1e-2)));
    // In a few places, numbers one by one.
    for (Size c : {Size(0), Size(63)}) {
      Tensor one(x.shape(), 0);
      one.mut()[((2 * 64 + c) * 37 + 18) * 41 + 20] = 1;
      CHECK(close(dot(image.grad(), one), dot(by_hand(one, w, {}, how), seed), loose));
    }
    for (Size c : {Size(0), w.size(1) - 1}) {
      Tensor one(w.shape(), 0);
      one.mut()[((5 * w.size(1) + c) * 3 + 2) * 3] = 1;
      CHECK(close(dot(kernels.grad(), one), dot(by_hand(x, one, {}, how), seed), loose));
    }
  }
}

TEST_CASE("conv: the same bits for any number of threads") {
  Rng rng(4);
  for (Size channels : {Size(2), Size(40)}) {
    Tensor x = random(rng, {5, channels, 20, 21}), w = random(rng, {16, channels, 3, 3});
    auto all = [&] {
      Var image = Var::parameter(x), kernels = Var::parameter(w);
      Var y = conv2d(image, kernels, {}, {.padding = 1});
      y.backward(y.value());
      return std::vector<Tensor>{y.value(), image.grad(), kernels.grad()};
    };
    std::vector<Tensor> one = with_threads(1, all), three = with_threads(3, all);
    for (std::size_t i = 0; i < one.size(); i++) CHECK(same_bits(one[i], three[i]));
  }
}

TEST_CASE("conv: cost, and memory that does not grow with the kernel") {
  Var x = Var::parameter(Tensor({2, 32, 64, 64}, 1)), w = Var::parameter(Tensor({8, 32, 5, 5}, 1));
  Size forward = 2 * 8 * 32 * 25 * 64 * 64, columns = 2 * 32 * 25 * 64 * 64;
  Tensor seed({2, 8, 64, 64}, 1);
  reset_counters();
  Size before = counters().live_bytes, bytes = static_cast<Size>(sizeof(real));
  Var y = conv2d(x, w, {}, {.padding = 2});
  CHECK(counters().multiply_adds == forward);
  y.backward(seed);
  CHECK(counters().multiply_adds >= 3 * forward);
  CHECK(counters().multiply_adds < 3 * forward + forward / 50);
  CHECK(counters().peak_bytes - before < (3 * x.numel() + columns / 8) * bytes);
}

TEST_CASE("fault 43: the backward pass with padding, stride and dilation") {
  Var x = Var::parameter(array({1, 1, 7}, {1, 2, 3, 4, 5, 6, 7})), w = Var::parameter(array({1, 1, 3}, {1, 0, -1}));
  Var y = conv1d(x, w, {}, {.stride = 2, .padding = 1, .dilation = 2});
  CHECK(close(y.value(), array({1, 1, 3}, {-4, -4, 4})));
  y.backward(array({1, 1, 3}, {1, 2, 3}));
  CHECK(close(x.grad(), array({1, 1, 7}, {0, 2, 0, 2, 0, -2, 0})));
  CHECK(close(w.grad(), array({1, 1, 3}, {16, 28, 16})));
}

TEST_CASE("conv: an empty batch") {
  Var x = Var::parameter(Tensor({0, 2, 5})), w = Var::parameter(Tensor({3, 2, 3}, 1)),
      b = Var::parameter(Tensor({3}, 1));
  Var y = conv1d(x, w, b);
  CHECK(y.shape() == Shape{0, 3, 3});
  sum(y).backward();
  CHECK(close(w.grad(), Tensor({3, 2, 3}, 0)));
  CHECK(close(b.grad(), Tensor({3}, 0)));
}

TEST_CASE("conv: golden") {
  Golden golden("conv.txt");
  auto how = [](const char* text) {
    std::string s = text;
    if (s.ends_with("plain")) return Convolution{};
    if (s.ends_with("strided")) return Convolution{.stride = 2, .padding = 1};
    if (s.ends_with("dilated")) return Convolution{.stride = 2, .padding = 3, .dilation = 2};
    return Convolution{.padding = 1, .groups = 2};
  };
  for (const char* name : {"conv1d.plain", "conv1d.strided", "conv1d.dilated", "conv1d.grouped"})
    check_golden(golden, name, {"x", "w", "b"}, [&](const Vars& v) { return conv1d(v[0], v[1], v[2], how(name)); });
  for (const char* name : {"conv2d.plain", "conv2d.strided", "conv2d.dilated", "conv2d.grouped"})
    check_golden(golden, name, {"x", "w", "b"}, [&](const Vars& v) { return conv2d(v[0], v[1], v[2], how(name)); });
}

TEST_CASE("conv: errors") {
  Var x = Tensor({2, 4, 5}, 1), w = Tensor({6, 4, 3}, 1);
  CHECK_THROWS_WITH(conv1d(Tensor({4, 5}, 1), w),
                    "heed: conv1d: expected 3 axes each, got (4, 5) and kernels (6, 4, 3)");
  CHECK_THROWS_WITH(conv2d(x, w), "heed: conv2d: expected 4 axes each, got (2, 4, 5) and kernels (6, 4, 3)");
  CHECK_THROWS_WITH(conv1d(x, Tensor({6, 3, 3}, 1)),
                    "heed: conv1d: input (2, 4, 5) and kernels (6, 3, 3) do not fit with 1 group");
  CHECK_THROWS_WITH(conv1d(x, w, {}, {.groups = 2}),
                    "heed: conv1d: input (2, 4, 5) and kernels (6, 4, 3) do not fit with 2 groups");
  CHECK_THROWS_WITH(conv1d(x, Tensor({3, 2, 3}, 1), {}, {.groups = 2}),
                    "heed: conv1d: input (2, 4, 5) and kernels (3, 2, 3) do not fit with 2 groups");
  CHECK_THROWS_WITH(conv1d(x, w, Tensor({4}, 1)), "heed: conv1d: expected a bias of shape (6), got (4)");
  CHECK_THROWS_WITH(conv1d(x, w, {}, {.dilation = 3}),
                    "heed: conv1d: a window of 3 with dilation 3 does not fit into a length of 5 with padding 0");
  CHECK_THROWS_WITH(conv1d(Tensor({2, 4, 0}), w, {}, {.padding = 2}),
                    "heed: conv1d: a window of 3 with dilation 1 does not fit into a length of 0 with padding 2");
  CHECK_THROWS_WITH(conv1d(x, w, {}, {.stride = 0}),
                    "heed: conv1d: expected stride > 0, padding >= 0 and dilation > 0, got 0, 0 and 1");
  CHECK_THROWS_AS(conv1d(x, w, {}, {.padding = -1}), Error);
  CHECK_THROWS_AS(conv1d(x, w, {}, {.groups = 0}), Error);
}

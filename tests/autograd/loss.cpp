// Tests of autograd/loss.cpp, and of cross_entropy from autograd/softmax.cpp.
#include "autograd/ops.hpp"

#include "tests/autograd/gradients.hpp"

using namespace heed;
using namespace heed::testing;

namespace {
using Vars = std::vector<Var>;
using Targets = std::vector<int>;

// Loss by its definition, in double: every class by itself.
double naive_cross_entropy(const Tensor& x, const Targets& targets, int ignore, double smooth) {
  Size classes = x.size(-1);
  double total = 0, count = 0;
  std::vector<real> values = x.to_vector();
  for (std::size_t row = 0; row < targets.size(); row++) {
    if (targets[row] == ignore) continue;
    auto at = [&](Size c) {
      return static_cast<double>(values[row * static_cast<std::size_t>(classes) + static_cast<std::size_t>(c)]);
    };
    double sum = 0;
    for (Size c = 0; c < classes; c++) sum += std::exp(at(c));
    for (Size c = 0; c < classes; c++) {
      double share = (c == targets[row] ? 1 - smooth : 0) + smooth / static_cast<double>(classes);
      total -= share * (at(c) - std::log(sum));
    }
    count++;
  }
  return count > 0 ? total / count : 0;
}
}  // namespace

TEST_CASE("cross_entropy: values against the definition") {
  Rng rng(1);
  Targets targets = {2, 0, -1, 4, 4, -1};
  for (double smooth : {0.0, 0.1, 1.0})
    for (int ignore : {-1, 4}) {
      Targets given = targets;
      if (ignore == 4)
        for (int& target : given) target = std::max(target, 0);
      Tensor x = random_view(rng, {2, 3, 5});
      CrossEntropy options{.ignore_index = ignore, .label_smoothing = smooth};
      CHECK(close(static_cast<double>(cross_entropy(x, given, options).item()),
                  naive_cross_entropy(x, given, ignore, smooth)));
      check_gradients([&](const Vars& v) { return cross_entropy(v[0], given, options); }, {random(rng, {2, 3, 5})});
    }
  CHECK(close(static_cast<double>(cross_entropy(Tensor({4}, 7), Targets{1}).item()), std::log(4.0)));
}

TEST_CASE("fault 3: well separated logits") {
  Tensor x = array({1, 3}, {-431, 279, 427});
  auto loss = [](const Var& v) { return cross_entropy(v, Targets{0}); };
  CHECK(close(static_cast<double>(loss(x).item()), 858, 1e-7));
  CHECK(close(gradient(loss, x), array({1, 3}, {-1, 0, 1}), 1e-7));
  auto second = [](const Var& v) { return cross_entropy(v, Targets{1}); };
  CHECK(second(array({1, 2}, {1000, 0})).item() == 1000);
  CHECK(close(gradient(second, array({1, 2}, {1000, 0})), array({1, 2}, {1, -1})));
  // Smoothing, and the long way round through log_softmax and gather.
  for (double size : {800.0, 1e4}) {
    Tensor y = array({2, 3}, {size, 0, -size, -size, -size, size});
    CHECK(all_finite(gradient(
        [](const Var& v) {
          return cross_entropy(v, Targets{2, 0}, {.label_smoothing = 0.1});
        },
        y)));
    CHECK(close(static_cast<double>(cross_entropy(y, Targets{2, 0}).item()), 2 * size, 1e-6));
    auto by_hand = [](const Var& v) { return -mean(gather(log_softmax(v), Targets{2, 0})); };
    CHECK(close(gradient(by_hand, y), gradient([](const Var& v) { return cross_entropy(v, Targets{2, 0}); }, y)));
  }
}

TEST_CASE("fault 5: targets that are all ignored give 0, and gradient 0") {
  Var x = Var::parameter(array({1, 3}, {1, 2, 3}));
  Var loss = cross_entropy(x, Targets{-1}),
      smooth = cross_entropy(x, Targets{7}, {.ignore_index = 7, .label_smoothing = 0.1});
  CHECK(loss.item() == 0);
  CHECK(smooth.item() == 0);
  (loss + smooth).backward();
  CHECK(close(x.grad(), Tensor({1, 3}, 0), 0, 1e-300));
  Tensor rows = array({2, 3}, {1, 2, 3, 1, 2, 3});
  auto mixed = [](const Var& v) { return cross_entropy(v, Targets{2, -1}); };
  CHECK(close(static_cast<double>(mixed(rows).item()), 0.40760596, 1e-7));
  CHECK(close(gradient(mixed, rows), array({2, 3}, {0.09003057, 0.24472847, -0.33475904, 0, 0, 0}), 1e-7));
  CHECK(cross_entropy(Tensor({0, 3}), Targets{}).item() == 0);
  // An ignored row may hold anything.
  Tensor wild = array({2, 3}, {1, 2, 3, not_a_number, infinity, 0});
  CHECK(close(static_cast<double>(mixed(wild).item()), 0.40760596, 1e-7));
  CHECK(close(gradient(mixed, wild), gradient(mixed, rows)));
}

TEST_CASE("cross_entropy: errors") {
  Var x = iota({2, 3});
  CHECK_THROWS_WITH(cross_entropy(x, Targets{0, 3}),
                    "heed: cross_entropy: target 3 is outside 0 to 2 and not ignore_index -1");
  CHECK_THROWS_WITH(cross_entropy(x, Targets{0, -1}, {.ignore_index = 5}),
                    "heed: cross_entropy: target -1 is outside 0 to 2 and not ignore_index 5");
  CHECK_THROWS_WITH(cross_entropy(x, Targets{0}), "heed: cross_entropy: logits (2, 3) need 2 targets, got 1");
  CHECK_THROWS_WITH(cross_entropy(Tensor({2, 0}), Targets{0, 0}),
                    "heed: cross_entropy: expected (..., C) with C > 0, got (2, 0)");
  CHECK_THROWS_WITH(cross_entropy(x, Targets{0, 1}, {.label_smoothing = 1.5}),
                    "heed: cross_entropy: label_smoothing must be in [0, 1], got 1.5");
}

TEST_CASE("binary_cross_entropy: values, gradients, extremes") {
  double l = std::log(2.0);
  CHECK(close(static_cast<double>(binary_cross_entropy(Tensor({3}, 0), array({3}, {0, 1, 0.3})).item()), l));
  double s = 1 / (1 + std::exp(-1.5));
  CHECK(close(static_cast<double>(binary_cross_entropy(array({1}, {1.5}), array({1}, {0.2})).item()),
              -0.2 * std::log(s) - 0.8 * std::log(1 - s)));
  Rng rng(2);
  Tensor targets = random(rng, {2, 3}, 0, 1);
  check_gradients([&](const Vars& v) { return binary_cross_entropy(v[0], targets); }, {random(rng, {2, 3}, -3, 3)});
  for (double x : {800.0, 1e4, 1e30}) {
    auto loss = [](const Var& v) { return binary_cross_entropy(v, array({4}, {1, 0, 1, 0})); };
    Tensor logits = array({4}, {x, -x, -x, x});
    CHECK(close(static_cast<double>(loss(logits).item()), x / 2, 1e-6));
    CHECK(close(gradient(loss, logits), array({4}, {0, 0, -0.25, 0.25})));
  }
  CHECK_THROWS_WITH(binary_cross_entropy(iota({2}), iota({3})),
                    "heed: binary_cross_entropy: logits (2) and targets (3) differ");
}

TEST_CASE("mse: values, gradients") {
  Var x = Var::parameter(array({2}, {1, 5})), target = Var::parameter(array({2}, {2, 2}));
  Var loss = mse(x, target);
  CHECK(loss.item() == 5);
  loss.backward();
  CHECK(close(x.grad(), array({2}, {-1, 3})));
  CHECK(close(target.grad(), array({2}, {1, -3})));
  Rng rng(3);
  check_binary([](const Vars& v) { return mse(v[0], v[1]); }, random(rng, {2, 3}), random(rng, {2, 3}));
  CHECK_THROWS_WITH(mse(iota({2}), iota({1})), "heed: mse: prediction (2) and target (1) differ");
}

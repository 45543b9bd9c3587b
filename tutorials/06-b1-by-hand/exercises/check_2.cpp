#include <doctest/doctest.h>

#include <cmath>

#include "tensor/rng.hpp"
#include EXERCISE

namespace {
std::vector<double> softmax(const std::vector<double>& alpha) {
  std::vector<double> weight;
  double total = 0;
  for (double a : alpha) weight.push_back(std::exp(a)), total += weight.back();
  for (double& w : weight) w /= total;
  return weight;
}
}  // namespace

TEST_CASE("06.2: softmax backward agrees with finite differences") {
  heed::Rng rng(1);
  for (std::size_t n : {std::size_t(1), std::size_t(2), std::size_t(5), std::size_t(40)}) {
    std::vector<double> alpha, g;  // the loss is the sum of g_j times weight_j
    for (std::size_t j = 0; j < n; j++) alpha.push_back(2 * rng.normal()), g.push_back(rng.normal());
    auto loss = [&](const std::vector<double>& scores) {
      double sum = 0;
      std::vector<double> weight = softmax(scores);
      for (std::size_t j = 0; j < n; j++) sum += g[j] * weight[j];
      return sum;
    };
    std::vector<double> found = softmax_backward(softmax(alpha), g);
    REQUIRE(found.size() == n);
    for (std::size_t j = 0; j < n; j++) {
      std::vector<double> up = alpha, down = alpha;
      up[j] += 1e-5, down[j] -= 1e-5;
      CHECK(std::abs(found[j] - (loss(up) - loss(down)) / 2e-5) < 1e-8);
    }
  }
}

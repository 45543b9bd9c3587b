#include <doctest/doctest.h>

#include <cmath>

#include "tensor/rng.hpp"
#include EXERCISE

TEST_CASE("10.1: layer normalisation backward agrees with finite differences") {
  heed::Rng rng(1);
  for (std::size_t n : {std::size_t(1), std::size_t(2), std::size_t(9)}) {
    std::vector<double> x, g;
    for (std::size_t c = 0; c < n; c++) x.push_back(3 + 2 * rng.normal()), g.push_back(rng.normal());
    auto loss = [&](const std::vector<double>& at) {  // sum of g times y
      double size = static_cast<double>(n), mean = 0, variance = 0, sum = 0;
      for (double v : at) mean += v / size;
      for (double v : at) variance += (v - mean) * (v - mean) / size;
      for (std::size_t c = 0; c < n; c++) sum += g[c] * (at[c] - mean) / std::sqrt(variance + 1e-5);
      return sum;
    };
    std::vector<double> found = norm_backward(x, g, 1e-5);
    REQUIRE(found.size() == n);
    for (std::size_t c = 0; c < n; c++) {
      std::vector<double> up = x, down = x;
      up[c] += 1e-5, down[c] -= 1e-5;
      CHECK(std::abs(found[c] - (loss(up) - loss(down)) / 2e-5) < 1e-6);
    }
  }
}

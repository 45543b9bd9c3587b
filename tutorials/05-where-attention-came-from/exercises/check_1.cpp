#include <doctest/doctest.h>

#include <cmath>

#include "tensor/rng.hpp"
#include EXERCISE

TEST_CASE("05.1: the mixture") {
  CHECK(std::abs(context({0, 0}, {4, 2}) - 3) < 1e-9);
  CHECK(std::abs(context({std::log(3), 0}, {4, 0}) - 3) < 1e-9);
  CHECK(std::abs(context({1000, 0, -1000}, {7, 1, 1}) - 7) < 1e-9);
}

TEST_CASE("05.1: its slopes agree with finite differences") {
  heed::Rng rng(1);
  std::vector<double> scores, values;
  for (int j = 0; j < 7; j++) scores.push_back(rng.normal()), values.push_back(3 * rng.normal());
  std::vector<double> found = slopes(scores, values);
  REQUIRE(found.size() == 7);
  auto mixture = [&](const std::vector<double>& s) {
    double total = 0, sum = 0;
    for (std::size_t j = 0; j < 7; j++) total += std::exp(s[j]), sum += std::exp(s[j]) * values[j];
    return sum / total;
  };
  for (std::size_t j = 0; j < 7; j++) {
    std::vector<double> up = scores, down = scores;
    up[j] += 1e-5, down[j] -= 1e-5;
    CHECK(std::abs(found[j] - (mixture(up) - mixture(down)) / 2e-5) < 1e-7);
  }
}

#include <doctest/doctest.h>

#include <cmath>
#include <heed.hpp>

#include EXERCISE

namespace {
double slope_of_attention(const heed::Pattern& pattern) {
  heed::Rng rng(1);
  std::vector<double> n, cost;
  for (heed::Size length = 256; length <= 1024; length *= 2) {
    heed::Eval eval;
    heed::Tensor q = rng.normal({1, 2, length, 16}, 1);
    heed::reset_counters();
    heed::attention(q, q, q, {.patterns = {pattern}});
    n.push_back(static_cast<double>(length));
    cost.push_back(static_cast<double>(heed::counters().multiply_adds));
  }
  return slope(n, cost);
}
}  // namespace

TEST_CASE("the slope of a power is its exponent, whatever stands before it") {
  for (double power : {0.5, 1.0, 1.5, 2.0})
    for (double factor : {0.01, 3.0, 1e6}) {
      std::vector<double> n{10, 30, 100, 1000}, cost;
      for (double x : n) cost.push_back(factor * std::pow(x, power));
      CHECK(std::abs(slope(n, cost) - power) < 1e-9);
    }
}

TEST_CASE("the best line, not the one through the ends") {
  CHECK(std::abs(slope({1, 10, 100}, {1, 100, 10}) - 0.5) < 1e-9);
  CHECK(std::abs(slope({1, 10, 100, 1000}, {1, 10, 10, 1000}) - 0.9) < 1e-9);
}

TEST_CASE("full attention has slope 2, a window slope 1") {
  CHECK(std::abs(slope_of_attention(heed::full()) - 2) < 0.05);
  CHECK(std::abs(slope_of_attention(heed::local(8)) - 1) < 0.1);
}

#include <doctest/doctest.h>

#include <cmath>

#include EXERCISE

TEST_CASE("08.3: how far a head looks") {
  auto near = [](double a, double b) { return std::abs(a - b) < 1e-12; };
  CHECK(near(mean_distance({{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}), 0));
  CHECK(near(mean_distance({{0, 1, 0}, {1, 0, 0}, {0, 1, 0}}), 1));
  CHECK(near(mean_distance({{0.5, 0, 0.5}, {0.25, 0.5, 0.25}, {0, 0, 1}}), 0.5));
  CHECK(near(mean_distance({{1}}), 0));
}

#include <doctest/doctest.h>

#include <cmath>

#include EXERCISE

TEST_CASE("small cases by hand") {
  CHECK(std::abs(most_frequent_share(1, 16) - 1) < 2e-3);
  CHECK(std::abs(most_frequent_share(2, 2) - 0.75) < 2e-3);
  CHECK(std::abs(most_frequent_share(3, 1) - 1) < 2e-3);
  CHECK(std::abs(most_frequent_share(3, 2) - 0.75) < 2e-3);
}

TEST_CASE("the task of the chapter") {
  double share = most_frequent_share(12, 16);
  CHECK(share > 0.212);
  CHECK(share < 0.218);
}

#include EXERCISE

#include <doctest/doctest.h>

#include <cmath>

TEST_CASE("count_nodes counts a shared value once") {
  Value x = 3;
  CHECK(count_nodes(x) == 1);
  CHECK(count_nodes(x + x) == 2);
  Value y = x * x;
  CHECK(count_nodes(y + y * x) == 4);
}

TEST_CASE("doubled") {
  CHECK(doubled(0) == 1);
  CHECK(doubled(1) == 2);
  CHECK(doubled(30) == std::pow(2., 30));
}

#include <doctest/doctest.h>

#include EXERCISE

TEST_CASE("the largest first") {
  CHECK(largest({0.1, 3, -2, 7}, 2) == std::vector<int>{3, 1});
  CHECK(largest({5}, 1) == std::vector<int>{0});
}

TEST_CASE("exactly k, also when scores are equal") {
  CHECK(largest({1, 2, 2, 2, 1}, 2) == std::vector<int>{1, 2});
  CHECK(largest({4, 4, 4}, 1) == std::vector<int>{0});
}

TEST_CASE("no more than there are") { CHECK(largest({1, 2}, 9) == std::vector<int>{1, 0}); }

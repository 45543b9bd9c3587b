#include EXERCISE

#include <doctest/doctest.h>

using Numbers = std::vector<double>;

TEST_CASE("rows") {
  CHECK(sum_rows({1, 2, 3, 4, 5, 6}, 2, 3) == Numbers{5, 7, 9});
  CHECK(sum_rows({1, 2, 3}, 1, 3) == Numbers{1, 2, 3});
}

TEST_CASE("columns") {
  CHECK(sum_columns({1, 2, 3, 4, 5, 6}, 2, 3) == Numbers{6, 15});
  CHECK(sum_columns({1, 2, 3}, 3, 1) == Numbers{1, 2, 3});
}

#include <doctest/doctest.h>

#include EXERCISE

TEST_CASE("four patches of a 4 x 4 image") {
  Rows image = {{0, 1, 2, 3}, {4, 5, 6, 7}, {8, 9, 10, 11}, {12, 13, 14, 15}};
  CHECK(cut(image, 2) == Rows{{0, 1, 4, 5}, {2, 3, 6, 7}, {8, 9, 12, 13}, {10, 11, 14, 15}});
}

TEST_CASE("one patch, single pixels, and an image that is no square") {
  Rows image = {{1, 2, 3, 4}, {5, 6, 7, 8}};
  CHECK(cut(image, 2) == Rows{{1, 2, 5, 6}, {3, 4, 7, 8}});
  CHECK(cut(image, 1).size() == 8);
  CHECK(cut({{1, 2}, {3, 4}}, 2) == Rows{{1, 2, 3, 4}});
}

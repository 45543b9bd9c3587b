#include <doctest/doctest.h>

#include EXERCISE

TEST_CASE("each cluster is a small full attention") {
  CHECK(cells({4, 4}) == 32);
  CHECK(cells({8}) == 64);
  CHECK(cells({7, 1}) == 50);
  CHECK(cells({}) == 0);
}

TEST_CASE("equal clusters cost least, unequal ones may cost nearly everything") {
  CHECK(fewest_cells(64, 8) == 512);
  CHECK(fewest_cells(10, 3) == 34);
  CHECK(fewest_cells(5, 8) == 5);
  CHECK(cells({57, 1, 1, 1, 1, 1, 1, 1}) > 6 * fewest_cells(64, 8));
}

#include <doctest/doctest.h>

#include EXERCISE

TEST_CASE("08.1: rows into heads and back") {
  using Numbers = std::vector<double>;
  CHECK(split({1, 2, 3, 4, 5, 6, 7, 8}, 2, 2, 2) == Numbers{1, 2, 5, 6, 3, 4, 7, 8});
  CHECK(split({1, 2, 3, 4, 5, 6}, 1, 3, 2) == Numbers{1, 2, 3, 4, 5, 6});
  CHECK(split({1, 2, 3, 4, 5, 6}, 3, 2, 1) == Numbers{1, 3, 5, 2, 4, 6});
  Numbers x;
  for (int i = 0; i < 5 * 3 * 4; i++) x.push_back(i);
  CHECK(merge({1, 2, 5, 6, 3, 4, 7, 8}, 2, 2, 2) == Numbers{1, 2, 3, 4, 5, 6, 7, 8});
  CHECK(merge(split(x, 5, 3, 4), 5, 3, 4) == x);
}

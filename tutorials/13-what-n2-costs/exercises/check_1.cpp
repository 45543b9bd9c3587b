#include <doctest/doctest.h>

#include <initializer_list>

#include EXERCISE

TEST_CASE("the two halves of a layer are equal at the crossing") {
  CHECK(crossing(64, 128) == 256);
  CHECK(crossing(512, 2048) == 3072);
  for (std::ptrdiff_t dim : {1, 7, 48, 300})
    for (std::ptrdiff_t hidden : {1, 10, 333}) {
      std::ptrdiff_t n = crossing(dim, hidden);
      CHECK(2 * n * n * dim == 4 * n * dim * dim + 2 * n * dim * hidden);
      CHECK(n > 0);
    }
}

#include EXERCISE

#include <doctest/doctest.h>

TEST_CASE("ceiling") {
  std::vector<Item> items{{2, true}, {4, true}, {6, true}, {2, false}};
  CHECK(ceiling({}, 3) == 0);
  CHECK(ceiling(items, 0) == doctest::Approx(75));
  CHECK(ceiling(items, 2) == doctest::Approx(100));
  items.push_back({8, false});
  CHECK(ceiling(items, 0) == doctest::Approx(60));
  CHECK(ceiling(items, 4) == doctest::Approx(80));
  CHECK(ceiling(items, 8) == doctest::Approx(100));
}

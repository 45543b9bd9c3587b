#include <doctest/doctest.h>

#include EXERCISE

TEST_CASE("05.2: hard attention") {
  CHECK(look_at({1, 3, 2}, {true, true, true}) == 1);
  CHECK(look_at({1, 3, 2}, {true, false, true}) == 2);
  CHECK(look_at({-5, -4}, {true, true}) == 1);
  CHECK(look_at({2, 2, 2}, {false, true, true}) == 1);
  CHECK(look_at({1e9, -1e9}, {false, true}) == 1);
  CHECK(look_at({1, 2}, {false, false}) == -1);
  CHECK(look_at({}, {}) == -1);
}

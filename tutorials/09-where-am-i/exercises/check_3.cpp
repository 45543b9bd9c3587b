#include <doctest/doctest.h>

#include EXERCISE

TEST_CASE("09.3: the gradient of learned positions") {
  Rows table = table_gradient({{{1, 2}, {3, 4}, {5, 6}}, {{10, 20}}, {{100, 200}, {300, 400}}}, 5, 2);
  CHECK(table == Rows{{111, 222}, {303, 404}, {5, 6}, {0, 0}, {0, 0}});
  CHECK(table_gradient({}, 2, 1) == Rows{{0}, {0}});
}

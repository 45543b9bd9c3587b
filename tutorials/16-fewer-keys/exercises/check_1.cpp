#include <doctest/doctest.h>

#include EXERCISE

TEST_CASE("one big value is enough, equal ones are all needed") {
  CHECK(values_for({10, 1, 1}, 0.9) == 1);
  CHECK(values_for(std::vector<double>(10, 3), 0.85) == 9);
  CHECK(values_for({4, 3}, 0.64) == 1);
  CHECK(values_for({4, 3}, 0.65) == 2);
}

TEST_CASE("all of it, none of it, and nothing at all") {
  CHECK(values_for({3, 2, 1}, 1) == 3);
  CHECK(values_for({3, 2, 1}, 0) == 0);
  CHECK(values_for({0, 0}, 0.9) == 0);
}

#include <doctest/doctest.h>

#include EXERCISE

TEST_CASE("layers of 3 see two pixels more each") {
  CHECK(receptive_field({}) == 1);
  CHECK(receptive_field({{3, 1}}) == 3);
  CHECK(receptive_field({{3, 1}, {3, 1}, {3, 1}}) == 7);
}

TEST_CASE("a stride makes all later layers see farther") {
  CHECK(receptive_field({{3, 2}, {3, 1}}) == 7);
  CHECK(receptive_field({{3, 1}, {3, 1}, {2, 2}, {3, 1}}) == 10);
  CHECK(receptive_field({{16, 16}}) == 16);
}

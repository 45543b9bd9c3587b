#include <doctest/doctest.h>

#include EXERCISE

TEST_CASE("05.3: what looking back costs") {
  CHECK(soft_attention(1, 1, 1) == 5);
  CHECK(soft_attention(16, 16, 48) == 3 * 16 * 48 * 48 + 2 * 16 * 16 * 48);
  CHECK(soft_attention(10, 1, 4) == 21 * 16 + 80);
  CHECK(soft_attention(1, 10, 4) == 12 * 16 + 80);
}

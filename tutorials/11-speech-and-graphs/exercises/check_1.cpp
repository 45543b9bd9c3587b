#include <doctest/doctest.h>

#include EXERCISE

TEST_CASE("a second at 16 kHz, windows of 25 ms every 10 ms") {
  CHECK(frames(16000, 400, 160) == 98);
  CHECK(frames(400, 400, 160) == 1);
  CHECK(frames(399, 400, 160) == 0);
  CHECK(frames(560, 400, 160) == 2);
}

TEST_CASE("each layer adds to the delay") {
  CHECK(delay(2, 6) == 12);
  CHECK(delay(12, 0) == 0);
}

#include EXERCISE

#include <doctest/doctest.h>

#include "models/data/frames.hpp"

using Numbers = std::vector<double>;

TEST_CASE("frames are those of the library at 16 samples a millisecond") {
  for (int ms : {0, 10, 24, 25, 34, 35, 100, 1000}) CHECK(frames(ms) == heed::frame_count(16 * ms));
}

TEST_CASE("mean") {
  CHECK(mean({{1, 2}}) == Numbers{1, 2});
  CHECK(mean({{1, 2}, {3, 6}}) == Numbers{2, 4});
}

TEST_CASE("the gradient of a mean") {
  CHECK(mean_backward({1, 2}, 1) == Numbers{1, 2});
  CHECK(mean_backward({1, 2}, 4) == Numbers{0.25, 0.5});
}

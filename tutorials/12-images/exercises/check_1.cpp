#include <doctest/doctest.h>

#include <cmath>
#include <numeric>

#include EXERCISE

TEST_CASE("all weight on the pixel that the head is for") {
  std::vector<double> w = head_weights(5, 6, 2, 3, -1, 1, 60);
  REQUIRE(w.size() == 30);
  CHECK(std::abs(w[1 * 6 + 4] - 1) < 1e-12);
  CHECK(std::abs(std::accumulate(w.begin(), w.end(), 0.0) - 1) < 1e-12);
}

TEST_CASE("beyond the border: the nearest pixels share it, not zeros") {
  std::vector<double> w = head_weights(4, 4, 0, 0, -1, 0, 60);
  CHECK(std::abs(w[0] - 1) < 1e-12);
  w = head_weights(1, 2, 0, 0, -1, 0, 2);
  CHECK(std::abs(w[0] - 1 / (1 + std::exp(-2.0))) < 1e-12);
}

TEST_CASE("not sharp at all: the mean of the image") {
  for (double w : head_weights(3, 3, 1, 1, 0, 0, 0)) CHECK(std::abs(w - 1.0 / 9) < 1e-12);
}

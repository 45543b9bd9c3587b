#include <doctest/doctest.h>

#include <cmath>

#include EXERCISE

TEST_CASE("each receiver's weights sum to 1, in the order of the edges") {
  std::vector<double> w = edge_softmax(4, {{0, 1}, {2, 0}, {0, 3}, {2, 1}, {2, 2}}, {0, 1, std::log(3.0), 1, 1});
  REQUIRE(w.size() == 5);
  CHECK(std::abs(w[0] - 0.25) < 1e-12);
  CHECK(std::abs(w[2] - 0.75) < 1e-12);
  for (std::size_t e : {1u, 3u, 4u}) CHECK(std::abs(w[e] - 1.0 / 3) < 1e-12);
}

TEST_CASE("large scores, and no edges at all") {
  std::vector<double> w = edge_softmax(2, {{0, 0}, {0, 1}, {1, 0}}, {800, -800, -800});
  REQUIRE(w.size() == 3);
  CHECK(std::abs(w[0] - 1) < 1e-12);
  CHECK(std::abs(w[1]) < 1e-12);
  CHECK(std::abs(w[2] - 1) < 1e-12);
  CHECK(edge_softmax(3, {}, {}).empty());
}

#include <doctest/doctest.h>

#include <cmath>

#include EXERCISE

namespace {
Rows made(std::size_t n, std::size_t width, double shift) {
  Rows rows(n, std::vector<double>(width));
  for (std::size_t i = 0; i < n; i++)
    for (std::size_t c = 0; c < width; c++)
      rows[i][c] = shift + std::sin(1.7 * static_cast<double>(i) + 2.3 * static_cast<double>(c) + shift);
  return rows;
}
}  // namespace

TEST_CASE("the same as weights in a causal matrix") {
  for (std::size_t n : {1u, 2u, 9u, 40u}) {
    Rows q = made(n, 5, 1.5), k = made(n, 5, 1.2), v = made(n, 3, 0);
    Rows out = recurrent(q, k, v);
    REQUIRE(out.size() == n);
    for (std::size_t i = 0; i < n; i++) {
      double total = 0;
      std::vector<double> sum(3);
      for (std::size_t j = 0; j <= i; j++) {
        double weight = 0;
        for (std::size_t m = 0; m < 5; m++) weight += q[i][m] * k[j][m];
        total += weight;
        for (std::size_t c = 0; c < 3; c++) sum[c] += weight * v[j][c];
      }
      for (std::size_t c = 0; c < 3; c++) CHECK(std::abs(out[i][c] - sum[c] / total) < 1e-9);
    }
  }
}

TEST_CASE("the first output is the first value") {
  Rows out = recurrent(made(4, 2, 1.5), made(4, 2, 1.5), {{7, -1}, {0, 0}, {0, 0}, {0, 0}});
  CHECK(std::abs(out[0][0] - 7) < 1e-12);
  CHECK(std::abs(out[0][1] + 1) < 1e-12);
}

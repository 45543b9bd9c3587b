#include <doctest/doctest.h>

#include <cmath>

#include EXERCISE

TEST_CASE("06.1: the table of b2") {
  const double a[4][3] = {{0, 1, 2}, {0, 1, 1}, {1, 0, 1}, {1, 0, 0}};
  const double wq[3][2] = {{-1, 1}, {-1, -1}, {1, 0}}, wk[3][2] = {{1, 0}, {-1, 1}, {1, 0}};
  const double wv[3][2] = {{2, 0}, {0, 1}, {1, 1}};
  auto times = [](const double* x, const double(&w)[3][2], int c) {
    return x[0] * w[0][c] + x[1] * w[1][c] + x[2] * w[2][c];
  };
  double q[2] = {times(a[1], wq, 0), times(a[1], wq, 1)}, share[4], total = 0, b[2] = {0, 0};
  for (std::size_t j = 0; j < 4; j++) {
    double alpha = q[0] * times(a[j], wk, 0) + q[1] * times(a[j], wk, 1);
    CHECK(std::abs(alpha2[j] - alpha) < 1e-3);
    total += share[j] = std::exp(alpha);
  }
  for (std::size_t j = 0; j < 4; j++) {
    CHECK(std::abs(weight2[j] - share[j] / total) < 1e-3);
    for (int c = 0; c < 2; c++) b[c] += share[j] / total * times(a[j], wv, c);
  }
  for (std::size_t c = 0; c < 2; c++) {
    CHECK(std::abs(q2[c] - q[c]) < 1e-3);
    CHECK(std::abs(b2[c] - b[c]) < 1e-3);
  }
}

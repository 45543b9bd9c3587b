#include EXERCISE

#include <doctest/doctest.h>

#include "tensor/rng.hpp"

using Numbers = std::vector<double>;

TEST_CASE("windows of three words") {
  CHECK(windows({1, 2, 3}, 3, 1, 1) == Numbers{0, 1, 2, 1, 2, 3, 2, 3, 0});
  CHECK(windows({1, 2, 3, 4}, 2, 2, 1) == Numbers{0, 0, 1, 2, 3, 4, 1, 2, 3, 4, 0, 0});
  CHECK(windows({1, 2, 3}, 3, 1, 0) == Numbers{1, 2, 3});
  CHECK(windows({5}, 1, 1, 2) == Numbers{0, 0, 5, 0, 0});
}

TEST_CASE("the gradient agrees with finite differences") {
  heed::Rng rng(3);
  const int N = 5, D = 2;
  for (int reach : {0, 1, 3, 7}) {
    Numbers x(N * D), g(static_cast<std::size_t>(N * D * (2 * reach + 1)));
    for (double& e : x) e = rng.normal();
    for (double& e : g) e = rng.normal();
    Numbers dx = windows_backward(g, N, D, reach);
    auto result = [&] {
      double sum = 0;
      Numbers y = windows(x, N, D, reach);
      for (std::size_t i = 0; i < y.size(); i++) sum += g[i] * y[i];
      return sum;
    };
    for (std::size_t i = 0; i < x.size(); i++) {
      x[i] += 0.5;
      double above = result();
      x[i] -= 1;
      double below = result();
      x[i] += 0.5;
      CHECK(dx[i] == doctest::Approx(above - below));
    }
  }
}

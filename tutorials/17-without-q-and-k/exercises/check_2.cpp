#include <doctest/doctest.h>

#include <cmath>

#include "autograd/ops.hpp"

#include EXERCISE

TEST_CASE("the library's transform") {
  heed::Rng rng(1);
  for (auto [n, d] : {std::pair{1, 1}, std::pair{2, 3}, std::pair{5, 4}, std::pair{8, 6}}) {
    heed::Tensor x = rng.normal({1, n, d}, 1), y = heed::fourier_mix(x).value();
    Rows rows(static_cast<std::size_t>(n), std::vector<double>(static_cast<std::size_t>(d)));
    for (int i = 0; i < n; i++)
      for (int c = 0; c < d; c++)
        rows[static_cast<std::size_t>(i)][static_cast<std::size_t>(c)] = static_cast<double>(x.at({0, i, c}));
    Rows mine = fourier(rows);
    REQUIRE(mine.size() == rows.size());
    for (int i = 0; i < n; i++)
      for (int c = 0; c < d; c++)
        CHECK(std::abs(mine[static_cast<std::size_t>(i)][static_cast<std::size_t>(c)] -
                       static_cast<double>(y.at({0, i, c}))) < 1e-4);
  }
}

TEST_CASE("everything at one place is spread over all") {
  Rows x(4, std::vector<double>(3));
  x[0][0] = 2;
  for (const std::vector<double>& row : fourier(x))
    for (double y : row) CHECK(std::abs(y - 2) < 1e-12);
}

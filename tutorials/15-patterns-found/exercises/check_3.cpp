#include <doctest/doctest.h>

#include <cmath>

#include EXERCISE

namespace {
void check_sums(const Rows& s, double rows_within, double columns_within) {
  for (std::size_t i = 0; i < s.size(); i++) {
    double row = 0, column = 0;
    for (std::size_t j = 0; j < s.size(); j++) {
      CHECK(s[i][j] >= 0);
      row += s[i][j], column += s[j][i];
    }
    CHECK(std::abs(row - 1) < rows_within);
    CHECK(std::abs(column - 1) < columns_within);
  }
}
}  // namespace

TEST_CASE("rows and columns sum to 1") {
  Rows scores(5, std::vector<double>(5));
  for (std::size_t i = 0; i < 5; i++)
    for (std::size_t j = 0; j < 5; j++)
      scores[i][j] = std::sin(3.0 * static_cast<double>(i * i) + 2.0 * static_cast<double>(j));
  check_sums(balanced(scores, 30), 1e-4, 1e-4);
  check_sums(balanced(scores, 1), 1, 1e-9);  // columns come last
}

TEST_CASE("a clear winner in each row and column becomes a permutation") {
  Rows s = balanced({{800, 0, -800}, {-800, 800, 0}, {0, -800, 800}}, 10);
  for (std::size_t i = 0; i < 3; i++) CHECK(std::abs(s[i][i] - 1) < 1e-9);
}

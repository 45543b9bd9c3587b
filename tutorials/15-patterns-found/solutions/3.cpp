#include <algorithm>
#include <cmath>
#include <vector>

using Rows = std::vector<std::vector<double>>;

Rows balanced(const Rows& scores, int rounds) {
  Rows s = scores;
  std::size_t n = s.size();
  auto at = [&](bool column, std::size_t line, std::size_t i) -> double& { return column ? s[i][line] : s[line][i]; };
  for (int round = 0; round < 2 * rounds; round++)
    for (std::size_t line = 0; line < n; line++) {
      bool column = round % 2 == 1;
      double largest = at(column, line, 0), total = 0;
      for (std::size_t i = 1; i < n; i++) largest = std::max(largest, at(column, line, i));
      for (std::size_t i = 0; i < n; i++) total += std::exp(at(column, line, i) - largest);
      for (std::size_t i = 0; i < n; i++) at(column, line, i) -= largest + std::log(total);
    }
  for (std::vector<double>& row : s)
    for (double& x : row) x = std::exp(x);
  return s;
}

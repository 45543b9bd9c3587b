#include <cmath>
#include <numbers>
#include <vector>

using Rows = std::vector<std::vector<double>>;

Rows fourier(const Rows& x) {
  std::size_t count = x.size(), width = x[0].size();
  Rows y(count, std::vector<double>(width));
  for (std::size_t n = 0; n < count; n++)
    for (std::size_t d = 0; d < width; d++)
      for (std::size_t j = 0; j < count; j++)
        for (std::size_t c = 0; c < width; c++) {
          double turns = static_cast<double>(n * j) / static_cast<double>(count) +
                         static_cast<double>(d * c) / static_cast<double>(width);
          y[n][d] += x[j][c] * std::cos(2 * std::numbers::pi * turns);
        }
  return y;
}

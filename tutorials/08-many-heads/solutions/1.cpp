// Exercise 08.1: component c of head h at place n stands at n H d + h d + c in the one, at h N d + n d + c in the
// other.
#include <cstddef>
#include <vector>

std::vector<double> split(const std::vector<double>& x, std::size_t places, std::size_t heads, std::size_t width) {
  std::vector<double> y;
  for (std::size_t h = 0; h < heads; h++)
    for (std::size_t n = 0; n < places; n++)
      for (std::size_t c = 0; c < width; c++) y.push_back(x[n * heads * width + h * width + c]);
  return y;
}

std::vector<double> merge(const std::vector<double>& y, std::size_t places, std::size_t heads, std::size_t width) {
  std::vector<double> x;
  for (std::size_t n = 0; n < places; n++)
    for (std::size_t h = 0; h < heads; h++)
      for (std::size_t c = 0; c < width; c++) x.push_back(y[h * places * width + n * width + c]);
  return x;
}

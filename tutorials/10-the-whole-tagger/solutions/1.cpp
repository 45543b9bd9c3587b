// Exercise 10.1: the way back through layer normalisation, for one vector, without gain and bias.
#include <cmath>
#include <cstddef>
#include <vector>

std::vector<double> norm_backward(const std::vector<double>& x, const std::vector<double>& dy, double eps) {
  double n = static_cast<double>(x.size()), mean = 0, variance = 0, mean_dy = 0, mean_product = 0;
  for (double v : x) mean += v / n;
  for (double v : x) variance += (v - mean) * (v - mean) / n;
  double scale = 1 / std::sqrt(variance + eps);
  for (std::size_t c = 0; c < x.size(); c++) {
    mean_dy += dy[c] / n;
    mean_product += dy[c] * (x[c] - mean) * scale / n;
  }
  std::vector<double> dx;
  for (std::size_t c = 0; c < x.size(); c++)
    dx.push_back(scale * (dy[c] - mean_dy - (x[c] - mean) * scale * mean_product));
  return dx;
}

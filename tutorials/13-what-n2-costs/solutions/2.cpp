#include <cmath>
#include <vector>

// Σ (x - mean x)(y - mean y) / Σ (x - mean x)², with x = log n and y = log cost.
double slope(const std::vector<double>& n, const std::vector<double>& cost) {
  double count = static_cast<double>(n.size()), x = 0, y = 0, xy = 0, xx = 0;
  for (std::size_t i = 0; i < n.size(); i++) x += std::log(n[i]) / count, y += std::log(cost[i]) / count;
  for (std::size_t i = 0; i < n.size(); i++) {
    xy += (std::log(n[i]) - x) * (std::log(cost[i]) - y);
    xx += (std::log(n[i]) - x) * (std::log(n[i]) - x);
  }
  return xy / xx;
}

// Exercise 09.2: from one sinusoidal position to another.
#include <cmath>
#include <cstddef>
#include <vector>

std::vector<double> moved(const std::vector<double>& e, int distance) {
  std::vector<double> result;
  for (std::size_t c = 0; c + 1 < e.size(); c += 2) {
    double angle = distance / std::pow(10000, static_cast<double>(c) / static_cast<double>(e.size()));
    result.push_back(e[c] * std::cos(angle) + e[c + 1] * std::sin(angle));
    result.push_back(e[c + 1] * std::cos(angle) - e[c] * std::sin(angle));
  }
  return result;
}

#include <vector>

// The slope of the best straight line through the points (log n, log cost).
double slope(const std::vector<double>& n, const std::vector<double>& cost) {
  (void)n, (void)cost;
  return 0;  // TODO
}

// Exercise 09.2: from one sinusoidal position to another.
#include <cstddef>
#include <vector>

// e = (sin w0 i, cos w0 i, sin w1 i, cos w1 i, ...) with frequencies w_c = 10000^(-2c / e.size()) and an i that is not
// given. Returns the same vector for place i + distance, by turning each pair.
std::vector<double> moved(const std::vector<double>& e, int distance) {
  // TODO: sin(x + y) = sin x cos y + cos x sin y, cos(x + y) = cos x cos y - sin x sin y.
  (void)distance;
  return e;
}

// Exercise 10.1: the way back through layer normalisation, for one vector, without gain and bias.
#include <vector>

// y = (x - mean) / sqrt(variance + eps), the variance divided by the number of components. Takes the gradient by y,
// returns that by x.
std::vector<double> norm_backward(const std::vector<double>& x, const std::vector<double>& dy, double eps) {
  // TODO
  (void)x, (void)eps;
  return dy;
}

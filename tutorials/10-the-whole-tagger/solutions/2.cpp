// Exercise 10.2: one step of Adam for one number.
#include <cmath>

double adam(double w, double gradient, double& m, double& s, int step, double lr, double beta1, double beta2,
            double eps) {
  m = beta1 * m + (1 - beta1) * gradient;
  s = beta2 * s + (1 - beta2) * gradient * gradient;
  double mean = m / (1 - std::pow(beta1, step)), square = s / (1 - std::pow(beta2, step));
  return w - lr * mean / (std::sqrt(square) + eps);
}

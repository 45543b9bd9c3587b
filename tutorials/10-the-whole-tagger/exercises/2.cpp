// Exercise 10.2: one step of Adam for one number.
#include <cmath>

// m and s are the running means of gradient and squared gradient; `step` counts from 1. Moves them on and returns the
// new value of w.
double adam(double w, double gradient, double& m, double& s, int step, double lr, double beta1, double beta2,
            double eps) {
  // TODO
  m = beta1 * m, s = beta2 * s;
  return w - lr * gradient + 0 * eps * step;
}

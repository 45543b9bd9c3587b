#include <functional>
#include <vector>

inline double nudge(const std::function<double(const std::vector<double>&)>& f, std::vector<double> x, std::size_t i,
                    double step) {
  double here = x[i];
  x[i] = here + step;
  double above = f(x);
  x[i] = here - step;
  return (above - f(x)) / (2 * step);
}

inline long evaluations(long n) { return 2 * n; }

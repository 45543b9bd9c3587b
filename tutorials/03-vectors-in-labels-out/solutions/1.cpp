#include <vector>

inline std::vector<double> one_hot(int id, int size) {
  std::vector<double> x(static_cast<std::size_t>(size));
  x[static_cast<std::size_t>(id)] = 1;
  return x;
}

inline double inner_product(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); i++) sum += a[i] * b[i];
  return sum;
}

inline std::vector<double> times_table(const std::vector<double>& x, const std::vector<std::vector<double>>& table) {
  std::vector<double> y(table[0].size());
  for (std::size_t i = 0; i < x.size(); i++)
    for (std::size_t d = 0; d < y.size(); d++) y[d] += x[i] * table[i][d];
  return y;
}

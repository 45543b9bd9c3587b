// Exercise 1: one-hot vectors.
#include <vector>

// `size` numbers, 1 in place `id` and 0 elsewhere.
inline std::vector<double> one_hot(int id, int size) {
  return {};  // TODO
}

inline double inner_product(const std::vector<double>& a, const std::vector<double>& b) {
  return -1;  // TODO
}

// The vector times the table (size, dim), which is given row by row.
inline std::vector<double> times_table(const std::vector<double>& x, const std::vector<std::vector<double>>& table) {
  return {};  // TODO
}

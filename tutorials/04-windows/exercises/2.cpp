// Exercise 2: windows, and their gradient.
#include <vector>

// x (N, D) row by row -> (N, (2 reach + 1) D): each row with its `reach` neighbours on each side, the earliest first,
// zeros beyond the ends.
inline std::vector<double> windows(const std::vector<double>& x, int N, int D, int reach) {
  return std::vector<double>(static_cast<std::size_t>(N * (2 * reach + 1) * D));  // TODO
}

// From the gradient g of the windows that of x.
inline std::vector<double> windows_backward(const std::vector<double>& g, int N, int D, int reach) {
  return std::vector<double>(static_cast<std::size_t>(N * D));  // TODO
}

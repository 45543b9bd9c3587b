// Exercise 1: the three gradients of Y = X W + b, with loops. All matrices are row by row.
#include <vector>

struct Gradients {
  std::vector<double> x, w, b;  // (N, I), (I, O), (O)
};

// x (N, I), w (I, O), and dy (N, O), the gradient of the result with respect to Y.
inline Gradients linear_backward(const std::vector<double>& x, const std::vector<double>& w,
                                 const std::vector<double>& dy, std::size_t N, std::size_t I, std::size_t O) {
  Gradients g{std::vector<double>(N * I), std::vector<double>(I * O), std::vector<double>(O)};
  return g;  // TODO
}

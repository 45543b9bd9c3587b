#include <vector>

struct Gradients {
  std::vector<double> x, w, b;  // (N, I), (I, O), (O)
};

inline Gradients linear_backward(const std::vector<double>& x, const std::vector<double>& w,
                                 const std::vector<double>& dy, std::size_t N, std::size_t I, std::size_t O) {
  Gradients g{std::vector<double>(N * I), std::vector<double>(I * O), std::vector<double>(O)};
  for (std::size_t n = 0; n < N; n++)
    for (std::size_t o = 0; o < O; o++) {
      for (std::size_t i = 0; i < I; i++) {
        g.x[n * I + i] += dy[n * O + o] * w[i * O + o];
        g.w[i * O + o] += x[n * I + i] * dy[n * O + o];
      }
      g.b[o] += dy[n * O + o];
    }
  return g;
}

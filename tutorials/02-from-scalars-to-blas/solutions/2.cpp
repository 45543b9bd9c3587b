#include <vector>

inline std::vector<double> sum_rows(const std::vector<double>& g, std::size_t N, std::size_t O) {
  std::vector<double> sum(O);
  for (std::size_t n = 0; n < N; n++)
    for (std::size_t o = 0; o < O; o++) sum[o] += g[n * O + o];
  return sum;
}

inline std::vector<double> sum_columns(const std::vector<double>& g, std::size_t N, std::size_t O) {
  std::vector<double> sum(N);
  for (std::size_t n = 0; n < N; n++)
    for (std::size_t o = 0; o < O; o++) sum[n] += g[n * O + o];
  return sum;
}

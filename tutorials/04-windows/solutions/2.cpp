#include <vector>

// Calls f(place in windows, place in x) for every number that is copied.
template <class F>
void each_copy(int N, int D, int reach, const F& f) {
  for (int n = 0; n < N; n++)
    for (int k = -reach; k <= reach; k++)
      for (int d = 0; d < D && n + k >= 0 && n + k < N; d++)
        f(static_cast<std::size_t>((n * (2 * reach + 1) + k + reach) * D + d),
          static_cast<std::size_t>((n + k) * D + d));
}

inline std::vector<double> windows(const std::vector<double>& x, int N, int D, int reach) {
  std::vector<double> y(static_cast<std::size_t>(N * (2 * reach + 1) * D));
  each_copy(N, D, reach, [&](std::size_t to, std::size_t from) { y[to] = x[from]; });
  return y;
}

inline std::vector<double> windows_backward(const std::vector<double>& g, int N, int D, int reach) {
  std::vector<double> dx(static_cast<std::size_t>(N * D));
  each_copy(N, D, reach, [&](std::size_t to, std::size_t from) { dx[from] += g[to]; });
  return dx;
}

#include <vector>

inline int frames(int milliseconds) { return milliseconds < 25 ? 0 : 1 + (milliseconds - 25) / 10; }

inline std::vector<double> mean(const std::vector<std::vector<double>>& x) {
  std::vector<double> y(x[0].size());
  for (const std::vector<double>& v : x)
    for (std::size_t d = 0; d < y.size(); d++) y[d] += v[d] / static_cast<double>(x.size());
  return y;
}

inline std::vector<double> mean_backward(const std::vector<double>& g, int n) {
  std::vector<double> dx;
  for (double e : g) dx.push_back(e / n);
  return dx;
}

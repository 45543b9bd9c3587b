#include <vector>

using Rows = std::vector<std::vector<double>>;

// FNet's mixing: y[n][d] = Σ_j Σ_c x[j][c] cos(2π (n j / N + d c / D)), the real part of a Fourier transform over
// positions and channels.
Rows fourier(const Rows& x) {
  return Rows(x.size(), std::vector<double>(x[0].size()));  // TODO
}

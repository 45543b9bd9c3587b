#include "nn/position/sinusoidal.hpp"

#include <algorithm>
#include <cmath>

namespace HEED_NAMESPACE {

Tensor sinusoidal_positions(Size length, Size dim, Size first) {
  Size pairs = (dim + 1) / 2;
  std::vector<double> rates(static_cast<std::size_t>(pairs));
  for (std::size_t i = 0; i < rates.size(); i++)
    rates[i] = std::pow(10000.0, static_cast<double>(2 * i) / static_cast<double>(dim));
  auto turns = [&](Size position) {  // sine and cosine in turn
    std::vector<double> out;
    for (double rate : rates) {
      double angle = static_cast<double>(position) / rate;
      out.push_back(std::sin(angle)), out.push_back(std::cos(angle));
    }
    return out;
  };
  // An angle is that of the last multiple of 64 plus a rest: 64 times fewer sines than positions, since layers make
  // this table anew for every batch.
  constexpr Size block = 64;
  auto below = [](Size p) { return (p >= 0 ? p : p - block + 1) / block; };
  std::vector<std::vector<double>> coarse;
  for (Size b = below(first); b * block < first + length; b++) coarse.push_back(turns(b * block));
  Tensor table({length, dim});
  real* out = table.mut();
  for (Size r = 0; r < std::min(block, length); r++) {
    std::vector<double> fine = turns(first + r - below(first + r) * block);
    for (Size p = r; p < length; p += block) {
      const double *a = coarse[static_cast<std::size_t>(below(first + p) - below(first))].data(), *b = fine.data();
      real* row = out + p * dim;
      for (Size c = 0; c < dim; c += 2) {
        row[c] = static_cast<real>(a[c] * b[c + 1] + a[c + 1] * b[c]);
        if (c + 1 < dim) row[c + 1] = static_cast<real>(a[c + 1] * b[c + 1] - a[c] * b[c]);
      }
    }
  }
  return table;
}

}  // namespace HEED_NAMESPACE

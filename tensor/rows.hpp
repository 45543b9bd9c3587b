// rows.hpp — loops along one row of numbers that several operations need: largest, exponentials, product, dropout.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

#include "tensor/math.hpp"

namespace HEED_NAMESPACE::kernel {

/// The score of what is not kept.
constexpr real none = -std::numeric_limits<real>::infinity();

/// The largest of n numbers; -infinity for none. NaN is passed over.
inline real row_max(const real* x, Size n) {
  constexpr real lowest = std::numeric_limits<real>::lowest();
  real best = none;
#pragma omp simd reduction(max : best)
  for (Size i = 0; i < n; i++) best = x[i] > best ? x[i] : best;
  // Some compilers start the partial maxima at the lowest finite number, which would hide that all are -infinity.
  if (best == lowest && std::all_of(x, x + n, [](real v) { return v == none; })) return none;
  return best;
}

/// y = e^(x - shift); returns the sum.
inline real exp_row(const real* x, real shift, real* y, Size n) {
  real total = 0;
#pragma omp simd reduction(+ : total)
  for (Size i = 0; i < n; i++) {
    y[i] = exp(x[i] - shift);
    total += y[i];
  }
  return total;
}

inline real dot_row(const real* x, const real* y, Size n) {
  real total = 0;
#pragma omp simd reduction(+ : total)
  for (Size i = 0; i < n; i++) total += x[i] * y[i];
  return total;
}

inline void scale_row(real* x, real scale, Size n) {
#pragma omp simd
  for (Size i = 0; i < n; i++) x[i] *= scale;
}

/// Multiplies by `scale` or 0. Whether number i is kept is a hash of first + i and the key, so that forward and
/// backward agree without a stored pattern, whatever thread works on it. 32-bit counters, like the hash, so that
/// vectors hold as many of both. in and out may be the same.
inline void drop_row(const real* in, real* out, std::uint32_t first, int count, std::uint32_t key,
                     std::uint32_t threshold, real scale) {
#pragma omp simd
  for (int i = 0; i < count; i++) {
    std::uint32_t h = (first + static_cast<std::uint32_t>(i)) * 0x9e3779b9u ^ key;
    h = (h ^ h >> 16) * 0x21f0aaadu;
    h = (h ^ h >> 15) * 0x735a2d97u;
    h ^= h >> 15;
    real kept = in[i] * scale;
    out[i] = h >= threshold ? kept : 0;
  }
}

}  // namespace HEED_NAMESPACE::kernel

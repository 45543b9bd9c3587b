// sinusoidal.hpp — positions made by hand: sines and cosines of falling frequency.
#pragma once

#include "autograd/ops.hpp"

namespace HEED_NAMESPACE {

/// PE[p, 2i] = sin(p / 10000^(2i/D)), PE[p, 2i+1] = cos(the same): (length, dim), rows from position `first` on. Any
/// length; for an odd dim the last column is a sine. A row depends on its position alone, to the bit. Vaswani et al.
/// 2017, arXiv 1706.03762.
Tensor sinusoidal_positions(Size length, Size dim, Size first = 0);

/// x + PE: (B, N, D) -> (B, N, D), no parameters.
struct SinusoidalPositions {
  Var operator()(const Var& x) const {
    check(x.rank() >= 2, "SinusoidalPositions", "expected (..., N, D), got ", x.shape());
    return x + sinusoidal_positions(x.size(-2), x.size(-1));
  }
};

}  // namespace HEED_NAMESPACE

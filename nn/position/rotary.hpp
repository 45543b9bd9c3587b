// rotary.hpp — positions as rotations of queries and keys (RoPE).
#pragma once

#include "autograd/var.hpp"

namespace HEED_NAMESPACE {

/// Channels (2i, 2i+1) of the row at position p turned by the angle p / 10000^(2i/d): (..., N, d) -> (..., N, d), row n
/// at p = first + n. Of queries and keys turned so, the product depends on their distance only; lengths stay. An odd d
/// leaves the last channel as it is. Not the layout that pairs channel i with i + d/2: weights trained for one do not
/// fit the other. O(numel); saves a table (N, d) of sines and cosines, and not x. The result lies in memory as x does.
/// Throws Error for a rank below 2. Su et al. 2021, arXiv 2104.09864.
Var rotary(const Var& x, Size first = 0);

}  // namespace HEED_NAMESPACE

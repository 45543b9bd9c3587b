// alibi.hpp — attention that fades with distance, by a slope of its own for each head.
#pragma once

#include <cmath>
#include <vector>

#include "tensor/error.hpp"
#include "tensor/real.hpp"

namespace HEED_NAMESPACE {

/// m_h = 2^(-8 (h+1) / heads) for AttentionOptions::slopes, which subtracts m_h |p - j| from the scaled scores; no
/// other positions are needed, and longer sequences than in training fit. For numbers of heads that are no power of two
/// the paper takes slopes of the next ones in turn; this is the plain formula. Throws Error unless heads > 0. Press,
/// Smith, Lewis 2021, arXiv 2108.12409.
inline std::vector<real> alibi_slopes(Size heads) {
  check(heads > 0, "alibi_slopes", "expected a number of heads, got ", heads);
  std::vector<real> slopes;
  for (Size h = 1; h <= heads; h++)
    slopes.push_back(static_cast<real>(std::exp2(-8 * static_cast<double>(h) / static_cast<double>(heads))));
  return slopes;
}

}  // namespace HEED_NAMESPACE

// schedule.hpp — the learning rate as a function of the step, counted from 0. Assign the result to Optimizer::lr.
#pragma once

#include <algorithm>
#include <cmath>
#include <numbers>

#include "tensor/error.hpp"
#include "tensor/real.hpp"

namespace HEED_NAMESPACE {

struct WarmupCosine {  ///< Choices for warmup_cosine().
  double base = 1e-3;  ///< the highest rate
  Size warmup = 0;     ///< steps of rise; the first step already gets base / warmup
  Size total = 1000;   ///< step at which the floor is reached
  double floor = 0;    ///< share of base that is left at the end
};

/// base (s+1)/W for s < W, then base (f + (1-f) (1 + cos π(s-W)/(T-W)) / 2) (Loshchilov, Hutter 2016, arXiv
/// 1608.03983).
inline double warmup_cosine(Size step, const WarmupCosine& o) {
  if (step < o.warmup) return o.base * static_cast<double>(step + 1) / static_cast<double>(o.warmup);
  double span = static_cast<double>(std::max<Size>(1, o.total - o.warmup));
  double progress = std::min(1.0, static_cast<double>(step - o.warmup) / span);
  return o.base * (o.floor + (1 - o.floor) * 0.5 * (1 + std::cos(std::numbers::pi * progress)));
}

/// D^-½ min((s+1)^-½, (s+1) W^-1.5): linear rise, then the inverse square root (Vaswani et al. 2017, arXiv 1706.03762).
/// Throws Error unless dim and warmup are positive.
inline double noam(Size step, Size dim, Size warmup) {
  check(dim > 0 && warmup > 0, "noam", "dim and warmup must be positive, got ", dim, " and ", warmup);
  double s = static_cast<double>(step + 1);
  return 1 / std::sqrt(static_cast<double>(dim)) *
         std::min(1 / std::sqrt(s), s * std::pow(static_cast<double>(warmup), -1.5));
}

}  // namespace HEED_NAMESPACE

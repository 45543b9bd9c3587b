// pooling.hpp — one vector for a whole sequence: N -> 1. Padded positions never count; of nothing, the result is 0.
#pragma once

#include "autograd/ops.hpp"

namespace HEED_NAMESPACE {

/// Mean over the kept positions: (B, N, D) and mask (B, N) -> (B, D).
Var masked_mean(const Var& x, const Mask& key_padding_mask = {});
/// Largest value over the kept positions, for each feature: (B, N, D) and mask (B, N) -> (B, D).
Var masked_max(const Var& x, const Mask& key_padding_mask = {});

}  // namespace HEED_NAMESPACE

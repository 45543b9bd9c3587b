// padding.hpp — what mixers without a masked softmax do with padding: it is zero before anything sums over positions.
#pragma once

#include "nn/module.hpp"

namespace HEED_NAMESPACE {

/// x (B, N, D) with 0 in the rows that key_padding_mask (B, N), true = a real position, does not keep. Throws Error in
/// the name of `layer` unless N > 0 and the shapes fit.
inline Var zero_padding(const char* layer, const Var& x, const Mask& key_padding_mask) {
  check_sequence(layer, x);
  if (!key_padding_mask.defined()) return x;
  Shape rows{x.size(0), x.size(1)};
  check(key_padding_mask.shape() == rows, layer, "expected a key_padding_mask of shape ", rows, ", got ",
        key_padding_mask.shape());
  return masked_fill(x, key_padding_mask.reshape(rows.insert(-1, 1)), 0);
}

/// Throws Error in the name of `layer` when x is longer than the weights, which are learned for each position.
inline void check_length(const char* layer, Size n, Size length) {
  check(n <= length, layer, "a sequence of ", n, " positions, but the weights are for ", length);
}

}  // namespace HEED_NAMESPACE

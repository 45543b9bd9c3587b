// local_p.hpp — soft attention through a window whose place is predicted.
#pragma once

#include "nn/linear.hpp"

namespace HEED_NAMESPACE {

/// Luong's local-p. p_t = L σ(w_p · tanh(s_t W_p)), L real keys; of the keys j with |j - p_t| <= reach, a_j =
/// softmax_j(s_t W · h_j) exp(-(j - p_t)² / 2σ²), σ = reach / 2; y_t = Σ_j a_j h_j, so the weights sum to less than 1.
/// Which keys are in the window has no gradient, the Gaussian has. Queries s (B, Nq, D), keys h (B, Nk, D) -> (B, Nq,
/// D). O(Nq reach D) time and memory, whatever Nk. Luong, Pham, Manning 2015, arXiv 1508.04025.
struct LocalPredictedAttention : Module {
  Size reach;           ///< keys to each side of p_t
  Linear place, score;  ///< W_p and W, (D) -> (D)
  Var w;                ///< w_p, (D)
  /// Throws Error unless reach > 0.
  LocalPredictedAttention(Size dim, Size window_reach, Rng& rng);
  /// `key_padding_mask` (B, Nk), true = a real position; real positions come first.
  Var operator()(const Var& s, const Var& memory, const Mask& key_padding_mask = {}) const;
};

}  // namespace HEED_NAMESPACE

// reorder.hpp — φ(q) (φ(k)' v) instead of (φ(q) φ(k)') v: the product that costs N instead of N².
#pragma once

#include "autograd/ops.hpp"

namespace HEED_NAMESPACE {

struct LinearAttentionOptions {  ///< Choices for linear_attention().
  bool causal = false;           ///< position i sees only j <= i
  bool divide = true;            ///< by Σ_j φ(q_i) · φ(k_j); a sum of 0 gives an output of 0
  real eps = 0;                  ///< added to that sum
  real least = 0;                ///< a smaller sum counts as this one, without gradient; 0: none
  /// Causal only: (B, H, N), logarithms of what each position leaves of all before it, at most 0.
  Var decay = {};
  /// Causal under Eval only: what the positions before these have left, (B, H, M, dv), with a column more when divided;
  /// undefined at the start. It is moved on.
  Tensor* state = nullptr;
};

/// Attention whose weights are products of features: y_i = Σ_j (φ(q_i) · φ(k_j)) v_j / Σ_j φ(q_i) · φ(k_j), computed as
/// φ(q_i)' S / φ(q_i)' z with S = Σ_j φ(k_j) v_j' and z = Σ_j φ(k_j). Features (B, H, Nq, M) and (B, H, Nk, M), of a
/// key that does not count zeros; values (B, H, Nk, dv) -> (B, H, Nq, dv), laid out as (B, Nq, H, dv), so that
/// merge_heads() is free. Any layout is read where it lies. Causal: sums run along chunks of positions, and inside a
/// chunk the small matrix is made; with a decay, S_i = e^decay_i S_{i-1} + φ(k_i) v_i'. Gradients run the same way
/// backward. O(N M dv) time; memory O(N (M + dv)), forward and backward. Throws Error when shapes do not fit.
/// Katharopoulos, Vyas, Pappas, Fleuret 2020, arXiv 2006.16236; chunks: Hua et al. 2022, arXiv 2202.10447.
Var linear_attention(const Var& query_features, const Var& key_features, const Var& values,
                     const LinearAttentionOptions& options = {});

}  // namespace HEED_NAMESPACE

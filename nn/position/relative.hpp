// relative.hpp — a learned vector for each distance between query and key.
#pragma once

#include "nn/attention/attention.hpp"
#include "nn/init.hpp"
#include "nn/module.hpp"

namespace HEED_NAMESPACE {

/// Attention with s_ij = q_i · (k_j + K_r) / √d and outputs Σ_j w_ij (v_j + V_r), r = clamp(j - p, -reach, reach) +
/// reach for a query at position p: tables K (2 reach + 1, d) and V (2 reach + 1, dv), Xavier, shared by all heads and
/// batches. (B, H, Nq, d), (B, H, Nk, d), (B, H, Nk, dv) -> (B, H, Nq, dv). Never an (N, N, d) array: q Kᵀ comes first,
/// O(N reach d), the kernel picks from its rows and sums weights by r, and those sums are multiplied by V. Memory is
/// linear in N. Vectors of distances that do not occur get no gradient. Throws Error as attention() does, and for a
/// negative reach. Shaw, Uszkoreit, Vaswani 2018, arXiv 1803.02155.
struct RelativePositions : Module {
  Size reach;        ///< farther keys count as this far
  Var keys, values;  ///< (2 reach + 1, d) and (2 reach + 1, dv)
  RelativePositions(Size key_dim, Size value_dim, Rng& rng, Size farthest = 16)
      : reach(checked(farthest)),
        keys(param("keys", xavier_uniform({2 * reach + 1, key_dim}, rng))),
        values(param("values", xavier_uniform({2 * reach + 1, value_dim}, rng))) {}

  Var operator()(const Var& q, const Var& k, const Var& v, AttentionOptions options = {}) const {
    options.relative = matmul(q, transpose(keys));
    Var both = attention(q, k, v, options);
    Size width = v.size(-1);
    return slice(both, -1, 0, width) + matmul(slice(both, -1, width, both.size(-1)), values);
  }

 private:
  static Size checked(Size reach) {
    check(reach >= 0, "RelativePositions", "expected a reach of 0 or more, got ", reach);
    return reach;
  }
};

}  // namespace HEED_NAMESPACE

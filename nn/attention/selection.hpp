// selection.hpp — attention to keys that the numbers themselves choose, a few for each query.
//
// Every head of every sequence chooses for itself, so the edges join rows of (B H Nq) queries with rows of (B H Nk)
// keys, and edges.hpp does the rest. Choosing carries no gradient, what is computed on the chosen cells does.
#pragma once

#include "nn/attention/attention.hpp"
#include "nn/attention/edges.hpp"

namespace HEED_NAMESPACE {

/// Which keys of q k' a query may choose from, and how.
struct Selection {
  real scale = 1;        ///< multiplies the scores
  Mask mask = {};        ///< (B, 1, 1, Nk), true = may be chosen; undefined: all
  bool causal = false;   ///< query i chooses from j <= i + Nk - Nq
  Size count = 0;        ///< the largest scores, exactly this many if there are, lower index first when equal; or
  double threshold = 0;  ///< those whose weight in a softmax over all of them is at least this
};

/// The chosen cells of q (B, H, Nq, d) and k (B, H, Nk, d). O(B H Nq Nk d) time; holds the scores of a block of
/// queries.
Edges select_edges(const Tensor& q, const Tensor& k, const Selection& how);

/// log Σ_j e^(scale q_i · k_j) over the keys that i may choose from: (B, H, Nq), and 0 for none. Time as above, twice
/// in backward; scores are computed again there.
Var score_logsumexp(const Var& q, const Var& k, const Selection& how);

/// (B, H, N, d) -> (1, 1, B H N, d): heads of all sequences as one list of nodes.
inline Var as_nodes(const Var& x) { return reshape(x, {1, 1, x.size(0) * x.size(1) * x.size(2), x.size(3)}); }

/// Σ over the edges of each query of weight × value, (1, 1, E) and v (B, H, Nk, d) -> (B, Nq, H d).
inline Var sum_nodes(const Var& weights, const Var& v, const Edges& edges) {
  Size batch = v.size(0), heads = v.size(1);
  Var y = edge_sum(weights, as_nodes(v), edges);
  return merge_heads(reshape(y, {batch, heads, edges.queries() / (batch * heads), v.size(3)}));
}

}  // namespace HEED_NAMESPACE

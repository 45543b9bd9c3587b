// topk.hpp — attention that drops the small weights: the k largest of each query, or all above a threshold.
#pragma once

#include "nn/attention/hook.hpp"
#include "nn/attention/projections.hpp"
#include "nn/attention/selection.hpp"
#include "nn/dropout.hpp"

namespace HEED_NAMESPACE {

struct TopKOptions {         ///< Choices for TopK.
  Size count = 8;            ///< k; 0: by threshold alone
  double threshold = 0;      ///< τ, with count 0: weights of the full softmax below it become 0
  bool renormalise = false;  ///< with a threshold: what is left is made to sum to 1 again
  bool causal = false;       ///< position i sees only j <= i
  double dropout = 0;        ///< on the weights
};

/// Multi-head attention in which each query uses only its k keys with the largest scores q_i · k_j / √d, in one
/// softmax; exactly k, the lower index first when equal, fewer when fewer are kept. Or, by threshold, the full softmax
/// with weights below τ set to 0. (B, N, D) -> (B, N, D); parameters as MultiHeadAttention. The choice carries no
/// gradient. O(N² D) time for the scores, which are made and dropped in blocks of queries, and O(N k) memory, N/τ at
/// most: it saves memory and is a regulariser, it is not faster. A query with nothing to see gets o's bias alone.
/// Throws Error unless heads divides dim and one of count and threshold is given (0 < τ < 1), for an empty sequence and
/// a mask of another shape. Zhao et al. 2019, arXiv 1912.11637; Gupta et al. 2021, arXiv 2106.06899.
struct TopK : HeadProjections {
  TopKOptions options;  ///< as given
  Dropout drop;         ///< on the weights
  TopK(Size dim, Size head_count, Rng& rng, const TopKOptions& choice = {})
      : HeadProjections("TopK", dim, head_count, rng), options(choice), drop(choice.dropout, rng) {
    bool by_count = options.count > 0 && options.threshold == 0;
    check(by_count || (options.count == 0 && options.threshold > 0 && options.threshold < 1), "TopK",
          "expected a count, or a threshold in (0, 1), got ", options.count, " and ", options.threshold);
  }

  /// `key_padding_mask` (B, N), true = a real position.
  Var operator()(const Var& x, const Mask& key_padding_mask = {}) const { return (*this)(x, x, key_padding_mask); }

  /// Queries from x (B, Nq, D), keys and values from `memory` (B, Nk, D); the mask is the memory's.
  Var operator()(const Var& x, const Var& memory, const Mask& key_padding_mask) const {
    check_sequences(name, x, memory);
    Var query = split_heads(q(x), heads), key = split_heads(k(memory), heads);
    Selection how{.scale = static_cast<real>(1 / std::sqrt(static_cast<double>(query.size(-1)))),
                  .mask = padding_keys("TopK", key_padding_mask, x.size(0), memory.size(1)),
                  .causal = options.causal,
                  .count = options.count,
                  .threshold = options.threshold};
    Edges edges = select_edges(query.value(), key.value(), how);
    Var scores = edge_scores(as_nodes(query), as_nodes(key), edges, how.scale);
    Var weights = options.count || options.renormalise ? edge_softmax(scores, edges)
                                                       : exp(scores - totals(query, key, edges, how));
    show_edges("TopK", weights, edges, x.size(0), heads);
    return o(sum_nodes(drop(weights), split_heads(v(memory), heads), edges));
  }

 private:
  // log of the full softmax's denominator, on each edge.
  static Var totals(const Var& query, const Var& key, const Edges& edges, const Selection& how) {
    Var rows = reshape(score_logsumexp(query, key, how), {edges.queries(), 1});
    return reshape(embedding(rows, edges.query_of(), {edges.count()}), {1, 1, edges.count()});
  }
};

}  // namespace HEED_NAMESPACE

// multihead.hpp — several heads of self-attention side by side, each free to look at something else.
#pragma once

#include "nn/attention/attention.hpp"
#include "nn/attention/projections.hpp"
#include "nn/position/alibi.hpp"
#include "nn/position/relative.hpp"
#include "nn/position/rotary.hpp"
#include "tensor/kernels.hpp"

namespace HEED_NAMESPACE {

/// What tells attention itself where queries and keys are; positions that are added to its input stand before it.
enum class PositionKind {
  none,
  rotary,   ///< queries and keys turned by their positions, see rotary.hpp
  alibi,    ///< scores that fall with the distance, see alibi.hpp
  relative  ///< a learned vector for each distance up to `reach`, see relative.hpp
};

struct MultiHeadOptions {                       ///< Choices for MultiHeadAttention.
  Size head_dim = 0;                            ///< d; 0: dim / heads
  bool causal = false;                          ///< position i sees only j <= i
  bool bias = true;                             ///< biases on q, k, v and o
  double dropout = 0;                           ///< on the attention weights
  std::vector<Pattern> patterns = {};           ///< none: full attention; one for all heads, or one for each
  Normaliser normaliser = Normaliser::softmax;  ///< scores to weights
  PositionKind positions = PositionKind::none;  ///< seen by the scores
  Size reach = 16;                              ///< of relative positions: farther keys count as this far
};

/// Keys and values of the positions decoded so far, (B, H, N, d), for MultiHeadAttention::step(). With rotary positions
/// the keys are kept as they were turned.
struct KeyValueCache {
  Tensor keys, values;  ///< (B, H, N, d); undefined at first
};

/// q, k, v = x W + b, cut into H heads of d columns each; softmax(q k' / √d) v in each; joined and multiplied by W^o.
/// (B, N, D) -> (B, N, D). Head h owns columns h d to h d + d - 1. Xavier per matrix. Costs the four products, O(N D²),
/// and the cells that the patterns keep, O(N² D) for full attention; memory O(N D). Throws Error unless heads divides
/// dim or head_dim is given. Query i stands at position i + Nk - Nq. Vaswani et al. 2017, arXiv 1706.03762.
struct MultiHeadAttention : Module {
  using State = KeyValueCache;              ///< what step() keeps
  Size heads, head_dim;                     ///< H and d
  PositionKind positions;                   ///< seen by the scores
  AttentionOptions how;                     ///< what attention() is called with
  Linear q, k, v, o;                        ///< (D) -> (H d); o (H d) -> (D)
  std::vector<RelativePositions> relative;  ///< one or none
  MultiHeadAttention(Size dim, Size head_count, Rng& rng, const MultiHeadOptions& options = {})
      : heads(head_count),
        head_dim(width(dim, head_count, options)),
        positions(options.positions),
        q(sub("q", Linear(dim, heads * head_dim, rng, {options.bias}))),
        k(sub("k", Linear(dim, heads * head_dim, rng, {options.bias}))),
        v(sub("v", Linear(dim, heads * head_dim, rng, {options.bias}))),
        o(sub("o", Linear(heads * head_dim, dim, rng, {options.bias}))) {
    how.patterns = options.patterns.empty() ? std::vector<Pattern>(1) : options.patterns;
    if (options.causal)
      for (Pattern& pattern : how.patterns) pattern = pattern & causal();
    how.normaliser = options.normaliser;
    how.dropout = options.dropout;
    how.rng = &rng;
    if (positions == PositionKind::alibi) how.slopes = alibi_slopes(heads);
    if (positions == PositionKind::relative)
      relative.push_back(sub("relative", RelativePositions(head_dim, head_dim, rng, options.reach)));
  }

  /// Self-attention. `key_padding_mask` (B, N), true = a real position. A query with nothing to see gets o's bias
  /// alone. `shift` (3, N, H d), when given, is added to q, k and v: positions as biases, see floater.hpp.
  Var operator()(const Var& x, const Mask& key_padding_mask = {}, const Var& shift = {}) const {
    return attend(x, x, key_padding_mask, shift);
  }

  /// Cross-attention: queries from x (B, Nq, D), keys and values from `memory` (B, Nk, D); the mask is the memory's.
  Var operator()(const Var& x, const Var& memory, const Mask& key_padding_mask) const {
    return attend(x, memory, key_padding_mask, {});
  }

  /// The next positions x (B, n, D) of a sequence of which the cache holds the earlier ones; they are added to it.
  /// Gives what the causal layer gives at these positions of the whole sequence. Without gradient. O(N D) a position.
  Var step(const Var& x, KeyValueCache& cache) const {
    Eval eval;
    check(x.rank() == 3 && x.size(1) > 0, "MultiHeadAttention", "expected (B, n, D) with n > 0, got ", x.shape());
    auto extend = [](Tensor& past, const Var& now) {
      Tensor parts[] = {past, now.value()};
      past = past.defined() ? concat(parts, 2) : now.value().compact();
    };
    Size past = cache.keys.defined() ? cache.keys.size(2) : 0;
    extend(cache.keys, placed(k(x), past));
    extend(cache.values, split_heads(v(x), heads));
    return joined(placed(q(x), past), cache.keys, cache.values, how);
  }

 private:
  Var attend(const Var& x, const Var& memory, const Mask& key_padding_mask, const Var& shift) const {
    check_sequences("MultiHeadAttention", x, memory);
    AttentionOptions options = how;
    options.mask = padding_keys("MultiHeadAttention", key_padding_mask, x.size(0), memory.size(1));
    auto shifted = [&](const Var& y, int part) { return shift.defined() ? y + slice(shift, 0, part, part + 1) : y; };
    return joined(placed(shifted(q(x), 0), memory.size(1) - x.size(1)), placed(shifted(k(memory), 1), 0),
                  split_heads(shifted(v(memory), 2), heads), options);
  }

  // Heads of queries or keys, the first of which stands at position `first`.
  Var placed(const Var& x, Size first) const {
    Var y = split_heads(x, heads);
    return positions == PositionKind::rotary ? rotary(y, first) : y;
  }

  Var joined(const Var& query, const Var& key, const Var& value, const AttentionOptions& options) const {
    return o(merge_heads(relative.empty() ? attention(query, key, value, options)
                                          : relative[0](query, key, value, options)));
  }

  static Size width(Size dim, Size heads, const MultiHeadOptions& options) {
    check(heads > 0 && (options.head_dim > 0 || dim % heads == 0), "MultiHeadAttention", heads, " heads do not divide ",
          dim, "; give head_dim");
    return options.head_dim > 0 ? options.head_dim : dim / heads;
  }
};

}  // namespace HEED_NAMESPACE

// multihead.hpp — several heads of self-attention side by side, each free to look at something else.
#pragma once

#include "nn/attention/attention.hpp"
#include "nn/linear.hpp"
#include "tensor/kernels.hpp"

namespace HEED_NAMESPACE {

struct MultiHeadOptions {
  Size head_dim = 0;                   ///< d; 0: dim / heads
  bool causal = false;                 ///< position i sees only j <= i
  bool bias = true;                    ///< biases on q, k, v and o
  double dropout = 0;                  ///< on the attention weights
  std::vector<Pattern> patterns = {};  ///< none: full attention; one for all heads, or one for each
  Normaliser normaliser = Normaliser::softmax;
};

/// Keys and values of the positions decoded so far, (B, H, N, d), for MultiHeadAttention::step().
struct KeyValueCache {
  Tensor keys, values;
};

/// q, k, v = x W + b, cut into H heads of d columns each; softmax(q k' / √d) v in each; joined and multiplied by W^o.
/// (B, N, D) -> (B, N, D). Head h owns columns h d to h d + d - 1. Xavier per matrix. Costs the four products, O(N D²),
/// and the cells that the patterns keep, O(N² D) for full attention; memory O(N D). Throws Error unless heads divides
/// dim or head_dim is given. Vaswani et al. 2017, arXiv 1706.03762.
struct MultiHeadAttention : Module {
  Size heads, head_dim;
  AttentionOptions how;
  Linear q, k, v, o;
  MultiHeadAttention(Size dim, Size head_count, Rng& rng, MultiHeadOptions options = {})
      : heads(head_count),
        head_dim(width(dim, head_count, options)),
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
  }

  /// Self-attention. `key_padding_mask` (B, N), true = a real position. A query with nothing to see gets o's bias
  /// alone.
  Var operator()(const Var& x, const Mask& key_padding_mask = {}) const { return (*this)(x, x, key_padding_mask); }

  /// Cross-attention: queries from x (B, Nq, D), keys and values from `memory` (B, Nk, D); the mask is the memory's.
  Var operator()(const Var& x, const Var& memory, const Mask& key_padding_mask) const {
    check(x.rank() == 3 && x.size(1) > 0, "MultiHeadAttention", "expected (B, N, D) with N > 0, got ", x.shape());
    check(memory.rank() == 3 && memory.size(1) > 0 && memory.size(0) == x.size(0), "MultiHeadAttention",
          "expected a memory of shape (", x.size(0), ", N, D) with N > 0, got ", memory.shape());
    AttentionOptions options = how;
    options.mask = padding_keys("MultiHeadAttention", key_padding_mask, x.size(0), memory.size(1));
    Var each =
        attention(split_heads(q(x), heads), split_heads(k(memory), heads), split_heads(v(memory), heads), options);
    return o(merge_heads(each));
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
    extend(cache.keys, split_heads(k(x), heads));
    extend(cache.values, split_heads(v(x), heads));
    return o(merge_heads(attention(split_heads(q(x), heads), cache.keys, cache.values, how)));
  }

 private:
  static Size width(Size dim, Size heads, const MultiHeadOptions& options) {
    check(heads > 0 && (options.head_dim > 0 || dim % heads == 0), "MultiHeadAttention", heads, " heads do not divide ",
          dim, "; give head_dim");
    return options.head_dim > 0 ? options.head_dim : dim / heads;
  }
};

}  // namespace HEED_NAMESPACE

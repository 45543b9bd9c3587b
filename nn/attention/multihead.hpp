// multihead.hpp — several heads of self-attention side by side, each free to look at something else.
#pragma once

#include "nn/attention/attention.hpp"
#include "nn/linear.hpp"

namespace HEED_NAMESPACE {

struct MultiHeadOptions {
  Size head_dim = 0;    ///< d; 0: dim / heads
  bool causal = false;  ///< position i sees only j <= i
  bool bias = true;     ///< biases on q, k, v and o
  double dropout = 0;   ///< on the attention weights
};

/// q, k, v = x W + b, cut into H heads of d columns each; softmax(q k' / √d) v in each; joined and multiplied by W^o.
/// (B, N, D) -> (B, N, D). Head h owns columns h d to h d + d - 1. Xavier per matrix. O(N² D) time, O(B H N²) memory.
/// Throws Error unless heads divides dim or head_dim is given. Vaswani et al. 2017, arXiv 1706.03762.
struct MultiHeadAttention : Module {
  Size heads, head_dim;
  bool causal;
  Linear q, k, v, o;
  Dropout drop;
  MultiHeadAttention(Size dim, Size head_count, Rng& rng, MultiHeadOptions options = {})
      : heads(head_count),
        head_dim(width(dim, head_count, options)),
        causal(options.causal),
        q(sub("q", Linear(dim, heads * head_dim, rng, {options.bias}))),
        k(sub("k", Linear(dim, heads * head_dim, rng, {options.bias}))),
        v(sub("v", Linear(dim, heads * head_dim, rng, {options.bias}))),
        o(sub("o", Linear(heads * head_dim, dim, rng, {options.bias}))),
        drop(options.dropout, rng) {}

  /// `key_padding_mask` (B, N), true = a real position. A query with nothing to see gets o's bias alone.
  Var operator()(const Var& x, const Mask& key_padding_mask = {}) const {
    check(x.rank() == 3 && x.size(1) > 0, "MultiHeadAttention", "expected (B, N, D) with N > 0, got ", x.shape());
    Mask mask = attention_mask(key_padding_mask, causal, x.size(1), x.size(1));
    real scale = static_cast<real>(1 / std::sqrt(static_cast<double>(head_dim)));
    Var each =
        attention(split_heads(q(x), heads), split_heads(k(x), heads), split_heads(v(x), heads), scale, mask, &drop);
    return o(merge_heads(each));
  }

 private:
  static Size width(Size dim, Size heads, const MultiHeadOptions& options) {
    check(heads > 0 && (options.head_dim > 0 || dim % heads == 0), "MultiHeadAttention", heads, " heads do not divide ",
          dim, "; give head_dim");
    return options.head_dim > 0 ? options.head_dim : dim / heads;
  }
};

}  // namespace HEED_NAMESPACE

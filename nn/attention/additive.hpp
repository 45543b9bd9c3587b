// additive.hpp — attention whose scores come from a small network instead of a product.
#pragma once

#include "nn/attention/attention.hpp"
#include "nn/linear.hpp"

namespace HEED_NAMESPACE {

struct AdditiveOptions {                        ///< Choices for AdditiveAttention.
  bool causal = false;                          ///< position i sees only j <= i
  Pattern pattern = {};                         ///< what else bounds it; none: full attention
  Normaliser normaliser = Normaliser::softmax;  ///< scores to weights
};

/// b_i = Σ_j softmax_j(w · tanh(x_i W^q + m_j W^k)) m_j W^v, W^q and W^k (D, hidden), w (hidden), W^v (D, value_dim),
/// no biases: (B, N, D) -> (B, N, value_dim). The form W [x_i; m_j] of the paper is the same function with W cut in
/// two. Costs O(Nq Nk hidden) time and a tanh for each, O((Nq + Nk) hidden) memory: no tanh is stored, backward
/// computes it again. Bahdanau, Cho, Bengio 2015, arXiv 1409.0473.
struct AdditiveAttention : Module {
  AttentionOptions how;  ///< pattern and normaliser, as attention() takes them
  Linear q, k;           ///< W^q and W^k, (D, hidden)
  Var w;                 ///< (hidden)
  Linear v;              ///< W^v, (D, value_dim)
  AdditiveAttention(Size dim, Size hidden, Size value_dim, Rng& rng, const AdditiveOptions& options = {})
      : q(sub("q", Linear(dim, hidden, rng, {.bias = false}))),
        k(sub("k", Linear(dim, hidden, rng, {.bias = false}))),
        w(param("w", xavier_uniform({hidden, 1}, rng).reshape({hidden}), true)),
        v(sub("v", Linear(dim, value_dim, rng, {.bias = false}))) {
    how.patterns = {options.causal ? options.pattern & causal() : options.pattern};
    how.normaliser = options.normaliser;
  }

  /// Self-attention. `key_padding_mask` (B, N), true = a real position.
  Var operator()(const Var& x, const Mask& key_padding_mask = {}) const { return (*this)(x, x, key_padding_mask); }

  /// Queries from x (B, Nq, D), keys and values from `memory` (B, Nk, D); the mask is the memory's. What a decoder asks
  /// of its encoder.
  Var operator()(const Var& x, const Var& memory, const Mask& key_padding_mask) const {
    check(x.rank() == 3 && memory.rank() == 3 && x.size(1) > 0 && memory.size(1) > 0, "AdditiveAttention",
          "expected (B, N, D) with N > 0, got ", x.shape(), " and ", memory.shape());
    AttentionOptions options = how;
    options.mask = padding_keys("AdditiveAttention", key_padding_mask, x.size(0), memory.size(1));
    options.additive = w;
    return attention(q(x), k(memory), v(memory), options);
  }
};

}  // namespace HEED_NAMESPACE

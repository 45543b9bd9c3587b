// self.hpp — one head of self-attention, as the lectures draw it: W^q, W^k, W^v and nothing else.
#pragma once

#include "nn/attention/attention.hpp"
#include "nn/attention/projections.hpp"

namespace HEED_NAMESPACE {

struct SelfAttentionOptions {                   ///< Choices for SelfAttention.
  bool scaled = true;                           ///< divide scores by √d; false is the lecture's form
  bool causal = false;                          ///< position i sees only j <= i
  Pattern pattern = {};                         ///< what else bounds it; none: full attention
  Normaliser normaliser = Normaliser::softmax;  ///< scores to weights
};

/// b_i = Σ_j softmax_j(q_i · k_j / √d) v_j with q = x W^q, k = x W^k, v = x W^v; j = i included. (B, N, D) -> (B, N,
/// d). No biases, no output matrix; without positions the outputs follow any permutation of the inputs. O(N² d) time.
struct SelfAttention : Module {
  SelfAttentionOptions options;  ///< as given
  Linear q, k, v;                ///< (D) -> (d) each
  SelfAttention(Size dim, Size head_dim, Rng& rng, const SelfAttentionOptions& choice = {})
      : options(choice),
        q(sub("q", Linear(dim, head_dim, rng, {.bias = false}))),
        k(sub("k", Linear(dim, head_dim, rng, {.bias = false}))),
        v(sub("v", Linear(dim, head_dim, rng, {.bias = false}))) {}
  /// `key_padding_mask` (B, N), true = a real position.
  Var operator()(const Var& x, const Mask& key_padding_mask = {}) const {
    check_sequence("SelfAttention", x);
    AttentionOptions how{.scale = options.scaled ? real(0) : real(1), .patterns = {options.pattern}};
    if (options.causal) how.patterns = {options.pattern & heed::causal()};
    how.mask = padding_keys("SelfAttention", key_padding_mask, x.size(0), x.size(1));
    how.normaliser = options.normaliser;
    return attention(q(x), k(x), v(x), how);
  }
};

}  // namespace HEED_NAMESPACE

// linear.hpp — attention by features of queries and keys, at a cost that grows with N: what all kinds share, and the
// two without random numbers.
#pragma once

#include "nn/attention/hook.hpp"
#include "nn/attention/projections.hpp"
#include "nn/mixer/reorder.hpp"

namespace HEED_NAMESPACE {

/// What causal linear attention keeps of all positions so far; its size does not depend on their number.
struct LinearState {
  Tensor sums;              ///< see LinearAttentionOptions::state
  Tensor reference, total;  ///< of kinds that need them: what exponents are relative to, Σ φ(k)
};

/// Features of queries (B, N, H, M) and keys (B, Nk, H, M), and how they become weights.
struct Features {
  Var query, key;                   ///< φ(q) and φ(k)
  LinearAttentionOptions how = {};  ///< division, decay
};

/// What the features are made of: q and k (B, N, H, d), the input they came from, real keys (B, Nk, 1, 1) or undefined,
/// and the state when positions come one after the other.
struct FeatureInput {
  Var q, k, x;         ///< q and k by head; x as it came
  Mask keep;           ///< true = a real key
  LinearState* state;  ///< null outside step()
};

/// The weights (B, H, Nq, Nk) that linear_attention() never makes, of features without decay and state, for pictures:
/// O(B H Nq Nk M).
Tensor feature_weights(const Tensor& query_features, const Tensor& key_features, const LinearAttentionOptions& how);

/// Base of the kinds: q, k, v, o = x W + b and heads as in MultiHeadAttention; a Kind has
/// `Features features(const FeatureInput&) const`. (B, N, D) -> (B, N, D).
template <class Kind>
struct LinearMixer : HeadProjections {
  using State = LinearState;  ///< what step() keeps
  bool causal;                ///< position i sees only j <= i
  LinearMixer(const char* who, Size dim, Size head_count, Rng& rng, bool is_causal)
      : HeadProjections(who, dim, head_count, rng), causal(is_causal) {}

  /// `key_padding_mask` (B, N), true = a real position.
  Var operator()(const Var& x, const Mask& key_padding_mask = {}) const {
    return attend(x, x, key_padding_mask, nullptr);
  }
  /// Queries from x (B, Nq, D), keys and values from `memory` (B, Nk, D), whose mask it is. Not when causal.
  Var operator()(const Var& x, const Var& memory, const Mask& key_padding_mask) const {
    check(!causal, name, "a causal layer has no memory to look at");
    return attend(x, memory, key_padding_mask, nullptr);
  }
  /// The next positions x (B, n, D) of a sequence, mostly n = 1: `state` is what the earlier ones left, and is moved
  /// on. Gives what the causal layer gives at these positions under Eval. Without gradient. O(M D) time a position, and
  /// memory, however many there were.
  Var step(const Var& x, LinearState& state) const {
    check(causal, name, "only a causal layer takes steps");
    Eval eval;
    return attend(x, x, {}, &state);
  }

 private:
  Var attend(const Var& x, const Var& memory, const Mask& mask, LinearState* state) const {
    check_sequences(name, x, memory);
    Mask keep = padding_keys(name, mask, x.size(0), memory.size(1));
    if (keep.defined()) keep = keep.reshape({x.size(0), memory.size(1), 1, 1});
    auto apart = [&](const Var& y) { return reshape(y, {y.size(0), y.size(1), heads, y.size(2) / heads}); };
    auto by_head = [](const Var& y) { return permute(y, {0, 2, 1, 3}); };
    Features f = static_cast<const Kind&>(*this).features({apart(q(x)), apart(k(memory)), x, keep, state});
    f.how.causal = causal;
    if (state) f.how.state = &state->sums;
    Var query = by_head(f.query), key = by_head(f.key);
    if (AttentionHook* hook = AttentionHook::current(); hook && !state && !f.how.decay.defined())
      hook->see(name, feature_weights(query.value(), key.value(), f.how));
    return o(merge_heads(linear_attention(query, key, by_head(apart(v(memory))), f.how)));
  }
};

/// x + 1 for x > 0, else e^x.
Var elu_plus_one(const Var& x);
/// e^(x - shift), shift broadcasts; it is infinite where the result is to be 0. x - shift above 70 counts as 70.
Var exp_shifted(const Var& x, const Var& shift);

struct LinearAttentionLayerOptions {  ///< Choices for LinearAttention.
  bool causal = false;                ///< position i sees only j <= i
  double eps = 0;                     ///< added to the denominator; public code has 1e-6, but sums of φ > 0 need none
};

/// The Linear Transformer: weights φ(q_i) · φ(k_j) / Σ_j φ(q_i) · φ(k_j) with φ(x) = x + 1 for x > 0, else e^x; q and k
/// are not scaled. (B, N, D) -> (B, N, D). Padded keys have φ = 0; a query with nothing to see gets o's bias alone.
/// Costs O(N D²/H) beside the projections, memory O(N D), causal too; step() makes it an RNN. Throws Error unless heads
/// divides dim. Use it for long sequences whose outputs need an average of much rather than one exact item: features
/// are positive, so no weight is near 0, and recall suffers once there are more items than D/H. Katharopoulos, Vyas,
/// Pappas, Fleuret 2020, arXiv 2006.16236.
struct LinearAttention : LinearMixer<LinearAttention> {
  double eps;  ///< added to the denominator
  LinearAttention(Size dim, Size head_count, Rng& rng, const LinearAttentionLayerOptions& options = {})
      : LinearMixer("LinearAttention", dim, head_count, rng, options.causal), eps(options.eps) {}
  Features features(const FeatureInput& in) const {  ///< φ(q) and φ(k).
    return {elu_plus_one(in.q), masked_fill(elu_plus_one(in.k), in.keep, 0), {.eps = static_cast<real>(eps)}};
  }
};

struct EfficientAttentionOptions {  ///< Choices for EfficientAttention.
  bool causal = false;              ///< position i sees only j <= i
};

/// Efficient attention: y = ρ_q (ρ_k' v), ρ_q the softmax of each query over its d channels, ρ_k that of each channel
/// of the keys over the real positions. Weights of a row sum to 1 by themselves. Causal, which the paper has not: each
/// channel's softmax is over the positions so far, Σ_{j<=i} e^{k_jc} v_j / Σ_{j<=i} e^{k_jc}; a key more than 70 above
/// the first one in a channel counts as 70 above. (B, N, D) -> (B, N, D), O(N D²/H) time, O(N D) memory; a query with
/// nothing to see gets o's bias alone. Throws Error unless heads divides dim. Use it where channels can stand for
/// topics that a position asks for: D/H templates a head. Shen, Zhang, Zhao, Yi, Li 2018, arXiv 1812.01243.
struct EfficientAttention : LinearMixer<EfficientAttention> {
  EfficientAttention(Size dim, Size head_count, Rng& rng, const EfficientAttentionOptions& options = {})
      : LinearMixer("EfficientAttention", dim, head_count, rng, options.causal) {}
  Features features(const FeatureInput& in) const;  ///< ρ_q and ρ_k
};

}  // namespace HEED_NAMESPACE

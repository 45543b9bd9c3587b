// attention.hpp — softmax(q k' / √d) v for any pattern of kept cells, without ever holding all scores.
#pragma once

#include <vector>

#include "autograd/ops.hpp"
#include "nn/attention/pattern.hpp"

namespace HEED_NAMESPACE {

/// How scores become weights.
enum class Normaliser {
  softmax,
  relu,      ///< max(score, 0) / number of kept keys (Wortsman et al. 2023, arXiv 2309.08586)
  relu_sum,  ///< max(score, 0): the lectures' form, whose outputs grow with the number of keys
};

struct AttentionOptions {  ///< Choices for attention().
  real scale = 0;          ///< multiplies the scores; 0: 1/√d, d the width of one head. 1 is the unscaled form
  std::vector<Pattern> patterns = {};  ///< none: full attention; one for all heads; or one for each head
  Mask mask = {};                      ///< true = keep; broadcasts to (B, H, Nq, Nk), for padding (B, 1, 1, Nk)
  Normaliser normaliser = Normaliser::softmax;  ///< scores to weights
  double dropout = 0;             ///< on the weights, which are not made to sum to 1 again; not under Eval
  Rng* rng = nullptr;             ///< what dropout draws from
  std::vector<real> slopes = {};  ///< one a head: score -= slope |p - j| (ALiBi, Press et al. 2021, arXiv 2108.12409)
  /// (B, H, Nq, 2 reach + 1): score += relative[.., i, clamp(j - p, -reach, reach) + reach], before the scale; and the
  /// weights, summed by the same index, stand behind each output row: (B, H, Nq, dv + 2 reach + 1). See relative.hpp.
  Var relative = {};
  /// (d): the score is Σ_c w_c tanh(q_c + k_c) instead of the dot product, and `scale` 0 means 1 (Bahdanau et al. 2015,
  /// arXiv 1409.0473). Costs a tanh for each cell and c, forward and again backward; stores none of them.
  Var additive = {};
};

/// Attention of the queries q (B, H, Nq, d) to keys k (B, H, Nk, d) and values v (B, H, Nk, dv) -> (B, H, Nq, dv), laid
/// out as (B, Nq, H, dv), so that merge_heads() is free. Without head axis, one head: (B, N, d), or (N, d).
///
/// Query i stands at position p = i + Nk - Nq. A query with nothing kept gets zeros, and no gradient. Works through
/// tiles of queries and keys with a running maximum and sum (Milakov, Gimelshein 2018, arXiv 1805.02867; Dao et al.
/// 2022, arXiv 2205.14135), skips tiles of which the pattern, or the padding, keeps nothing, and computes scores again
/// in backward: time in proportion to the tiles the pattern touches, memory O(B H (Nq + Nk) d). Patterns of scattered
/// cells go edge by edge: time and memory in proportion to the kept cells. Strided heads are read where they lie.
/// Throws Error when shapes do not fit or a sequence is empty. Vaswani et al. 2017, arXiv 1706.03762.
Var attention(const Var& q, const Var& k, const Var& v, const AttentionOptions& options = {});

/// The weights themselves, (B, H, Nq, Nk), without gradient and dropout: O(B H Nq Nk) memory, for pictures.
Tensor attention_weights(const Var& q, const Var& k, const AttentionOptions& options = {});

/// (B, N, H d) -> (B, H, N, d), a view. The transpose matters: reshaping straight to (B, H, N, d) mixes positions and
/// heads.
inline Var split_heads(const Var& x, Size heads) {
  return permute(reshape(x, {x.size(0), x.size(1), heads, x.size(2) / heads}), {0, 2, 1, 3});
}

/// (B, H, N, d) -> (B, N, H d).
inline Var merge_heads(const Var& x) {
  return reshape(permute(x, {0, 2, 1, 3}), {x.size(0), x.size(2), x.size(1) * x.size(3)});
}

/// A key_padding_mask (B, Nk), true = a real key, as AttentionOptions::mask; an undefined one stays undefined.
/// Throws Error unless its shape is (batch, keys).
inline Mask padding_keys(const char* layer, const Mask& key_padding_mask, Size batch, Size keys) {
  if (!key_padding_mask.defined()) return {};
  check(key_padding_mask.shape() == Shape{batch, keys}, layer, "expected a key_padding_mask of shape ",
        Shape{batch, keys}, ", got ", key_padding_mask.shape());
  return key_padding_mask.reshape({batch, 1, 1, keys});
}

}  // namespace HEED_NAMESPACE

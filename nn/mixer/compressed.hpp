// compressed.hpp — few keys, each made of neighbours by a convolution.
#pragma once

#include "nn/attention/attention.hpp"
#include "nn/attention/projections.hpp"

namespace HEED_NAMESPACE {

struct CompressedOptions {  ///< Choices for CompressedAttention.
  Size stride = 3;          ///< s positions to one key
  Size groups = 1;          ///< of channels that the convolutions keep apart; the heads, to keep these apart
  bool causal = false;      ///< position i sees only j <= i
  double dropout = 0;       ///< on the attention weights
};

/// Memory-compressed attention: keys and values are convolved over positions with kernels as long as the stride s,
/// zeros appended to the last window; before them stands a learned key and value, 0 at the start: softmax(q k' / √d) v
/// over 1 + ⌈N/s⌉ slots. (B, N, D) -> (B, N, D). A slot counts if it covers a real position; padded keys and values are
/// 0 in it. Causal: slot c, of positions c s to c s + s - 1, is seen from its last one on, so that the first queries
/// see the learned slot alone. O(N²/s D) time, a constant factor of full attention, and O(N D) memory. Throws Error
/// unless heads divides dim. Use it where neighbours say much the same. Liu, Saleh et al. 2018, arXiv 1801.10198.
struct CompressedAttention : HeadProjections {
  Size stride;                   ///< s
  bool causal;                   ///< position i sees only j <= i
  AttentionOptions how;          ///< what attention() is called with
  Var key_kernel, value_kernel;  ///< (groups, s D / groups, D / groups)
  Var key_bias, value_bias;      ///< (D)
  Var null_key, null_value;      ///< (1, 1, D)
  CompressedAttention(Size dim, Size head_count, Rng& rng, const CompressedOptions& options = {})
      : HeadProjections("CompressedAttention", dim, head_count, rng), stride(options.stride), causal(options.causal) {
    check(stride > 0 && options.groups > 0 && dim % options.groups == 0, "CompressedAttention",
          "expected a stride above 0 and groups that divide ", dim, ", got ", stride, " and ", options.groups);
    how.dropout = options.dropout, how.rng = &rng;
    Size fan = dim / options.groups;
    Shape kernel{options.groups, stride * fan, fan};
    key_kernel = param("key_kernel", xavier_uniform(kernel, rng));
    value_kernel = param("value_kernel", xavier_uniform(kernel, rng));
    key_bias = param("key_bias", Tensor({dim}, 0)), value_bias = param("value_bias", Tensor({dim}, 0));
    null_key = param("null_key", Tensor({1, 1, dim}, 0), false);
    null_value = param("null_value", Tensor({1, 1, dim}, 0), false);
  }

  /// `key_padding_mask` (B, N), true = a real position.
  Var operator()(const Var& x, const Mask& key_padding_mask = {}) const { return attend(x, x, key_padding_mask); }
  /// Queries from x (B, Nq, D), keys and values from `memory` (B, Nk, D), whose mask it is. Not when causal.
  Var operator()(const Var& x, const Var& memory, const Mask& key_padding_mask) const {
    check(!causal, "CompressedAttention", "a causal layer has no memory to look at");
    return attend(x, memory, key_padding_mask);
  }

 private:
  Var attend(const Var& x, const Var& memory, const Mask& key_padding_mask) const {
    check_sequences(name, x, memory);
    Mask keep = padding_keys(name, key_padding_mask, x.size(0), memory.size(1));
    AttentionOptions options = how;
    options.mask = slots(keep);
    if (causal) options.patterns = {passed_windows(stride, x.size(1))};
    Var key = compressed(k(memory), keep, key_kernel, key_bias, null_key);
    Var value = compressed(v(memory), keep, value_kernel, value_bias, null_value);
    return o(
        merge_heads(attention(split_heads(q(x), heads), split_heads(key, heads), split_heads(value, heads), options)));
  }

  // (B, N, D) -> (B, 1 + ⌈N/s⌉, D). Windows that lie side by side are rows of one product.
  Var compressed(Var y, const Mask& keep, const Var& kernel, const Var& bias, const Var& null) const {
    Size batch = y.size(0), n = y.size(1), dim = y.size(2), windows = (n + stride - 1) / stride,
         groups = kernel.size(0);
    if (keep.defined()) y = masked_fill(y, keep.reshape({batch, n, 1}), 0);
    if (windows * stride > n) y = concat({y, Tensor({batch, windows * stride - n, dim}, 0)}, 1);
    Var parts = permute(reshape(y, {batch * windows, stride, groups, dim / groups}), {2, 0, 1, 3});
    Var sums = matmul(reshape(parts, {groups, batch * windows, stride * (dim / groups)}), kernel);
    Var slot = reshape(permute(sums, {1, 0, 2}), {batch, windows, dim}) + bias;
    return concat({expand(null, {batch, 1, dim}), slot}, 1);
  }

  // Real windows, and before them the learned slot if there is any: (B, 1, 1, 1 + ⌈N/s⌉).
  Mask slots(const Mask& keep) const {
    if (!keep.defined()) return {};
    Size batch = keep.shape()[0], n = keep.shape()[3], count = 1 + (n + stride - 1) / stride;
    std::vector<std::uint8_t> covered(static_cast<std::size_t>(batch * count), 0);
    for (Size i = 0; i < batch * n; i++)
      if (keep[i]) {
        Size first = i / n * count;
        covered[static_cast<std::size_t>(first)] = covered[static_cast<std::size_t>(first + 1 + i % n / stride)] = 1;
      }
    return Mask({batch, 1, 1, count}, std::move(covered));
  }
};

}  // namespace HEED_NAMESPACE

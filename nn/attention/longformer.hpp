// longformer.hpp — a window for every position, and a few global ones with projections of their own.
#pragma once

#include "nn/attention/multihead.hpp"

namespace HEED_NAMESPACE {

struct LongformerOptions {         ///< Choices for Longformer.
  Size reach = 256;                ///< neighbours on each side; the paper's "512" counts both sides
  std::vector<Size> gaps = {};     ///< none, or one for each head: a window with gaps, see dilated()
  std::vector<Size> global = {0};  ///< positions that see everything and are seen by everything
  double dropout = 0;              ///< on the attention weights
};

/// Row i outside the global set uses the keys of its window and the global positions, with q, k, v. A row of the global
/// set uses all keys, with q_g, k_g, v_g of its own, which start as copies. A global key inside a window counts once.
/// (B, N, D)
/// -> (B, N, D). O(N (2 reach + 1 + g) D) time and, beyond the projections, O(N D) memory. Beltagy, Peters, Cohan 2020,
/// arXiv 2004.05150.
struct Longformer : Module {
  LongformerOptions options;            ///< as given
  MultiHeadAttention local;             ///< the windows, and o of all rows
  Linear global_q, global_k, global_v;  ///< (D) -> (D), of the global rows
  Longformer(Size dim, Size heads, Rng& rng, const LongformerOptions& choice = {})
      : options(choice),
        local(sub("local",
                  MultiHeadAttention(dim, heads, rng, {.dropout = choice.dropout, .patterns = windows(choice)}))),
        global_q(sub("global_q", copy(local.q, rng))),
        global_k(sub("global_k", copy(local.k, rng))),
        global_v(sub("global_v", copy(local.v, rng))) {}

  /// `key_padding_mask` (B, N), true = a real position. A global position that is padding is seen by nothing.
  Var operator()(const Var& x, const Mask& key_padding_mask = {}) const {
    check_sequence("Longformer", x);
    Size batch = x.size(0), n = x.size(1), dim = x.size(2);
    AttentionOptions how = local.how;
    how.mask = padding_keys("Longformer", key_padding_mask, batch, n);
    auto heads = [&](const Var& y) { return split_heads(y, local.heads); };
    Var each = merge_heads(attention(heads(local.q(x)), heads(local.k(x)), heads(local.v(x)), how));
    std::vector<int> from(static_cast<std::size_t>(batch * n)),
        rows;  // where each output row stands in [local; global]
    std::iota(from.begin(), from.end(), 0);
    for (Size b = 0; b < batch; b++)
      for (Size token : options.global)
        if (token < n) {
          from[static_cast<std::size_t>(b * n + token)] = static_cast<int>(batch * n) + static_cast<int>(rows.size());
          rows.push_back(static_cast<int>(b * n + token));
        }
    if (rows.empty()) return local.o(each);
    how.patterns = {};
    Size count = static_cast<Size>(rows.size()) / batch;
    Var special = embedding(reshape(x, {batch * n, dim}), rows, {batch, count});
    Var wide = merge_heads(attention(heads(global_q(special)), heads(global_k(x)), heads(global_v(x)), how));
    Size width = each.size(2);
    Var both = concat({reshape(each, {batch * n, width}), reshape(wide, {batch * count, width})}, 0);
    return local.o(embedding(both, from, {batch, n}));
  }

 private:
  static std::vector<Pattern> windows(const LongformerOptions& o) {
    std::vector<Pattern> list;
    for (Size gap : o.gaps.empty() ? std::vector<Size>{1} : o.gaps)
      list.push_back(o.global.empty() ? dilated(o.reach, gap) : dilated(o.reach, gap) | seen_by_all(o.global));
    return list;
  }
  static Linear copy(const Linear& from, Rng& rng) {
    Linear to(from.w.size(0), from.w.size(1), rng);
    to.w.value() = from.w.value();
    return to;
  }
};

/// Learned vectors put in front of a sequence and cut off at its end, for global attention through tokens of their own:
/// global_tokens({0, ..., count - 1}). N(0, 1/√D).
struct PrependedTokens : Module {
  Var tokens;  ///< (count, D)
  PrependedTokens(Size count, Size dim, Rng& rng)
      : tokens(param("tokens", rng.normal({count, dim}, 1 / std::sqrt(static_cast<double>(dim))), false)) {}
  /// (B, N, D) -> (B, count + N, D).
  Var prepend(const Var& x) const {
    return concat({expand(tokens, {x.size(0), tokens.size(0), tokens.size(1)}), x}, 1);
  }
  /// (B, N) -> (B, count + N), the tokens kept; an undefined mask stays undefined.
  Mask prepend(const Mask& key_padding_mask) const {
    if (!key_padding_mask.defined()) return {};
    Size batch = key_padding_mask.shape()[0], n = key_padding_mask.shape()[1], count = tokens.size(0);
    std::vector<std::uint8_t> keep(static_cast<std::size_t>(batch * (count + n)), 1);
    for (Size b = 0; b < batch; b++)
      std::copy_n(key_padding_mask.data() + b * n, n, keep.begin() + b * (count + n) + count);
    return Mask({batch, count + n}, std::move(keep));
  }
  /// (B, count + N, D) -> (B, N, D).
  Var cut(const Var& y) const { return slice(y, 1, tokens.size(0), y.size(1)); }
};

}  // namespace HEED_NAMESPACE

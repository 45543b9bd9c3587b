// linformer.hpp — few keys, each a learned mixture of all positions.
#pragma once

#include <algorithm>

#include "nn/attention/attention.hpp"
#include "nn/attention/projections.hpp"

namespace HEED_NAMESPACE {

/// Which mixtures are the same matrix.
enum class LinformerShare {
  none,   ///< each head has one for keys and one for values
  heads,  ///< all heads have the same two
  kv      ///< all heads have the same, and values are mixed as keys are
};

struct LinformerOptions {                        ///< Choices for Linformer.
  Size rank = 16;                                ///< K, the number of mixtures
  LinformerShare share = LinformerShare::heads;  ///< which mixtures are one matrix
  double dropout = 0;                            ///< on the attention weights
};

/// softmax(q (E k)' / √d) (F v) in each head, E and F (K, Nmax), N(0, 1/K): of a sequence of N <= Nmax positions they
/// mix the first N columns. (B, N, D) -> (B, N, D). Padded keys and values are 0 in the mixtures; a sequence of padding
/// alone gets o's bias. O(N K D) time and O(N (D + K)) memory beside the projections; 2 K Nmax numbers for each matrix
/// of its own. It cannot be causal: each mixture holds all positions. Throws Error for a sequence longer than Nmax, or
/// unless heads divides dim. Use it for sequences of about one length, where what stands where matters: E is tied to
/// absolute positions, so that a text moved by one has other keys. Wang, Li, Khabsa, Fang, Ma 2020, arXiv 2006.04768.
struct Linformer : HeadProjections {
  Size longest, rank;    ///< Nmax and K
  AttentionOptions how;  ///< what attention() is called with
  Var e, f;              ///< (H or 1, K, Nmax); the same for LinformerShare::kv
  Linformer(Size dim, Size head_count, Size length, Rng& rng, const LinformerOptions& options = {})
      : HeadProjections("Linformer", dim, head_count, rng), longest(length), rank(options.rank) {
    check(rank > 0 && longest > 0, "Linformer", "expected a rank and a length above 0, got ", rank, " and ", longest);
    how.dropout = options.dropout, how.rng = &rng;
    Shape shape{options.share == LinformerShare::none ? heads : 1, rank, longest};
    double deviation = 1 / std::sqrt(static_cast<double>(rank));
    e = param("e", rng.normal(shape, deviation));
    f = options.share == LinformerShare::kv ? e : param("f", rng.normal(shape, deviation));
  }

  /// `key_padding_mask` (B, N), true = a real position.
  Var operator()(const Var& x, const Mask& key_padding_mask = {}) const { return attend(x, x, key_padding_mask); }
  /// Queries from x (B, Nq, D), keys and values from `memory` (B, Nk, D), whose mask it is.
  Var operator()(const Var& x, const Var& memory, const Mask& key_padding_mask) const {
    return attend(x, memory, key_padding_mask);
  }

 private:
  Var attend(const Var& x, const Var& memory, const Mask& key_padding_mask) const {
    check_sequences(name, x, memory);
    Size batch = x.size(0), n = memory.size(1);
    check(n <= longest, "Linformer", n, " positions, but it was built for at most ", longest);
    Mask keep = padding_keys("Linformer", key_padding_mask, batch, n);
    Mask rows = keep.defined() ? keep.reshape({batch, n, 1}) : Mask();
    auto mixed = [&](const Linear& project, const Var& mixtures) {
      Var y = masked_fill(project(memory), rows, 0), e_n = slice(mixtures, 2, 0, n);
      return e_n.size(0) == 1 ? split_heads(matmul(e_n, y), heads) : matmul(e_n, split_heads(y, heads));
    };
    AttentionOptions options = how;
    options.mask = any_real(keep);
    return o(merge_heads(attention(split_heads(q(x), heads), mixed(k, e), mixed(v, f), options)));
  }

  // Mixtures count in a sequence with a real position: (B, 1, 1, 1).
  static Mask any_real(const Mask& keep) {
    if (!keep.defined()) return {};
    Size batch = keep.shape()[0], n = keep.shape()[3];
    std::vector<std::uint8_t> some;
    for (Size b = 0; b < batch; b++) some.push_back(std::count(keep.data() + b * n, keep.data() + (b + 1) * n, 0) < n);
    return Mask({batch, 1, 1, 1}, std::move(some));
  }
};

}  // namespace HEED_NAMESPACE

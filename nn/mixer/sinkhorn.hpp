// sinkhorn.hpp — attention to the own block and to one that a learned sorting puts beside it.
#pragma once

#include "nn/attention/attention.hpp"
#include "nn/attention/projections.hpp"
#include "nn/mixer/padding.hpp"

namespace HEED_NAMESPACE {

/// What is made of the sort matrix S (NB, NB).
enum class SinkhornMode {
  sorted,   ///< keys and values of block i are joined by Σ_j S_ij block_j
  sortcut,  ///< every query sees the first `cut` sorted blocks and nothing else
  mask      ///< block i also sees the block with the largest S_ij as it is: the lectures' coarse grid
};

struct SinkhornOptions {                     ///< Choices for Sinkhorn.
  Size block = 32;                           ///< b
  SinkhornMode mode = SinkhornMode::sorted;  ///< what is made of S
  Size cut = 2;                              ///< sorted blocks that are seen, for sortcut
  Size iterations = 6;                       ///< of normalising rows, then columns
  double temperature = 0.75;                 ///< τ
  bool noise = true;                         ///< Gumbel noise on the scores in training
  Size hidden = 0;                           ///< width inside the sorting network, for each head; 0: dim / heads
  bool causal = false;                       ///< position i sees only j <= i
};

/// Sparse Sinkhorn attention. A block's descriptor is the sum of its rows; per head R = relu(relu(desc W1 + b1) W2 +
/// b2) scores all blocks, and S = e^((R + Gumbel noise) / τ) with rows and then columns normalised, in the log domain,
/// a few times: nearly a permutation, which says which block to look at. The queries of a block see [sorted block; own
/// block] in one softmax, 2 b keys. (B, N, D) -> (B, N, D) for N up to `length`; the last block may be short. Padded
/// rows count as 0, a place in a sorted block may be seen when it is real in the block with the largest S_ij, and
/// blocks of padding take no part. Causal: descriptors are sums of what comes before the block and S = softmax over
/// earlier blocks by rows alone, the first row empty (columns would read the future; balanced, only the identity is
/// left). In mask mode S is passed straight through: forward the choice, backward S. O(N b D + N²/b D) time, the second
/// term with a small factor, N^1.5 for b = √N; O(N D + H (N/b)²) memory. For long inputs in which whole passages belong
/// together. b2 starts at 1, so that no ReLU is dead. Throws Error unless heads divides dim, for sortcut in causal
/// form, a longer or an empty sequence and a mask of another shape. Tay, Bahri, Yang, Metzler, Juan 2020, arXiv
/// 2002.11296; Mena et al. 2018, arXiv 1802.08665.
struct Sinkhorn : HeadProjections {
  SinkhornOptions options;  ///< as given
  Size length;              ///< the longest sequence
  Var w1, b1, w2, b2;       ///< (D, H e), (H e), (H, e, blocks), (H, 1, blocks)
  Rng* rng;                 ///< of the noise
  Sinkhorn(Size dim, Size head_count, Size longest, Rng& generator, const SinkhornOptions& choice = {});

  /// `key_padding_mask` (B, N), true = a real position.
  Var operator()(const Var& x, const Mask& key_padding_mask = {}) const;
  /// S (B, H, NB, NB), noise included.
  Var sorting(const Var& x, const Mask& key_padding_mask = {}) const;
};

}  // namespace HEED_NAMESPACE

// synthesizer.hpp — attention weights that no product of queries and keys makes: learned, or said by each position
// alone.
#pragma once

#include "nn/attention/attention.hpp"
#include "nn/attention/projections.hpp"
#include "nn/dropout.hpp"
#include "nn/mixer/padding.hpp"

namespace HEED_NAMESPACE {

/// Where a Synthesizer's logits come from.
enum class Synthesis {
  random,             ///< R, learned, the same for every input
  fixed_random,       ///< R as it was drawn
  factorised_random,  ///< R1 R2ᵀ, both (length, rank), learned
  dense,              ///< relu(x_i W1 + b1) W2 + b2: position i says what it wants of each position
  factorised_dense,   ///< A_i[j mod a] B_i[⌊j / a⌋] with two shorter answers A and B like dense's
  dot_product         ///< q_i · k_j / √d, the usual scores, for mixtures
};

struct SynthesizerOptions {                            ///< Choices for Synthesizer.
  std::vector<Synthesis> parts = {Synthesis::random};  ///< several: their mixture
  Size hidden = 0;                                     ///< width inside dense ones, for each head; 0: dim / heads
  Size rank = 8;                                       ///< of factorised_random
  Size columns = 0;     ///< a of factorised_dense, b = ⌈length / a⌉; 0: ⌈√length⌉
  bool causal = false;  ///< position i sees only j <= i
  double dropout = 0;   ///< on the weights
};

/// softmax(logits) v per head, v = x W^v, joined and multiplied by W^o; logits as the parts say, of several Σ_m
/// softmax(α)_m logits_m with α 0 at first, mixed before the softmax. (B, N, D) -> (B, N, D) for N up to `length`: the
/// first N rows and columns are used. Masks act on the logits. Parts that do not read x have one matrix for the whole
/// batch. It saves q · k, not the matrix: O(N² D) time and O(H N²) memory, B times that for parts that read x or with
/// padding; length² H weights for `random`. For fixed relations between positions, and to see how much of attention
/// needs contents: recall by content fails with `random`. Xavier, biases 0. Throws Error unless heads divides dim, when
/// there are no parts or one is given twice, for a longer or an empty sequence, and a mask of another shape. Tay,
/// Bahri, Metzler, Juan, Zhao, Zheng 2020, arXiv 2005.00743.
struct Synthesizer : Module {
  SynthesizerOptions options;  ///< as given
  Size heads, length;          ///< H, and the longest sequence
  /// What one part owns; the rest of these stay undefined.
  struct Part {
    Synthesis kind;            ///< which one it is
    Var table, other;          ///< (H, length, length); or (H, length, rank) twice
    Var w1, b1;                ///< (D, H e), (H e), of dense ones
    Var w2, b2, w3, b3;        ///< (H, e, length), (H, 1, length); of factorised_dense a and b instead of length
    std::vector<Linear> q, k;  ///< of dot_product, (D) -> (D); one or none
  };
  std::vector<Part> parts;  ///< in the order given
  Var alpha;                ///< (parts), of mixtures
  Linear v, o;              ///< (D) -> (D) each
  Dropout drop;             ///< on the weights
  Synthesizer(Size dim, Size head_count, Size longest, Rng& rng, const SynthesizerOptions& choice = {});

  /// `key_padding_mask` (B, N), true = a real position. A query with nothing to see gets o's bias alone.
  Var operator()(const Var& x, const Mask& key_padding_mask = {}) const;
  /// What the softmax gets, (B or 1, H, N, N).
  Var logits(const Var& x) const;

 private:
  Part make(Synthesis kind, Size dim, Rng& rng);
  Var logits(const Part& part, const Var& x) const;
};

}  // namespace HEED_NAMESPACE

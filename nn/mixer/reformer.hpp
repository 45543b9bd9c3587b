// reformer.hpp — attention within buckets of a hash that near vectors share.
#pragma once

#include "nn/attention/projections.hpp"
#include "nn/attention/selection.hpp"
#include "nn/dropout.hpp"

namespace HEED_NAMESPACE {

struct ReformerOptions {   ///< Choices for Reformer.
  Size rounds = 4;         ///< independent hashes
  Size eval_rounds = 8;    ///< the same under Eval
  Size buckets = 32;       ///< of a hash, even
  Size chunk = 32;         ///< m, positions in a chunk of the sorted sequence; 0: the paper's 2 N / buckets
  bool redraw = true;      ///< other hashes at each call in training; under Eval, or false: always those of `seed`
  std::uint64_t seed = 1;  ///< of the hashes under Eval
  bool causal = false;     ///< position i sees only j <= i
  double dropout = 0;      ///< on the weights
};

/// Queries are their own keys: k_j = q_j / |q_j|, scores q_i · k_j / √d. In each round a position's bucket is argmax of
/// [q R; -q R], R (d, buckets / 2) from N(0, 1); real positions are sorted by bucket and then position and cut into
/// chunks of m; i may see j when they share a bucket and j's chunk is i's own or the one before. One softmax over the
/// union of the rounds' sets, which is what the paper's correction for duplicates computes; a position sees itself only
/// when there is nothing else. (B, N, D) -> (B, N, D). O(rounds N (m + log N) D) time and O(rounds N m) memory at most,
/// for m fixed; with chunk 0, N² / buckets. For long inputs in which few positions matter to each, found by likeness;
/// not where queries have to differ from keys. Padding is left out of the sort. Causal: the bounds of chunks depend on
/// later positions, so these can change which earlier ones are seen, never show what they hold. The choice carries no
/// gradient, the norm of keys does. Throws Error unless heads divides dim and buckets is even, for an empty sequence
/// and a mask of another shape. Kitaev, Kaiser, Levskaya 2020, arXiv 2001.04451.
struct Reformer : Module {
  ReformerOptions options;  ///< as given
  Size heads;               ///< H
  Linear qk, v, o;          ///< (D) -> (D) each
  Dropout drop;             ///< on the weights
  Reformer(Size dim, Size head_count, Rng& rng, const ReformerOptions& choice = {})
      : options(choice),
        heads(head_count),
        qk(sub("qk", Linear(dim, dim, rng))),
        v(sub("v", Linear(dim, dim, rng))),
        o(sub("o", Linear(dim, dim, rng))),
        drop(choice.dropout, rng) {
    check(heads > 0 && dim % heads == 0, "Reformer", heads, " heads do not divide ", dim);
    check(options.buckets > 0 && options.buckets % 2 == 0, "Reformer", "expected an even number of buckets, got ",
          options.buckets);
    check(options.rounds > 0 && options.eval_rounds > 0 && options.chunk >= 0, "Reformer",
          "expected 1 round or more and a chunk of 0 or more");
  }

  /// `key_padding_mask` (B, N), true = a real position; a padded query gets o's bias alone.
  Var operator()(const Var& x, const Mask& key_padding_mask = {}) const;

  /// The cells that any round keeps, for q (B, H, N, d) and rotations (d, rounds buckets / 2).
  Edges edges(const Tensor& q, const Tensor& rotations, const Mask& key_padding_mask) const;
  /// The rotations of the next call.
  Tensor rotations(Size width) const;
};

}  // namespace HEED_NAMESPACE

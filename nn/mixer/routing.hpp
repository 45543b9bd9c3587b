// routing.hpp — attention among the positions that k-means puts near the same centre.
#pragma once

#include "nn/attention/attention.hpp"
#include "nn/attention/edges.hpp"
#include "nn/attention/projections.hpp"

namespace HEED_NAMESPACE {

struct RoutingOptions {  ///< Choices for Routing.
  Size clusters = 0;     ///< C; 0: √length
  Size window = 0;       ///< w, positions that a cluster takes; 0: N / C, rounded up
  Size local = 0;        ///< how many of the heads look at neighbours instead (the paper: half of them)
  Size reach = 16;       ///< of those, to each side
  double keep = 0.999;   ///< λ of the moving average; 0.9 to 0.99 on small tasks; 1: centres stay as they are
  bool causal = false;   ///< position i sees only j <= i
};

/// q̂, k̂ = layer norms of q, k without gain or bias. Each of C unit centres a head takes the w real positions with the
/// largest q̂ · μ as queries and the w with the largest k̂ · μ as keys, and they attend among themselves, scores q̂ · k̂ /
/// √d. A position in several clusters gets the mean of its outputs, in none zeros. Causal: the choice by queries serves
/// both, j <= i. (B, N, D) -> (B, N, D). O(N C D + C w² D) time, N^1.5 for the defaults, memory likewise O(N (C + D)).
/// For long inputs that fall into topics. The choice carries no gradient; in training each real q̂ and k̂ votes for its
/// nearest centre, and μ <- λ μ + (1 - λ) mean of its voters, then unit length; without voters it stays. Centres are
/// saved with the model, start as random rows of the first batch and are zero before. Taking the w largest is not a
/// partition, and in the causal form later positions can change which earlier ones are taken, never show what they
/// hold. Throws Error unless heads divides dim and local <= heads, for an empty sequence and a mask of another shape.
/// Roy, Saffar, Vaswani, Grangier 2020, arXiv 2003.05997.
struct Routing : HeadProjections {
  RoutingOptions options;  ///< as given
  Var centres;             ///< (routed heads, C, d)
  Rng* rng;                ///< draws the first centres
  Routing(Size dim, Size head_count, Size length, Rng& generator, const RoutingOptions& choice = {});

  /// `key_padding_mask` (B, N), true = a real position; a padded query of a routed head gets zeros.
  Var operator()(const Var& x, const Mask& key_padding_mask = {}) const;

  /// The w positions with the largest scores (B, H, N, C), sorted, real ones first: B H C w ids of rows b H N + h N +
  /// i. `taken` says which are real.
  static std::vector<int> largest(const Tensor& scores, Size window, const Mask& key_padding_mask,
                                  std::vector<std::uint8_t>& taken);

 private:
  Var routed(const Var& query, const Var& key, const Var& value, const Mask& key_padding_mask) const;
  void update(const std::vector<Tensor>& rows, const Mask& key_padding_mask) const;
};

}  // namespace HEED_NAMESPACE

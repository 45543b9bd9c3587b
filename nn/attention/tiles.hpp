// tiles.hpp — what the forward and backward passes of attention share: operands, masks, and the scores of one tile.
#pragma once

#include <algorithm>

#include "nn/attention/attention.hpp"
#include "nn/attention/plan.hpp"
#include "tensor/gemm.hpp"
#include "tensor/threads.hpp"

namespace HEED_NAMESPACE::tiles {

/// Rows of (B, H, N, width) in memory, each with unit stride.
template <class T>
struct Rows {
  T* data = nullptr;
  Size batch = 0, head = 0, row = 0;
  Size first = 0;  // number of the first row
  T* at(Size b, Size h, Size i) const { return data + b * batch + h * head + (i - first) * row; }
};
Rows<const real> rows(const Tensor& x);
/// Rows of a compact (B, N, H, width), the first of which is number `first`.
Rows<real> result_rows(Tensor& x, Size first = 0);

struct Problem {
  Size batch, heads, queries, keys, width, value_width;
  Size reach = -1, buckets = 0;  // of relative positions
  Tensor q, k, v, relative, additive;
  AttentionOptions options;
  std::uint32_t dropout_key = 0;
  Size seen = 1;                                   // of the mask, when it is alike for all queries: 0
  Shape mask_strides;                              // over (B, H, Nq, Nk)
  std::vector<Size> lengths;                       // of each batch entry; keys unless the pattern depends on it
  std::vector<std::shared_ptr<const Plan>> plans;  // of (b, h)

  Problem(const Var& query, const Var& key, const Var& value, const AttentionOptions& choice);
  const Plan& plan(Size b, Size h) const { return *plans[static_cast<std::size_t>(b * heads + h)]; }
  const Pattern& pattern(Size h) const;
  /// The position of query i.
  Size position(Size b, Size i) const {
    return i + (lengths[static_cast<std::size_t>(b)] == keys ? keys - queries : 0);
  }
  real slope(Size h) const { return options.slopes.empty() ? 0 : options.slopes[static_cast<std::size_t>(h)]; }
  Size bucket(Size distance) const { return std::clamp(distance, -reach, reach) + reach; }
  bool softmax() const { return options.normaliser == Normaliser::softmax; }
};

/// Memory for one thread's tile.
struct Scratch {
  Tensor scores, other, spare, columns;
  std::vector<std::uint8_t> keep, padding;
  explicit Scratch(const Problem& p);
};

/// A block of queries of one head.
struct Place {
  Size b, h;
  const Plan::Block* block;
};

/// The rows of a lattice, `width` numbers each, as BLAS reads them where they lie.
inline Matrix matrix(const Rows<const real>& x, const Place& place, const Lattice& lattice, Size width,
                     bool transposed = false) {
  return {x.at(place.b, place.h, lattice.first), std::max(width, x.row * lattice.step), transposed};
}

/// s (queries, keys) = the scores of a tile, -infinity where nothing is kept. False, and s is not touched, when the
/// whole tile is masked.
bool scores(const Problem& p, const Place& place, const Plan::Tile& tile, Scratch& scratch, real* s);

/// Additive scores only: takes the gradient of a tile's scores, adds to those of its queries, keys and weights.
void additive_backward(const Problem& p, const Place& place, const Plan::Tile& tile, Scratch& scratch, const real* ds,
                       const Rows<real>& dq, const Rows<real>& dk, real* dw);

/// Drops weights of a tile: the same ones forward and backward.
void drop(const Problem& p, const Place& place, const Plan::Tile& tile, const real* in, real* out);

/// The blocks of all heads.
std::vector<Place> places(const Problem& p);
/// How many cells the tiles of all heads hold.
Size all_cells(const Problem& p);

/// Calls f(item, scratch) for all items, on threads when the whole is worth it.
template <class F>
void each_item(const Problem& p, std::size_t items, Size cells, const F& f) {
  Size work = cells * (p.width + p.value_width + 8);
  Size grain = work < (Size(1) << 18) ? static_cast<Size>(items) : 1;
  parallel_for(static_cast<Size>(items), grain, [&](Size begin, Size end) {
    Scratch scratch(p);
    for (Size i = begin; i < end; i++) f(static_cast<std::size_t>(i), scratch);
  });
}

/// (B, Nq, H, dv + buckets), and for backward one number a row, (B, Nq, H, 1): log Σ e^score, or what ReLU's weights
/// are multiplied by.
struct Outputs {
  Tensor out, stats;
};
Outputs forward(const Problem& p);

/// Gradients of q, k, v, relative scores and additive weights.
std::vector<Tensor> backward(const Problem& p, const Outputs& o, const Tensor& gradient);

/// Makes weights of a tile's scores again, from what forward() kept of each row.
void weights_again(const Problem& p, const Place& place, Size m, const Rows<const real>& stats, real* s);

}  // namespace HEED_NAMESPACE::tiles

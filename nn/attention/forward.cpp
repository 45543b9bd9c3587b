// Attention forward: tiles of softmax with a running maximum and sum.
#include <algorithm>
#include <cmath>

#include "nn/attention/tiles.hpp"
#include "tensor/kernels.hpp"
#include "tensor/rows.hpp"

namespace HEED_NAMESPACE::tiles {

namespace {

// One tile of softmax with a running maximum and sum: scores become e^(score - top), what was gathered shrinks if the
// top rose.
void soften(real* s, Size n, Size m, real* top, real* total, real* out, Size stride, Size width, bool first) {
  for (Size i = 0; i < n; i++) {
    real* row = s + i * m;
    real best = std::max(kernel::row_max(row, m), top[i]);
    if (!first && best > top[i]) {
      real shrink = kernel::exp(top[i] - best);
      total[i] *= shrink;
      kernel::scale_row(out + i * stride, shrink, width);
    }
    top[i] = best;
    total[i] += kernel::exp_row(row, best == kernel::none ? 0 : best, row, m);  // not skipped: NaN has to stay visible
  }
}

void rectify(real* s, Size n, Size m, real* total) {
  for (Size i = 0; i < n; i++) {
    real *row = s + i * m, kept = 0;
#pragma omp simd reduction(+ : kept)
    for (Size j = 0; j < m; j++) {
      kept += row[j] == kernel::none ? real(0) : real(1);
      row[j] = row[j] < 0 ? 0 : row[j];
    }
    total[i] += kept;
  }
}

// Sums the weights of each row by relative position.
void gather_buckets(const Problem& p, const Place& place, const Lattice& keys, const real* s, real* out, Size stride) {
  const Lattice& queries = place.block->queries;
  for (Size i = 0; i < queries.count; i++) {
    Size at = p.position(place.b, queries[i]);
    real* sums = out + i * stride + p.value_width;
    for (Size j = 0; j < keys.count; j++) sums[p.bucket(keys[j] - at)] += s[i * keys.count + j];
  }
}

// The outputs of one block, and for backward one number a row: log Σ e^score, or what ReLU's weights are multiplied by.
void forward_block(const Problem& p, const Place& place, Scratch& scratch, const Rows<real>& out,
                   const Rows<real>& stats) {
  const Lattice& queries = place.block->queries;
  Size n = queries.count, wide = p.value_width + p.buckets;
  Size stride = std::max(wide, out.row * queries.step);
  real *to = out.at(place.b, place.h, queries.first), *s = scratch.scores.mut();
  std::vector<real> top(static_cast<std::size_t>(n), kernel::none), total(static_cast<std::size_t>(n), 0);
  for (Size i = 0; i < n; i++) std::fill_n(to + i * stride, wide, real(0));
  bool first = true;
  for (std::size_t t = place.block->first_tile; t < place.block->end_tile; t++) {
    const Plan::Tile& tile = p.plan(place.b, place.h).tiles[t];
    if (!scores(p, place, tile, scratch, s)) continue;
    Size m = tile.keys.count;
    if (p.softmax())
      soften(s, n, m, top.data(), total.data(), to, stride, wide, first);
    else
      rectify(s, n, m, total.data());
    if (p.options.dropout > 0) drop(p, place, tile, s, s);
    if (p.buckets) gather_buckets(p, place, tile.keys, s, to, stride);
    gemm({s, m}, matrix(rows(p.v), place, tile.keys, p.value_width), to, stride, n, p.value_width, m, 1,
         first ? real(0) : real(1));
    first = false;
    count_work(n * m * (p.width + p.value_width + 1));
  }
  for (Size i = 0; i < n; i++) {
    real sum = total[static_cast<std::size_t>(i)], *stat = stats.at(place.b, place.h, queries[i]);
    bool literal = p.options.normaliser == Normaliser::relu_sum;
    real factor = literal ? real(1) : sum > 0 ? 1 / sum : sum == 0 ? real(0) : sum;  // NaN stays NaN
    kernel::scale_row(to + i * stride, factor, wide);
    *stat = !p.softmax() ? factor : sum == 0 ? real(0) : top[static_cast<std::size_t>(i)] + std::log(sum);
  }
}

}  // namespace

Outputs forward(const Problem& p) {
  Shape shape{p.batch, p.queries, p.heads, p.value_width + p.buckets};
  bool whole = true;
  for (Size b = 0; b < p.batch; b++) whole = whole && p.lengths[static_cast<std::size_t>(b)] == p.keys;
  Outputs o = whole ? Outputs{Tensor(shape), Tensor(shape.with(-1, 1))}
                    : Outputs{Tensor(shape, 0), Tensor(shape.with(-1, 1), 0)};
  Rows<real> out = result_rows(o.out), stats = result_rows(o.stats);
  std::vector<Place> list = places(p);
  each_item(p, list.size(), all_cells(p),
            [&](std::size_t i, Scratch& scratch) { forward_block(p, list[i], scratch, out, stats); });
  return o;
}

}  // namespace HEED_NAMESPACE::tiles

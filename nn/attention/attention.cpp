#include "nn/attention/attention.hpp"

#include <algorithm>
#include <cmath>

#include "nn/attention/tiles.hpp"
#include "tensor/gemm.hpp"
#include "tensor/kernels.hpp"
#include "tensor/rows.hpp"

namespace HEED_NAMESPACE {

namespace {

using namespace tiles;

std::vector<Place> places(const Problem& p) {
  std::vector<Place> out;
  for (Size b = 0; b < p.batch; b++)
    for (Size h = 0; h < p.heads; h++)
      for (const Plan::Block& block : p.plan(b, h).blocks) out.push_back({b, h, &block});
  return out;
}

// Calls f(item, scratch) for all items, on threads when the whole is worth it.
template <class F>
void each_item(const Problem& p, std::size_t items, Size cells, const F& f) {
  Size work = cells * (p.width + p.value_width + 8);
  Size grain = work < (Size(1) << 18) ? static_cast<Size>(items) : 1;
  parallel_for(static_cast<Size>(items), grain, [&](Size begin, Size end) {
    Scratch scratch(p);
    for (Size i = begin; i < end; i++) f(static_cast<std::size_t>(i), scratch);
  });
}

Size all_cells(const Problem& p) {
  Size cells = 0;
  for (const auto& plan : p.plans) cells += plan->cells;
  return cells;
}

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
    Rows<const real> v = rows(p.v);
    gemm({s, m}, {v.at(place.b, place.h, tile.keys.first), std::max(p.value_width, v.row * tile.keys.step)}, to, stride,
         n, p.value_width, m, 1, first ? real(0) : real(1));
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

struct Outputs {
  Tensor out, stats;  // (B, Nq, H, dv + buckets), (B, Nq, H, 1)
};

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

struct Gradients {
  Rows<real> q, k, v, relative;
  real* additive;
};

// Weights from scores and what forward() kept of each row.
void weights_again(const Problem& p, const Place& place, Size m, const Rows<const real>& stats, real* s) {
  const Lattice& queries = place.block->queries;
  for (Size i = 0; i < queries.count; i++) {
    real *row = s + i * m, stat = *stats.at(place.b, place.h, queries[i]);
    if (p.softmax()) {
      kernel::exp_row(row, stat, row, m);
    } else {
#pragma omp simd
      for (Size j = 0; j < m; j++) row[j] = row[j] < 0 ? 0 : row[j] * stat;
    }
  }
}

void backward_tile(const Problem& p, const Place& place, const Plan::Tile& tile, Scratch& scratch,
                   const Rows<const real>& g, const Rows<const real>& stats, const std::vector<real>& mean,
                   const Gradients& d) {
  real *s = scratch.scores.mut(), *ds = scratch.other.mut();
  if (!scores(p, place, tile, scratch, s)) return;
  const Lattice &queries = place.block->queries, &keys = tile.keys;
  Size n = queries.count, m = keys.count;
  Rows<const real> q = rows(p.q), k = rows(p.k), v = rows(p.v);
  auto matrix = [&](const auto& x, const Lattice& l, Size width, bool transposed = false) {
    return Matrix{x.at(place.b, place.h, l.first), std::max(width, x.row * l.step), transposed};
  };
  weights_again(p, place, m, stats, s);
  // The gradient of the weights.
  gemm(matrix(g, queries, p.value_width + p.buckets), matrix(v, keys, p.value_width, true), ds, m, n, m, p.value_width);
  for (Size i = 0; p.buckets && i < n; i++) {
    const real* up = g.at(place.b, place.h, queries[i]) + p.value_width;
    Size at = p.position(place.b, queries[i]);
    for (Size j = 0; j < m; j++) ds[i * m + j] += up[p.bucket(keys[j] - at)];
  }
  const real* weights = s;
  if (p.options.dropout > 0) {
    drop(p, place, tile, ds, ds);
    drop(p, place, tile, s, scratch.spare.mut());
    weights = scratch.spare.data();
  }
  gemm({weights, m, true}, matrix(g, queries, p.value_width + p.buckets), d.v.at(place.b, place.h, keys.first),
       std::max(p.value_width, d.v.row * keys.step), m, p.value_width, n, 1, 1);
  // The gradient of the scores.
  for (Size i = 0; i < n; i++) {
    real *row = ds + i * m, shift = mean[static_cast<std::size_t>(i)];
    const real* w = s + i * m;
    if (p.softmax()) {
#pragma omp simd
      for (Size j = 0; j < m; j++) row[j] = w[j] * (row[j] - shift);
    } else {
      real factor = *stats.at(place.b, place.h, queries[i]);
#pragma omp simd
      for (Size j = 0; j < m; j++) row[j] = w[j] > 0 ? row[j] * factor : 0;
    }
    if (!p.buckets) continue;
    real* sums = d.relative.at(place.b, place.h, queries[i]);
    Size at = p.position(place.b, queries[i]);
    for (Size j = 0; j < m; j++) sums[p.bucket(keys[j] - at)] += row[j] * p.options.scale;
  }
  count_work(n * m * (3 * p.width + 2 * p.value_width + 2));
  if (p.additive.defined()) return additive_backward(p, place, tile, scratch, ds, d.q, d.k, d.additive);
  gemm({ds, m}, matrix(k, keys, p.width), d.q.at(place.b, place.h, queries.first),
       std::max(p.width, d.q.row * queries.step), n, p.width, m, p.options.scale, 1);
  gemm({ds, m, true}, matrix(q, queries, p.width), d.k.at(place.b, place.h, keys.first),
       std::max(p.width, d.k.row * keys.step), m, p.width, n, p.options.scale, 1);
}

// Which chunk each block of a plan belongs to, so that chunks are of about equal work.
std::vector<Size> chunk_of_blocks(const Plan& plan, Size chunks) {
  std::vector<Size> out;
  Size before = 0;
  for (const Plan::Block& block : plan.blocks) {
    out.push_back(std::min(chunks - 1, before * chunks / std::max<Size>(1, plan.cells)));
    for (std::size_t t = block.first_tile; t < block.end_tile; t++)
      before += block.queries.count * plan.tiles[t].keys.count;
  }
  return out;
}

// The keys that a chunk touches: [first, end).
std::pair<Size, Size> keys_of_chunk(const Problem& p, Size chunks, Size chunk) {
  if (chunks == 1) return {0, p.keys};
  Size first = p.keys, end = 0;
  for (std::size_t i = 0; i < p.plans.size(); i++) {
    if (i > 0 && p.plans[i] == p.plans[i - 1]) continue;
    const Plan& plan = *p.plans[i];
    std::vector<Size> chunk_of = chunk_of_blocks(plan, chunks);
    for (std::size_t block = 0; block < plan.blocks.size(); block++)
      for (std::size_t t = plan.blocks[block].first_tile; chunk_of[block] == chunk && t < plan.blocks[block].end_tile;
           t++) {
        first = std::min(first, plan.tiles[t].keys.first);
        end = std::max(end, plan.tiles[t].keys.last() + 1);
      }
  }
  return {std::min(first, end), end};
}

// Gathers the chunks' rows in one tensor (B, N, H, width), freeing them.
Tensor gathered(std::vector<Tensor>& parts, const std::vector<Gradients>& chunks, Size keys) {
  if (parts.size() == 1) return parts[0];
  Shape shape = parts[0].shape().with(1, keys);
  Tensor out(shape, 0);
  real* to = out.mut();
  Size row = shape[2] * shape[3];
  for (std::size_t c = 0; c < parts.size(); c++) {
    Size count = parts[c].size(1), first = chunks[c].k.first;
    const real* from = parts[c].data();
    for (Size b = 0; b < shape[0]; b++) {
      real* rows = to + (b * keys + first) * row;
      const real* more = from + b * count * row;
#pragma omp simd
      for (Size i = 0; i < count * row; i++) rows[i] += more[i];
    }
    parts[c] = {};
  }
  return out;
}

std::vector<Tensor> backward(const Problem& p, const Outputs& o, const Tensor& gradient) {
  // Heads are independent. When there are few, each is cut into chunks of queries that gather gradients of keys and
  // values apart; how many depends on the shape alone, so that the bits do not depend on the threads.
  Size heads = p.batch * p.heads, chunks = 1;
  if (all_cells(p) > Size(1) << 14)
    for (const auto& plan : p.plans)
      chunks = std::max(chunks, std::min((4 + heads - 1) / heads, static_cast<Size>(plan->blocks.size())));
  Tensor g = gradient.strides()[-1] == 1 ? gradient : gradient.compact();
  auto zeros = [&](Size n, Size width) { return Tensor({p.batch, n, p.heads, width}, 0); };
  Tensor dq = zeros(p.queries, p.width), drelative = zeros(p.buckets ? p.queries : 0, p.buckets);
  Tensor dw({chunks * heads, p.additive.defined() ? p.width : 0}, 0);
  std::vector<Tensor> dk, dv;
  std::vector<Gradients> to;
  for (Size c = 0; c < chunks; c++) {
    auto [first, end] = keys_of_chunk(p, chunks, c);
    dk.push_back(zeros(end - first, p.width)), dv.push_back(zeros(end - first, p.value_width));
    to.push_back({{}, result_rows(dk.back(), first), result_rows(dv.back(), first), {}, nullptr});
  }
  real* weights = dw.mut();
  for (Gradients& chunk : to) chunk.q = result_rows(dq), chunk.relative = result_rows(drelative);
  Rows<const real> up = rows(g), stats = rows(o.stats.permute({0, 2, 1, 3})), out = rows(o.out.permute({0, 2, 1, 3}));
  each_item(p, static_cast<std::size_t>(heads * chunks), all_cells(p), [&](std::size_t item, Scratch& scratch) {
    Size chunk = static_cast<Size>(item) % chunks, head = static_cast<Size>(item) / chunks, b = head / p.heads,
         h = head % p.heads;
    const Plan& plan = p.plan(b, h);
    Gradients d = to[static_cast<std::size_t>(chunk)];
    d.additive = weights + static_cast<Size>(item) * p.width;
    std::vector<Size> chunk_of = chunk_of_blocks(plan, chunks);
    for (std::size_t i = 0; i < plan.blocks.size(); i++) {
      if (chunk_of[i] != chunk) continue;
      const Plan::Block& block = plan.blocks[i];
      std::vector<real> mean;
      for (Size row = 0; row < block.queries.count; row++)
        mean.push_back(kernel::dot_row(up.at(b, h, block.queries[row]), out.at(b, h, block.queries[row]),
                                       p.value_width + p.buckets));
      for (std::size_t t = block.first_tile; t < block.end_tile; t++)
        backward_tile(p, {b, h, &block}, plan.tiles[t], scratch, up, stats, mean, d);
    }
  });
  auto by_head = [](const Tensor& x) { return x.permute({0, 2, 1, 3}); };
  const int first[] = {0};
  Tensor k = gathered(dk, to, p.keys), v = gathered(dv, to, p.keys);
  return {by_head(dq), by_head(k), by_head(v), p.buckets ? by_head(drelative) : Tensor(),
          p.additive.defined() ? sum(dw, first) : Tensor()};
}

// (N, d) and (B, N, d) as (B, 1, N, d).
Var with_heads(const Var& x) {
  if (x.rank() != 2 && x.rank() != 3) return x;
  return reshape(x, {x.rank() == 3 ? x.size(0) : 1, 1, x.size(-2), x.size(-1)});
}

// The scores that edges can hold: plain ones.
bool plain(const Problem& p) { return p.softmax() && !p.buckets && !p.additive.defined() && p.options.slopes.empty(); }

Var along_edges(const Problem& p, const Edges& edges, const Var& q, const Var& k, const Var& v) {
  Mask keep;
  if (const Mask& mask = p.options.mask; mask.defined()) {
    Shape shape = mask.shape();
    while (shape.rank() < 4) shape = shape.insert(0, 1);
    Size entries = shape[0], heads = shape[1];
    std::vector<std::uint8_t> kept;
    for (Size b = 0; b < entries; b++)
      for (Size h = 0; h < heads; h++)
        for (std::size_t e = 0; e < edges.key_of().size(); e++)
          kept.push_back(mask[b * p.mask_strides[0] + h * p.mask_strides[1] + edges.query_of()[e] * p.mask_strides[2] +
                              edges.key_of()[e] * p.mask_strides[3]]);
    keep = Mask({entries, heads, edges.count()}, std::move(kept));
  }
  Var weights = edge_softmax(edge_scores(q, k, edges, p.options.scale), edges, keep);
  if (p.options.dropout > 0) weights = dropout(weights, p.options.dropout, *p.options.rng);
  return edge_sum(weights, v, edges);
}

// Whether some heads, not all or not alike, are better off going edge by edge.
bool one_head_at_a_time(const Problem& p) {
  if (p.heads == 1 || !plain(p) || (p.options.mask.defined() && p.mask_strides[1])) return false;
  bool scattered = false, by_head = false;
  for (Size h = 0; h < p.heads; h++) {
    scattered = scattered || p.plan(0, h).edges;
    by_head = by_head || (p.pattern(h).defined() && p.pattern(h).rule()->by_head());
  }
  return scattered && !by_head;
}

}  // namespace

Var attention(const Var& q, const Var& k, const Var& v, const AttentionOptions& options) {
  if (q.rank() < 4 && q.rank() == k.rank() && q.rank() == v.rank() && q.rank() >= 2) {
    Var y = attention(with_heads(q), with_heads(k), with_heads(v), options);
    return reshape(y, q.shape().with(-1, y.size(-1)));
  }
  auto p = std::make_shared<const Problem>(q, k, v, options);
  if (plain(*p) && p->plans[0]->edges && std::equal(p->plans.begin() + 1, p->plans.end(), p->plans.begin()))
    return along_edges(*p, *p->plans[0]->edges, q, k, v);
  if (one_head_at_a_time(*p)) {
    std::vector<Var> heads;
    for (Size h = 0; h < p->heads; h++) {
      AttentionOptions mine = options;
      mine.patterns = {p->pattern(h)};
      auto head = [h](const Var& x) { return slice(x, 1, h, h + 1); };
      heads.push_back(attention(head(q), head(k), head(v), mine));
    }
    return concat(heads, 1);
  }
  Outputs o = forward(*p);
  return op("attention", o.out.permute({0, 2, 1, 3}), {q, k, v, options.relative, options.additive},
            [p, o](const Tensor& g) { return backward(*p, o, g); });
}

Tensor attention_weights(const Var& q, const Var& k, const AttentionOptions& options) {
  Eval eval;
  Problem p(with_heads(q), with_heads(k), with_heads(k), options);
  Outputs o = forward(p);
  Tensor weights({p.batch, p.heads, p.queries, p.keys}, 0);
  Rows<real> out{weights.mut(), weights.strides()[0], weights.strides()[1], weights.strides()[2]};
  Rows<const real> stats = rows(o.stats.permute({0, 2, 1, 3}));
  std::vector<Place> list = places(p);
  each_item(p, list.size(), all_cells(p), [&](std::size_t item, Scratch& scratch) {
    const Place& place = list[item];
    for (std::size_t t = place.block->first_tile; t < place.block->end_tile; t++) {
      const Plan::Tile& tile = p.plan(place.b, place.h).tiles[t];
      real* s = scratch.scores.mut();
      if (!scores(p, place, tile, scratch, s)) continue;
      weights_again(p, place, tile.keys.count, stats, s);
      for (Size i = 0; i < place.block->queries.count; i++)
        for (Size j = 0; j < tile.keys.count; j++)
          out.at(place.b, place.h, place.block->queries[i])[tile.keys[j]] = s[i * tile.keys.count + j];
    }
  });
  return weights;
}

}  // namespace HEED_NAMESPACE

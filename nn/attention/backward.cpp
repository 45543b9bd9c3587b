// Attention backward: scores and weights of each tile once more, then the gradients.
#include <algorithm>
#include <cmath>

#include "nn/attention/tiles.hpp"
#include "tensor/kernels.hpp"
#include "tensor/rows.hpp"

namespace HEED_NAMESPACE::tiles {

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

namespace {

struct Gradients {
  Rows<real> q, k, v, relative;
  real* additive;
};

void backward_tile(const Problem& p, const Place& place, const Plan::Tile& tile, Scratch& scratch,
                   const Rows<const real>& g, const Rows<const real>& stats, const std::vector<real>& mean,
                   const Gradients& d) {
  real *s = scratch.scores.mut(), *ds = scratch.other.mut();
  if (!scores(p, place, tile, scratch, s)) return;
  const Lattice &queries = place.block->queries, &keys = tile.keys;
  Size n = queries.count, m = keys.count;
  Rows<const real> q = rows(p.q), k = rows(p.k), v = rows(p.v);
  weights_again(p, place, m, stats, s);
  // The gradient of the weights.
  gemm(matrix(g, place, queries, p.value_width + p.buckets), matrix(v, place, keys, p.value_width, true), ds, m, n, m,
       p.value_width);
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
  gemm({weights, m, true}, matrix(g, place, queries, p.value_width + p.buckets), d.v.at(place.b, place.h, keys.first),
       std::max(p.value_width, d.v.row * keys.step), m, p.value_width, n, 1, 1);
  // The gradient of the scores.
  for (Size i = 0; i < n; i++) {
    real* row = ds + i * m;
    const real* w = s + i * m;
    if (p.softmax()) {
      real shift = mean.empty() ? kernel::dot_row(w, row, m) : mean[static_cast<std::size_t>(i)];
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
  gemm({ds, m}, matrix(k, place, keys, p.width), d.q.at(place.b, place.h, queries.first),
       std::max(p.width, d.q.row * queries.step), n, p.width, m, p.options.scale, 1);
  gemm({ds, m, true}, matrix(q, place, queries, p.width), d.k.at(place.b, place.h, keys.first),
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

}  // namespace

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
      // A row that lies in one tile takes its mean there: exact when only one key is kept.
      for (Size row = 0; block.end_tile - block.first_tile > 1 && row < block.queries.count; row++)
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

}  // namespace HEED_NAMESPACE::tiles

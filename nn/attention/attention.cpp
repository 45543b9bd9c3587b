#include "nn/attention/attention.hpp"

#include <algorithm>

#include "nn/attention/hook.hpp"
#include "nn/attention/tiles.hpp"

namespace HEED_NAMESPACE {

namespace {

using namespace tiles;

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
  if (p.plans.empty() || p.heads == 1 || !plain(p) || (p.options.mask.defined() && p.mask_strides[1])) return false;
  bool scattered = false, by_head = false;
  for (Size h = 0; h < p.heads; h++) {
    scattered = scattered || p.plan(0, h).edges;
    by_head = by_head || (p.pattern(h).defined() && p.pattern(h).rule()->by_head());
  }
  return scattered && !by_head;
}

}  // namespace

Var attention(const Var& q, const Var& k, const Var& v, const AttentionOptions& options) {
  if (AttentionHook* hook = AttentionHook::current()) [[unlikely]]
    return hook->ask(q, k, v, options);
  if (q.rank() < 4 && q.rank() == k.rank() && q.rank() == v.rank() && q.rank() >= 2) {
    Var y = attention(with_heads(q), with_heads(k), with_heads(v), options);
    return reshape(y, q.shape().with(-1, y.size(-1)));
  }
  auto p = std::make_shared<const Problem>(q, k, v, options);
  if (plain(*p) && !p->plans.empty() && p->plans[0]->edges &&
      std::equal(p->plans.begin() + 1, p->plans.end(), p->plans.begin()))
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

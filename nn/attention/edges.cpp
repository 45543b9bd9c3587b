#include "nn/attention/edges.hpp"

#include <algorithm>

#include "nn/attention/tiles.hpp"
#include "tensor/kernels.hpp"
#include "tensor/rows.hpp"

namespace HEED_NAMESPACE {

Edges::Edges(Size queries, Size keys, std::span<const Pair> pairs) {
  for (const Pair& p : pairs)
    check(p.query >= 0 && p.query < queries && p.key >= 0 && p.key < keys, "Edges", "pair (", p.query, ", ", p.key,
          ") is outside ", queries, " queries and ", keys, " keys");
  auto data = std::make_shared<Data>();
  // Counting sort by key, then, stable, by query.
  auto counted = [](const auto& list, Size ends, auto end_of) {
    std::vector<Size> first(static_cast<std::size_t>(ends) + 1, 0);
    for (const auto& p : list) first[static_cast<std::size_t>(end_of(p)) + 1]++;
    for (std::size_t i = 1; i < first.size(); i++) first[i] += first[i - 1];
    return first;
  };
  std::vector<Pair> by_key(pairs.size()), sorted(pairs.size());
  std::vector<Size> at = counted(pairs, keys, [](const Pair& p) { return p.key; });
  for (const Pair& p : pairs) by_key[static_cast<std::size_t>(at[static_cast<std::size_t>(p.key)]++)] = p;
  at = counted(pairs, queries, [](const Pair& p) { return p.query; });
  for (const Pair& p : by_key) sorted[static_cast<std::size_t>(at[static_cast<std::size_t>(p.query)]++)] = p;
  for (const Pair& p : sorted) {
    if (!data->key.empty() && data->query.back() == p.query && data->key.back() == p.key) continue;
    data->query.push_back(p.query);
    data->key.push_back(p.key);
  }
  data->first = counted(data->query, queries, [](int query) { return query; });
  data->first_of_key = at = counted(data->key, keys, [](int key) { return key; });
  data->in_edges.resize(data->key.size());
  for (std::size_t e = 0; e < data->key.size(); e++)
    data->in_edges[static_cast<std::size_t>(at[static_cast<std::size_t>(data->key[e])]++)] = static_cast<int>(e);
  data_ = std::move(data);
}

Size Edges::find(Size query, Size key) const {
  auto begin = data_->key.begin() + first(query), end = data_->key.begin() + first(query + 1);
  auto it = std::lower_bound(begin, end, key);
  return it != end && *it == key ? it - data_->key.begin() : -1;
}

namespace {

struct EdgeRule : Pattern::Rule {
  Edges edges;
  explicit EdgeRule(const Edges& e) : edges(e) {}
  // The neighbours of position p, none beyond the graph.
  std::span<const int> neighbours(Size p) const {
    if (p < 0 || p >= edges.queries()) return {};
    return std::span(edges.key_of())
        .subspan(static_cast<std::size_t>(edges.first(p)),
                 static_cast<std::size_t>(edges.first(p + 1) - edges.first(p)));
  }
  void spans(const Place&, const Lattice& queries, const Lattice& keys, std::vector<Span>& out) const override {
    std::vector<Size> any;
    for (Size i = 0; i < queries.count; i++)
      for (int key : neighbours(queries[i]))
        if (Size at = key - keys.first; at >= 0 && at % keys.step == 0 && at / keys.step < keys.count)
          any.push_back(at / keys.step);
    std::sort(any.begin(), any.end());
    any.erase(std::unique(any.begin(), any.end()), any.end());
    for (Size key : any) {
      if (!out.empty() && key - out.back().end < 16)  // short gaps cost less than more tiles
        out.back() = {out.back().begin, key + 1, false};
      else
        out.push_back({key, key + 1, queries.count == 1});
    }
  }
  void row(const Place&, Size p, const Lattice& keys, std::uint8_t* keep) const override {
    std::fill_n(keep, keys.count, std::uint8_t(0));
    for (int key : neighbours(p))
      if (Size at = key - keys.first; at >= 0 && at % keys.step == 0 && at / keys.step < keys.count)
        keep[at / keys.step] = 1;
  }
  bool scattered(Size) const override { return true; }
};

using tiles::Rows;
using tiles::rows;

Tensor unit_rows(const Tensor& x) { return x.strides()[-1] == 1 ? x : x.compact(); }

// f(b, h, row) for all rows of all heads, on threads.
template <class F>
void each_row(Size batch, Size heads, Size n, Size work, const F& f) {
  Size grain = std::max<Size>(1, (Size(1) << 16) / std::max<Size>(1, work / std::max<Size>(1, batch * heads * n)));
  parallel_for(batch * heads * n, grain, [&](Size begin, Size end) {
    for (Size i = begin; i < end; i++) f(i / (heads * n), i / n % heads, i % n);
  });
}

// x_i · y_j on each edge.
Tensor dots(const Tensor& x, const Tensor& y, const Edges& edges, real scale) {
  Size batch = x.size(0), heads = x.size(1), count = edges.count(), d = x.size(3);
  Tensor out({batch, heads, count});
  real* to = out.mut();
  Rows<const real> from = rows(x), other = rows(y);
  each_row(batch, heads, edges.queries(), batch * heads * count * d, [&](Size b, Size h, Size i) {
    const real* query = from.at(b, h, i);
    for (Size e = edges.first(i); e < edges.first(i + 1); e++)
      to[(b * heads + h) * count + e] =
          kernel::dot_row(query, other.at(b, h, edges.key_of()[static_cast<std::size_t>(e)]), d) * scale;
  });
  count_work(batch * heads * count * d);
  return out;
}

// Σ over the edges of each query of w x_key, or, `inward`, over the edges of each key of w x_query; (B, N, H, d).
Tensor sums(const Tensor& w, const Tensor& x, const Edges& edges, real scale, bool inward) {
  Size batch = x.size(0), heads = x.size(1), count = edges.count(), d = x.size(3);
  Size n = inward ? edges.keys() : edges.queries();
  Tensor out({batch, n, heads, d});
  Rows<real> to = tiles::result_rows(out);
  Rows<const real> from = rows(x);
  each_row(batch, heads, n, batch * heads * count * d, [&](Size b, Size h, Size i) {
    real* total = to.at(b, h, i);
    const real* weight = w.data() + (b * heads + h) * count;
    std::fill_n(total, d, real(0));
    for (Size at = inward ? edges.first_in(i) : edges.first(i),
              end = inward ? edges.first_in(i + 1) : edges.first(i + 1);
         at < end; at++) {
      auto e = static_cast<std::size_t>(inward ? edges.in_edges()[static_cast<std::size_t>(at)] : at);
      const real* row = from.at(b, h, inward ? edges.query_of()[e] : edges.key_of()[e]);
      real share = weight[e] * scale;
#pragma omp simd
      for (Size c = 0; c < d; c++) total[c] += share * row[c];
    }
  });
  count_work(batch * heads * count * d);
  return out.permute({0, 2, 1, 3});
}

void check_edges(const char* name, const Shape& values, Size nodes, const Shape& numbers, const Edges& edges) {
  check(values.rank() == 4 && values[2] == nodes, name, "expected (B, H, ", nodes, ", d), got ", values);
  check(numbers.rank() == 3 && numbers[0] == values[0] && numbers[1] == values[1] && numbers[2] == edges.count(), name,
        "expected numbers on the edges of shape (", values[0], ", ", values[1], ", ", edges.count(), "), got ",
        numbers);
}

}  // namespace

Pattern Edges::pattern() const {
  check(queries() == keys(), "Edges::pattern", queries(), " queries but ", keys(), " keys");
  return Pattern(std::make_shared<const EdgeRule>(*this));
}

Var edge_scores(const Var& q, const Var& k, const Edges& edges, real scale) {
  Tensor x = unit_rows(q.value()), y = unit_rows(k.value());
  Shape on_edges = x.rank() == 4 ? Shape{x.size(0), x.size(1), edges.count()} : Shape{};
  check_edges("edge_scores", x.shape(), edges.queries(), on_edges, edges);
  check_edges("edge_scores", y.shape(), edges.keys(), on_edges, edges);
  check(x.size(3) == y.size(3), "edge_scores", "widths differ: ", x.shape(), " and ", y.shape());
  return op("edge_scores", dots(x, y, edges, scale),
            {{q, [=](const Tensor& g) { return sums(g.compact(), y, edges, scale, false); }},
             {k, [=](const Tensor& g) { return sums(g.compact(), x, edges, scale, true); }}});
}

Var edge_softmax(const Var& scores, const Edges& edges, const Mask& keep) {
  Tensor x = scores.value().compact(), y(x.shape());
  check(x.rank() == 3 && x.size(2) == edges.count(), "edge_softmax", "expected (B, H, ", edges.count(), "), got ",
        x.shape());
  Size heads = x.size(1), count = edges.count();
  Shape step = keep.defined()
                   ? broadcast_strides("edge_softmax", keep.shape(), keep.shape().compact_strides(), x.shape())
                   : Shape{0, 0, 0};
  const std::uint8_t* kept = keep.data();
  real* to = y.mut();
  each_row(x.size(0), heads, edges.queries(), x.numel() * 8, [&](Size b, Size h, Size i) {
    Size begin = edges.first(i), n = edges.first(i + 1) - begin;
    const real* from = x.data() + (b * heads + h) * count + begin;
    real* row = to + (b * heads + h) * count + begin;
    for (Size e = 0; e < n; e++)
      row[e] = !kept || kept[b * step[0] + h * step[1] + (begin + e) * step[2]] ? from[e] : kernel::none;
    real top = kernel::row_max(row, n);
    real total = kernel::exp_row(row, top == kernel::none ? 0 : top, row, n);
    kernel::scale_row(row, total == 0 ? 0 : 1 / total, n);
  });
  count_work(x.numel());
  return op("edge_softmax", y, {{scores, [y, edges, heads, count](const Tensor& gradient) {
                                   Tensor g = gradient.compact(), dx(y.shape());
                                   real* d = dx.mut();
                                   each_row(y.size(0), heads, edges.queries(), y.numel() * 4,
                                            [&](Size b, Size h, Size i) {
                                              Size begin = edges.first(i), n = edges.first(i + 1) - begin;
                                              Size at = (b * heads + h) * count + begin;
                                              real mean = kernel::dot_row(y.data() + at, g.data() + at, n);
                                              for (Size e = at; e < at + n; e++)
                                                d[e] = y.data()[e] * (g.data()[e] - mean);
                                            });
                                   count_work(y.numel());
                                   return dx;
                                 }}});
}

Var edge_sum(const Var& weights, const Var& v, const Edges& edges) {
  Tensor w = weights.value().compact(), x = unit_rows(v.value());
  check_edges("edge_sum", x.shape(), edges.keys(), w.shape(), edges);
  return op("edge_sum", sums(w, x, edges, 1, false),
            {{weights, [=](const Tensor& g) { return dots(unit_rows(g), x, edges, 1); }},
             {v, [=](const Tensor& g) { return sums(w, unit_rows(g), edges, 1, true); }}});
}

}  // namespace HEED_NAMESPACE

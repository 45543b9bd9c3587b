#include "nn/mixer/routing.hpp"

#include <algorithm>

#include "tensor/gemm.hpp"
#include "tensor/kernels.hpp"
#include "tensor/rows.hpp"

namespace HEED_NAMESPACE {

namespace {

bool is_real(const Mask& key_padding_mask, Size b, Size i) {
  return !key_padding_mask.defined() || key_padding_mask[b * key_padding_mask.shape()[1] + i];
}

// x / |x|; zeros stay.
void normalise(real* x, Size n) {
  real size = std::sqrt(kernel::dot_row(x, x, n));
  kernel::scale_row(x, size == 0 ? 0 : 1 / size, n);
}

}  // namespace

Routing::Routing(Size dim, Size head_count, Size length, Rng& generator, const RoutingOptions& choice)
    : HeadProjections("Routing", dim, head_count, generator), options(choice), rng(&generator) {
  check(options.local >= 0 && options.local < heads, "Routing", "expected fewer local heads than heads, got ",
        options.local, " of ", heads);
  if (options.clusters == 0)
    options.clusters = std::max<Size>(1, static_cast<Size>(std::lround(std::sqrt(static_cast<double>(length)))));
  centres = fixed("centres", Tensor({heads - options.local, options.clusters, dim / heads}, 0));
}

std::vector<int> Routing::largest(const Tensor& scores, Size window, const Mask& key_padding_mask,
                                  std::vector<std::uint8_t>& taken) {
  Size heads = scores.size(1), n = scores.size(2), clusters = scores.size(3);
  std::vector<int> ids, order;
  taken.clear();
  for (Size node = 0; node < scores.size(0) * heads; node++)
    for (Size c = 0; c < clusters; c++) {
      order.clear();
      for (Size i = 0; i < n; i++)
        if (is_real(key_padding_mask, node / heads, i)) order.push_back(static_cast<int>(i));
      if (static_cast<Size>(order.size()) > window) {
        auto at = [&](int i) { return scores.data()[(node * n + i) * clusters + c]; };
        auto larger = [&](int a, int b) { return at(a) != at(b) ? at(a) > at(b) : a < b; };
        std::nth_element(order.begin(), order.begin() + window, order.end(), larger);
        order.resize(static_cast<std::size_t>(window));
        std::sort(order.begin(), order.end());
      }
      for (Size slot = 0; slot < window; slot++) {
        bool is = slot < static_cast<Size>(order.size());
        ids.push_back(static_cast<int>(node * n) + (is ? order[static_cast<std::size_t>(slot)] : 0));
        taken.push_back(is);
      }
    }
  count_work(scores.numel());
  return ids;
}

void Routing::update(const std::vector<Tensor>& rows, const Mask& key_padding_mask) const {
  Size count = centres.size(0), clusters = centres.size(1), d = centres.size(2), batch = rows[0].size(0),
       n = rows[0].size(2);
  std::vector<std::pair<Size, Size>> places;
  for (Size b = 0; b < batch; b++)
    for (Size i = 0; i < n; i++)
      if (is_real(key_padding_mask, b, i)) places.emplace_back(b, i);
  if (places.empty()) return;
  Var handle = centres;
  real* mu = handle.value().mut();
  auto row = [&](const Tensor& x, Size h, std::pair<Size, Size> place) {
    return x.data() + ((place.first * count + h) * n + place.second) * d;
  };
  if (std::all_of(mu, mu + count * clusters * d, [](real x) { return x == 0; })) {
    for (Size h = 0; h < count; h++)
      for (Size c = 0; c < clusters; c++) {
        auto place = places[static_cast<std::size_t>(rng->below(static_cast<Size>(places.size())))];
        std::copy_n(row(rows[0], h, place), d, mu + (h * clusters + c) * d);
        normalise(mu + (h * clusters + c) * d, d);
      }
    return;
  }
  for (Size h = 0; h < count; h++) {
    std::vector<real> sums(static_cast<std::size_t>(clusters * d), 0), voters(static_cast<std::size_t>(clusters), 0);
    for (const Tensor& x : rows)
      for (auto place : places) {
        const real* from = row(x, h, place);
        Size best = 0;
        real most = kernel::none;
        for (Size c = 0; c < clusters; c++)
          if (real near = kernel::dot_row(from, mu + (h * clusters + c) * d, d); near > most) most = near, best = c;
        voters[static_cast<std::size_t>(best)]++;
        for (Size e = 0; e < d; e++) sums[static_cast<std::size_t>(best * d + e)] += from[e];
      }
    auto keep = static_cast<real>(options.keep);
    for (Size c = 0; c < clusters; c++) {
      real votes = voters[static_cast<std::size_t>(c)], *to = mu + (h * clusters + c) * d;
      if (votes == 0) continue;
      for (Size e = 0; e < d; e++)
        to[e] = keep * to[e] + (1 - keep) * sums[static_cast<std::size_t>(c * d + e)] / votes;
      normalise(to, d);
    }
  }
  count_work(static_cast<Size>(rows.size() * places.size()) * count * clusters * d);
}

Var Routing::routed(const Var& query, const Var& key, const Var& value, const Mask& key_padding_mask) const {
  Size batch = query.size(0), count = query.size(1), n = query.size(2), d = query.size(3), clusters = options.clusters;
  Size window = std::min(n, options.window ? options.window : (n + clusters - 1) / clusters);
  Tensor q_rows = query.value().compact(), k_rows = key.value().compact();
  if (options.keep < 1 && !Eval::on()) update({q_rows, k_rows}, key_padding_mask);
  Tensor across = centres.value().transpose();  // (H, d, C)
  std::vector<std::uint8_t> taken, seen;
  std::vector<int> rows = largest(matmul(q_rows, across), window, key_padding_mask, taken), from = rows;
  if (options.causal)
    seen = taken;
  else
    from = largest(matmul(k_rows, across), window, key_padding_mask, seen);
  Size groups = batch * count * clusters, nodes = batch * count * n;
  auto gathered = [&](const Var& x, const std::vector<int>& ids) {
    return embedding(reshape(x, {nodes, d}), ids, {groups, 1, window});
  };
  AttentionOptions how{.patterns = {options.causal ? heed::causal() : full()}};
  how.mask = Mask({groups, 1, 1, window}, seen);
  Var y = attention(gathered(query, rows), gathered(key, from), gathered(value, from), how);
  // The mean of what a position got from its clusters, as a sum over edges to the slots it took.
  std::vector<Edges::Pair> pairs;
  for (std::size_t slot = 0; slot < rows.size(); slot++)
    if (taken[slot]) pairs.push_back({rows[slot], static_cast<int>(slot)});
  Edges edges(nodes, groups * window, pairs);
  Tensor share({1, 1, edges.count()});
  real* to = share.mut();
  for (Size e = 0; e < edges.count(); e++) {
    Size node = edges.query_of()[static_cast<std::size_t>(e)];
    to[e] = 1 / static_cast<real>(edges.first(node + 1) - edges.first(node));
  }
  return reshape(edge_sum(share, reshape(y, {1, 1, groups * window, d}), edges), {batch, count, n, d});
}

Var Routing::operator()(const Var& x, const Mask& key_padding_mask) const {
  check_sequence("Routing", x);
  Mask padding = padding_keys("Routing", key_padding_mask, x.size(0), x.size(1));
  Var query = split_heads(q(x), heads), key = split_heads(k(x), heads), value = split_heads(v(x), heads);
  auto part = [&](const Var& y, bool near) {
    return near ? slice(y, 1, 0, options.local) : slice(y, 1, options.local, heads);
  };
  Var y = routed(layer_norm(part(query, false), {}, {}), layer_norm(part(key, false), {}, {}), part(value, false),
                 key_padding_mask);
  if (options.local == 0) return o(merge_heads(y));
  AttentionOptions how{.patterns = {options.causal ? local(options.reach) & heed::causal() : local(options.reach)}};
  how.mask = padding;
  return o(merge_heads(concat({attention(part(query, true), part(key, true), part(value, true), how), y}, 1)));
}

}  // namespace HEED_NAMESPACE

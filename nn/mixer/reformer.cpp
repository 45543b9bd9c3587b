#include "nn/mixer/reformer.hpp"

#include <algorithm>

#include "nn/attention/hook.hpp"
#include "tensor/gemm.hpp"
#include "tensor/kernels.hpp"

namespace HEED_NAMESPACE {

namespace {

// argmax of [x; -x] over n numbers, the lowest index on ties.
int bucket(const real* x, Size n) {
  int best = 0;
  for (int c = 1; c < 2 * static_cast<int>(n); c++) {
    auto at = [&](int i) { return i < n ? x[i] : -x[i - n]; };
    if (at(c) > at(best)) best = c;
  }
  return best;
}

}  // namespace

Tensor Reformer::rotations(Size width) const {
  Rng fixed(options.seed);
  bool redraw = options.redraw && !Eval::on();
  return (redraw ? *drop.rng : fixed)
      .normal({width, (Eval::on() ? options.eval_rounds : options.rounds) * options.buckets / 2}, 1);
}

Edges Reformer::edges(const Tensor& q, const Tensor& rotations, const Mask& key_padding_mask) const {
  Size n = q.size(2), nodes = q.size(0) * heads * n, half = options.buckets / 2, rounds = rotations.size(1) / half;
  Size chunk = options.chunk ? options.chunk : std::max<Size>(1, (2 * n + options.buckets - 1) / options.buckets);
  Tensor turned = matmul(q.reshape({nodes, q.size(3)}), rotations);
  std::vector<Edges::Pair> pairs;
  std::vector<std::uint8_t> alone(static_cast<std::size_t>(nodes), 1);
  std::vector<int> order, buckets(static_cast<std::size_t>(n));
  for (Size head = 0; head < nodes; head += n) {
    auto real_position = [&](Size i) {
      return !key_padding_mask.defined() || key_padding_mask[head / n / heads * n + i];
    };
    for (Size round = 0; round < rounds; round++) {
      order.clear();
      for (Size i = 0; i < n; i++) {
        if (!real_position(i)) continue;
        buckets[static_cast<std::size_t>(i)] = bucket(turned.data() + ((head + i) * rounds + round) * half, half);
        order.push_back(static_cast<int>(i));
      }
      auto of = [&](int i) { return buckets[static_cast<std::size_t>(i)]; };
      std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return of(a) < of(b); });
      auto count = static_cast<Size>(order.size());
      for (Size at = 0; at < count; at++) {
        // From the start of the chunk before to the end of its own: neighbours in the sorted order, as far as they
        // share the bucket. The first chunk has none before it.
        int i = order[static_cast<std::size_t>(at)];
        Size begin = std::max<Size>(0, (at / chunk - 1) * chunk), end = std::min(count, (at / chunk + 1) * chunk);
        auto visit = [&](Size to) {
          int j = order[static_cast<std::size_t>(to)];
          if (of(j) != of(i)) return false;
          if (options.causal && j > i) return true;
          pairs.push_back({static_cast<int>(head) + i, static_cast<int>(head) + j});
          alone[static_cast<std::size_t>(head + i)] = 0;
          return true;
        };
        for (Size to = at; to-- > begin && visit(to);) {
        }
        for (Size to = at + 1; to < end && visit(to); to++) {
        }
      }
    }
    for (Size i = 0; i < n; i++)
      if (real_position(i) && alone[static_cast<std::size_t>(head + i)])
        pairs.push_back({static_cast<int>(head + i), static_cast<int>(head + i)});
  }
  count_work(static_cast<Size>(pairs.size()));
  return Edges(nodes, nodes, pairs);
}

Var Reformer::operator()(const Var& x, const Mask& key_padding_mask) const {
  check_sequence("Reformer", x);
  padding_keys("Reformer", key_padding_mask, x.size(0), x.size(1));
  Var q = as_nodes(split_heads(qk(x), heads)), length = norm(q);
  Tensor zero = map([](real size) { return real(size == 0); }, length.value());  // such a key is 0
  Var k = q / reshape(length + Var(zero), {1, 1, q.size(2), 1});
  Size d = q.size(3);
  Edges cells = edges(q.value().reshape({x.size(0), heads, x.size(1), d}), rotations(d), key_padding_mask);
  Var weights = edge_softmax(edge_scores(q, k, cells, static_cast<real>(1 / std::sqrt(static_cast<double>(d)))), cells);
  show_edges("Reformer", weights, cells, x.size(0), heads);
  Var value = split_heads(v(x), heads);
  return o(sum_nodes(drop(weights), value, cells));
}

}  // namespace HEED_NAMESPACE

#include "nn/attention/selection.hpp"

#include <algorithm>
#include <numeric>

#include "tensor/gemm.hpp"
#include "tensor/kernels.hpp"
#include "tensor/rows.hpp"

namespace HEED_NAMESPACE {

namespace {

constexpr Size block = 64;  // queries whose scores are held at once

// One head of one sequence, and some of its queries.
struct Block {
  Size index, first, count;  // b H + h, and the queries
};

// f(block, scores (count, Nk)) for all blocks, on threads; what may not be chosen scores -infinity.
template <class F>
void each_block(const Tensor& q, const Tensor& k, const Selection& how, const F& f) {
  Size heads = q.size(1), queries = q.size(2), keys = k.size(2), d = q.size(3), all = q.size(0) * heads;
  check(!how.mask.defined() || how.mask.shape() == Shape{q.size(0), 1, 1, keys}, "Selection",
        "expected a mask of shape ", Shape{q.size(0), 1, 1, keys}, ", got ", how.mask.shape());
  Size blocks = (queries + block - 1) / block;
  count_work(all * queries * keys * d);
  parallel_for(all * blocks, 1, [&](Size begin, Size end) {
    Tensor scratch({block, keys});
    real* scores = scratch.mut();
    for (Size at = begin; at < end; at++) {
      Block b{at / blocks, at % blocks * block, 0};
      b.count = std::min(block, queries - b.first);
      gemm({q.data() + (b.index * queries + b.first) * d, d}, {k.data() + b.index * keys * d, d, true}, scores, keys,
           b.count, keys, d, how.scale);
      const std::uint8_t* keep = how.mask.defined() ? how.mask.data() + b.index / heads * keys : nullptr;
      for (Size i = 0; i < b.count; i++) {
        real* row = scores + i * keys;
        Size seen = how.causal ? std::clamp<Size>(b.first + i + keys - queries + 1, 0, keys) : keys;
        std::fill(row + seen, row + keys, kernel::none);
        for (Size j = 0; keep && j < seen; j++) row[j] = keep[j] ? row[j] : kernel::none;
      }
      f(b, scores);
    }
  });
}

// log Σ e^row; -infinity for a row with nothing in it.
real log_sum(const real* row, Size n) {
  real top = kernel::row_max(row, n), total = 0;
  if (top == kernel::none) return top;
  for (Size j = 0; j < n; j++) total += kernel::exp(row[j] - top);
  return top + std::log(total);
}

}  // namespace

Edges select_edges(const Tensor& q, const Tensor& k, const Selection& how) {
  Tensor x = q.compact(), y = k.compact();
  Size nodes = x.size(0) * x.size(1), queries = x.size(2), keys = y.size(2);
  std::vector<std::vector<Edges::Pair>> found(static_cast<std::size_t>(nodes * queries));
  each_block(x, y, how, [&](const Block& b, const real* scores) {
    std::vector<int> order;
    for (Size i = 0; i < b.count; i++) {
      const real* row = scores + i * keys;
      order.clear();
      real least = how.count ? kernel::none : log_sum(row, keys) + static_cast<real>(std::log(how.threshold));
      for (int j = 0; j < static_cast<int>(keys); j++)
        if (row[j] != kernel::none && row[j] >= least) order.push_back(j);
      if (how.count && static_cast<Size>(order.size()) > how.count) {
        auto larger = [row](int a, int c) { return row[a] != row[c] ? row[a] > row[c] : a < c; };
        std::nth_element(order.begin(), order.begin() + how.count, order.end(), larger);
        order.resize(static_cast<std::size_t>(how.count));
      }
      Size query = b.index * queries + b.first + i;
      auto& list = found[static_cast<std::size_t>(query)];
      for (int j : order) list.push_back({static_cast<int>(query), static_cast<int>(b.index * keys) + j});
    }
  });
  std::vector<Edges::Pair> pairs;
  for (auto& list : found) pairs.insert(pairs.end(), list.begin(), list.end());
  return Edges(nodes * queries, nodes * keys, pairs);
}

Var score_logsumexp(const Var& q, const Var& k, const Selection& how) {
  Tensor x = q.value().compact(), y = k.value().compact(), sums(q.shape().erase(-1));
  Size queries = x.size(2), keys = y.size(2), d = x.size(3);
  real* to = sums.mut();
  each_block(x, y, how, [&](const Block& b, const real* scores) {
    for (Size i = 0; i < b.count; i++) {
      real sum = log_sum(scores + i * keys, keys);
      to[b.index * queries + b.first + i] = sum == kernel::none ? 0 : sum;
    }
  });
  return op("score_logsumexp", sums, {q, k}, [=](const Tensor& gradient) {
    Tensor g = gradient.compact(), dx(x.shape()), dy(y.shape(), 0);
    real *to_q = dx.mut(), *to_k = dy.mut();
    count_work(2 * g.numel() * keys * d);
    // Blocks of one head add to the same keys, so a head's blocks go one after the other.
    parallel_for(x.size(0) * x.size(1), 1, [&](Size begin, Size end) {
      for (Size head = begin; head < end; head++) {
        Size sequence = head / x.size(1);
        auto one = [&](const Tensor& t) {
          return t.reshape({x.size(0) * x.size(1), 1, t.size(2), d}).slice(0, head, head + 1);
        };
        Selection alone = how;
        if (how.mask.defined()) {
          const std::uint8_t* row = how.mask.data() + sequence * keys;
          alone.mask = Mask({1, 1, 1, keys}, std::vector<std::uint8_t>(row, row + keys));
        }
        each_block(one(x), one(y), alone, [&](const Block& b, real* p) {
          Size at = head * queries + b.first;
          for (Size i = 0; i < b.count; i++) {
            real sum = sums.data()[at + i], up = g.data()[at + i] * how.scale;
            for (Size j = 0; j < keys; j++) p[i * keys + j] = kernel::exp(p[i * keys + j] - sum) * up;
          }
          gemm({p, keys}, {y.data() + head * keys * d, d}, to_q + at * d, d, b.count, d, keys);
          gemm({p, keys, true}, {x.data() + at * d, d}, to_k + head * keys * d, d, keys, d, b.count, 1, 1);
        });
      }
    });
    return std::vector<Tensor>{dx, dy};
  });
}

}  // namespace HEED_NAMESPACE

// patterns.hpp — every pattern beside its definition as a predicate, and attention over all N x N cells as the oracle.
#pragma once

#include "nn/attention/attention.hpp"
#include "nn/attention/edges.hpp"
#include "tests/nn/layers.hpp"

namespace HEED_NAMESPACE::testing {

struct NamedPattern {
  std::string name;
  Pattern pattern;
  std::function<bool(Size p, Size j)> keeps;  // the query at position p and key j
};

/// The eight-node graph of the lecture, nodes counted from 0.
inline std::vector<Edges::Pair> lecture_graph() {
  std::vector<Edges::Pair> pairs;
  for (auto [a, b] : std::vector<std::pair<int, int>>{{1, 5}, {1, 6}, {1, 8}, {2, 3}, {3, 5}, {3, 7}, {4, 5}, {6, 7}})
    pairs.push_back({a - 1, b - 1}), pairs.push_back({b - 1, a - 1});
  return pairs;
}

inline std::vector<NamedPattern> named_patterns() {
  auto is_global = [](Size x) { return x == 0 || x == 5 || x == 6; };
  return {
      {"full", full(), [](Size, Size) { return true; }},
      {"causal", causal(), [](Size p, Size j) { return j <= p; }},
      {"local 0", local(0), [](Size p, Size j) { return j == p; }},
      {"local 3", local(3), [](Size p, Size j) { return std::abs(p - j) <= 3; }},
      {"local 1000", local(1000), [](Size, Size) { return true; }},
      {"truncated", truncated(4, 1), [](Size p, Size j) { return j - p <= 1 && p - j <= 4; }},
      {"blocks of 4", local_blocks(4), [](Size p, Size j) { return (p + 400) / 4 == (j + 400) / 4; }},
      {"blocks of 4, 3 wide", local_blocks(4, 3),
       [](Size p, Size j) { return std::abs((p + 400) / 4 - (j + 400) / 4) <= 1; }},
      {"comb of 5", strided(5), [](Size p, Size j) { return (p - j) % 5 == 0; }},
      {"comb of 1000", strided(1000), [](Size p, Size j) { return (p - j) % 1000 == 0; }},
      {"comb of 3, reach 2", strided(3, 2), [](Size p, Size j) { return (p - j) % 3 == 0 && std::abs(p - j) <= 6; }},
      {"dilated", dilated(3, 2), [](Size p, Size j) { return (p - j) % 2 == 0 && std::abs(p - j) <= 6; }},
      {"global", global_tokens({5, 0, 6, 5}), [=](Size p, Size j) { return is_global(p) || is_global(j); }},
      {"global beyond the end", global_tokens({100000}), [](Size, Size) { return false; }},
      {"seen by all", seen_by_all({0, 5, 6}), [=](Size, Size j) { return is_global(j); }},
      {"sparse transformer", sparse_transformer(4),
       [](Size p, Size j) { return j <= p && (p - j <= 4 || (p - j) % 4 == 0); }},
      {"longformer", longformer(2, {0, 5, 6}),
       [=](Size p, Size j) { return std::abs(p - j) <= 2 || is_global(p) || is_global(j); }},
      {"causal comb", causal() & strided(7), [](Size p, Size j) { return j <= p && (p - j) % 7 == 0; }},
      {"two combs", strided(3) | strided(4), [](Size p, Size j) { return (p - j) % 3 == 0 || (p - j) % 4 == 0; }},
      {"combs that meet", strided(3) & strided(4), [](Size p, Size j) { return (p - j) % 12 == 0; }},
      {"a comb on a lattice of another", strided(6) & strided(3, 4),
       [](Size p, Size j) { return (p - j) % 6 == 0 && std::abs(p - j) <= 12; }},
      {"local and global, causal", causal() & (local(2) | global_tokens({0, 5, 6})),
       [=](Size p, Size j) { return j <= p && (std::abs(p - j) <= 2 || is_global(p) || is_global(j)); }},
      {"local or full", local(2) | full(), [](Size, Size) { return true; }},
      {"two windows", truncated(9, 0) & truncated(0, 9), [](Size p, Size j) { return p == j; }},
  };
}

inline Mask definition(const NamedPattern& named, Size queries, Size keys) {
  std::vector<std::uint8_t> keep;
  for (Size i = 0; i < queries; i++)
    for (Size j = 0; j < keys; j++) keep.push_back(named.keeps(i + keys - queries, j));
  return Mask({queries, keys}, std::move(keep));
}

/// softmax(scale q k' + bias) v over the kept cells, all N x N of them in memory.
inline Var dense_attention(const Var& q, const Var& k, const Var& v, const Mask& keep, real scale = 0,
                           const Tensor& bias = {}) {
  if (scale == 0) scale = static_cast<real>(1 / std::sqrt(static_cast<double>(q.size(-1))));
  Var scores = matmul(q, transpose(k)) * scale;
  return matmul(softmax(bias.defined() ? scores + bias : scores, keep), v);
}

/// Greatest difference of values and of all gradients between two functions of the same inputs, each as a share of the
/// largest number in its tensor where that is above 1.
inline double difference(const LayerFunction& f, const LayerFunction& g, const std::vector<Tensor>& inputs) {
  Vars a, b;
  for (const Tensor& x : inputs) a.push_back(Var::parameter(x)), b.push_back(Var::parameter(x));
  Var y = f(a), z = g(b);
  auto share = [](const Tensor& t, const Tensor& u) {
    return max_difference(t, u) / std::max(1.0, max_difference(u, Tensor(u.shape(), 0)));
  };
  double worst = share(y.value(), z.value());
  Rng rng(77);
  Tensor seed = random(rng, z.shape());
  if (y.requires_grad()) y.backward(seed);
  if (z.requires_grad()) z.backward(seed);
  for (std::size_t i = 0; i < a.size(); i++) {
    auto grad = [](const Var& x) { return x.grad().defined() ? x.grad() : Tensor(x.shape(), 0); };
    worst = std::max(worst, share(grad(a[i]), grad(b[i])));
  }
  return worst;
}

constexpr double same_attention = tolerance(1e-10, 1e-5);

}  // namespace HEED_NAMESPACE::testing

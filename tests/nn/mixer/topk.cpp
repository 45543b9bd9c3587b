// Tests of nn/attention/selection.hpp and nn/mixer/topk.hpp against all N x N weights, cut by their definition.
#include "nn/mixer/topk.hpp"

#include "tests/nn/patterns.hpp"

using namespace heed;
using namespace heed::testing;

namespace {

/// What the definition keeps of all scores: a mask (B, H, Nq, Nk).
Mask chosen(const TopK& layer, const Tensor& scores, const Mask& keep) {
  Tensor p = softmax(scores, keep).value();
  std::vector<std::uint8_t> out(static_cast<std::size_t>(p.numel()), 0);
  Size keys = p.size(3);
  Tensor shown = where(keep, Var(scores), Var(Tensor(Shape{}, real(-1e6)))).value();
  for (Size row = 0; row < p.numel() / keys; row++)
    for (Size j = 0; j < keys; j++) {
      Size at = row * keys + j, before = 0;
      if (p.data()[at] == 0) continue;
      for (Size other = 0; other < keys; other++) {
        real mine = shown.data()[at], theirs = shown.data()[row * keys + other];
        before += theirs > mine || (theirs == mine && other < j);
      }
      out[static_cast<std::size_t>(at)] = layer.options.count
                                              ? before < layer.options.count
                                              : static_cast<double>(p.data()[at]) >= layer.options.threshold;
    }
  return Mask(p.shape(), out);
}

Var oracle(const TopK& layer, const Var& x, const Var& memory, const Mask& padding) {
  Size h = layer.heads, queries = x.size(1), keys = memory.size(1);
  Var q = split_heads(layer.q(x), h), k = split_heads(layer.k(memory), h);
  Var scores = matmul(q, transpose(k)) / std::sqrt(static_cast<real>(q.size(3)));
  Mask keep = padding_keys("test", padding, x.size(0), keys);
  if (layer.options.causal) keep = keep & causal_mask(queries, keys);
  if (!keep.defined()) keep = Mask({1, 1, 1, 1}, {1});
  Mask cells = chosen(layer, scores.value(), keep);
  bool again = layer.options.count || layer.options.renormalise;
  Var weights = again ? softmax(scores, cells) : masked_fill(softmax(scores, keep), cells, 0);
  return layer.o(merge_heads(matmul(weights, split_heads(layer.v(memory), h))));
}

}  // namespace

TEST_CASE("top-k: values and gradients of all N x N weights cut down, by count and by threshold") {
  Rng rng(1);
  for (const TopKOptions& options :
       {TopKOptions{.count = 3}, TopKOptions{.count = 1, .causal = true}, TopKOptions{.count = 100},
        TopKOptions{.count = 0, .threshold = 0.02}, TopKOptions{.count = 0, .threshold = 0.05, .causal = true},
        TopKOptions{.count = 0, .threshold = 0.03, .renormalise = true}})
    for (Size n : {Size(1), Size(5), Size(150)}) {
      TopK layer(6, 2, rng, options);
      randomise(layer.parameters());
      Tensor x = random(rng, {2, n, 6}, -2, 2);
      std::vector<int> lengths{static_cast<int>(n), static_cast<int>(n / 2)};
      for (const Mask& mask : {Mask(), padding_mask(lengths, n)})
        CHECK(difference([&](const Vars& v) { return layer(v[0], mask); },
                         [&](const Vars& v) { return oracle(layer, v[0], v[0], mask); }, {x}) < same_attention);
    }
}

TEST_CASE("top-k: queries of one sequence and keys of another") {
  Rng rng(2);
  for (bool causal : {false, true}) {
    TopK layer(6, 3, rng, {.count = 2, .causal = causal});
    Tensor x = random(rng, {2, 3, 6}), memory = random(rng, {2, 8, 6});
    Mask mask = padding_mask(std::vector<int>{8, 4}, 8);
    CHECK(difference([&](const Vars& v) { return layer(v[0], v[1], mask); },
                     [&](const Vars& v) { return oracle(layer, v[0], v[1], mask); }, {x, memory}) < same_attention);
  }
}

TEST_CASE("top-k: exactly k when scores are equal, lower index first; a threshold may empty a row") {
  Tensor q({1, 1, 2, 2}, 0), k = iota({1, 1, 5, 2});
  Edges edges = select_edges(q, k, {.count = 2});
  CHECK(edges.query_of() == std::vector<int>{0, 0, 1, 1});
  CHECK(edges.key_of() == std::vector<int>{0, 1, 0, 1});
  CHECK(select_edges(q, k, {.threshold = 0.21}).count() == 0);
  CHECK(select_edges(q, k, {.threshold = 0.19}).count() == 10);
  Rng rng(3);
  TopK layer(4, 2, rng, {.count = 0, .threshold = 0.9});
  layer.q.w.value() = Tensor({4, 4}, 0);
  layer.o.b.value() = array({4}, {1, 2, 3, 4});
  Tensor x = random(rng, {1, 5, 4});
  CHECK(close(layer(x).value(), layer.o.b.value().expand({1, 5, 4})));
  CHECK(all_finite(input_gradient([&](const Var& v) { return layer(v); }, x, x)));
}

TEST_CASE("top-k: the log of the softmax's denominator, its gradients, large scores") {
  Rng rng(4);
  Selection how{.scale = real(0.5), .mask = padding_keys("test", padding_mask(std::vector<int>{70, 0}, 70), 2, 70)};
  auto f = [&](const Vars& v) { return score_logsumexp(v[0], v[1], how); };
  check_gradients(f, {random(rng, {2, 2, 3, 4}), random(rng, {2, 2, 70, 4})});
  CHECK(close(score_logsumexp(Tensor({1, 1, 1, 1}, 40), Tensor({1, 1, 2, 1}, 20), {}).value(),
              Tensor({1, 1, 1}, static_cast<real>(800 + std::log(2.0)))));
}

TEST_CASE("top-k: errors") {
  Rng rng(5);
  CHECK_THROWS_WITH_AS(TopK(4, 3, rng), "heed: TopK: 3 heads do not divide 4", Error);
  CHECK_THROWS_WITH_AS(TopK(4, 2, rng, {.count = 0}),
                       "heed: TopK: expected a count, or a threshold in (0, 1), got 0 and 0", Error);
  CHECK_THROWS_AS(TopK(4, 2, rng, {.count = 3, .threshold = 0.1}), Error);
}

// Tests of nn/attention/attention.cpp: every pattern, mask and score against attention over all N x N cells.
#include "nn/attention/longformer.hpp"
#include "tensor/counters.hpp"
#include "tests/nn/patterns.hpp"

using namespace heed;
using namespace heed::testing;

namespace {

struct Lengths {
  Size queries, keys;
};

struct Heads {
  Tensor q, k, v;
  std::vector<Tensor> all() const { return {q, k, v}; }
};
/// (B, H, N, d) as layers give it: a view of (B, N, H d).
Heads heads(Rng& rng, Size batch, Size count, Size queries, Size keys, Size d = 4, Size dv = 3) {
  auto make = [&](Size n, Size width) { return random(rng, {batch, n, count, width}, -2, 2).permute({0, 2, 1, 3}); };
  return {make(queries, d), make(keys, d), make(keys, dv)};
}

LayerFunction with(const AttentionOptions& options) {
  return [options](const Vars& x) { return attention(x[0], x[1], x[2], options); };
}
LayerFunction dense(const Mask& keep, const Tensor& bias = {}) {
  return [=](const Vars& x) { return dense_attention(x[0], x[1], x[2], keep, 0, bias); };
}

/// Cells as a float bias, (..., Nq, Nk), from a function of position and key.
template <class F>
Tensor cells(const Shape& shape, Size offset, const F& f) {
  Tensor out(shape);
  real* to = out.mut();
  Size rows = shape[-2], columns = shape[-1];
  for (Size i = 0; i < out.numel(); i++)
    to[i] = static_cast<real>(f(i / (rows * columns), i / columns % rows + offset, i % columns));
  return out;
}

}  // namespace

TEST_CASE("attention: every pattern is its dense oracle, values and gradients, at every kind of length") {
  Rng rng(1);
  for (const NamedPattern& named : named_patterns())
    for (const Lengths& lengths :
         std::vector<Lengths>{{1, 1}, {3, 3}, {33, 33}, {150, 150}, {1, 20}, {5, 33}, {300, 300}}) {
      const Size queries = lengths.queries, keys = lengths.keys;
      CAPTURE(named.name);
      CAPTURE(queries);
      CAPTURE(keys);
      Heads x = heads(rng, 2, 2, queries, keys);
      Mask mask = definition(named, queries, keys);
      CHECK(difference(with({.patterns = {named.pattern}}), dense(mask), x.all()) < same_attention);
    }
}

TEST_CASE("attention: patterns with padding, and rows of padding only") {
  Rng rng(2);
  Size n = 150;
  std::vector<int> lengths{150, 40, 0};
  Mask padding = padding_keys("test", padding_mask(lengths, n), 3, n);
  Heads x = heads(rng, 3, 2, n, n);
  for (const NamedPattern& named : named_patterns()) {
    CAPTURE(named.name);
    CHECK(difference(with({.patterns = {named.pattern}, .mask = padding}), dense(padding & definition(named, n, n)),
                     x.all()) < same_attention);
  }
  // Padding in the middle and at the front, and a mask that differs by query and head.
  std::vector<std::uint8_t> holes, any;
  for (Size i = 0; i < 3 * n; i++) holes.push_back(rng.uniform() < 0.3);
  for (Size i = 0; i < 2 * n * n; i++) any.push_back(rng.uniform() < 0.3);
  Mask keep({3, 1, 1, n}, holes), each({2, n, n}, any);
  for (const Pattern& pattern : {full(), local(5), strided(7), sparse_transformer(12)}) {
    CHECK(difference(with({.patterns = {pattern}, .mask = keep}), dense(keep & pattern.mask(n, n)), x.all()) <
          same_attention);
    CHECK(difference(with({.patterns = {pattern}, .mask = each}), dense(each & pattern.mask(n, n)), x.all()) <
          same_attention);
  }
}

TEST_CASE("attention: each head its own pattern") {
  Rng rng(3);
  Size n = 130;
  Heads x = heads(rng, 2, 4, n, n);
  std::vector<int> lengths{130, 77};
  Mask padding = padding_keys("test", padding_mask(lengths, n), 2, n);
  for (const std::vector<Pattern>& patterns :
       {std::vector<Pattern>{full(), local(2), strided(5), global_tokens({0})},
        std::vector<Pattern>{causal(), sparse_transformer(40), sparse_transformer(33), local(9)}}) {
    std::vector<std::uint8_t> keep;
    for (const Pattern& pattern : patterns)
      for (Size i = 0, all = n * n; i < all; i++) keep.push_back(pattern.mask(n, n).data()[i]);
    Mask mask({4, n, n}, keep);
    CHECK(difference(with({.patterns = patterns}), dense(mask), x.all()) < same_attention);
    CHECK(difference(with({.patterns = patterns, .mask = padding}), dense(mask & padding), x.all()) < same_attention);
  }
  CHECK_THROWS_WITH_AS(attention(x.q, x.k, x.v, {.patterns = {full(), full()}}),
                       "heed: attention: 2 patterns for 4 heads; give one, or one for each", Error);
}

TEST_CASE("attention: Big Bird takes its random blocks from the real positions of each sequence") {
  Rng rng(4);
  Size n = 100;
  Pattern bird = big_bird(5, {.block = 4, .window = 3, .random = 2, .global = {0}});
  Heads x = heads(rng, 3, 2, n, n);
  std::vector<int> lengths{100, 61, 0};
  Mask padding = padding_keys("test", padding_mask(lengths, n), 3, n);
  std::vector<std::uint8_t> keep(static_cast<std::size_t>(3 * 2 * n * n), 0);
  for (Size b = 0; b < 3; b++)
    for (Size h = 0; h < 2; h++) {
      Size m = lengths[static_cast<std::size_t>(b)];
      Mask mine = bird.mask(m, m, h);
      for (Size i = 0; i < m; i++)
        for (Size j = 0; j < m; j++) keep[static_cast<std::size_t>(((b * 2 + h) * n + i) * n + j)] = mine[i * m + j];
    }
  CHECK(difference(with({.patterns = {bird}, .mask = padding}), dense(Mask({3, 2, n, n}, keep)), x.all()) <
        same_attention);
}

TEST_CASE("attention: ALiBi, relative scores and values, scale, against sums over all cells") {
  Rng rng(5);
  for (const Lengths& lengths : std::vector<Lengths>{{40, 40}, {1, 1}, {7, 19}}) {
    const Size queries = lengths.queries, keys = lengths.keys;
    Size offset = keys - queries, reach = 3, dv = 3, count = 2;
    Heads x = heads(rng, 2, count, queries, keys);
    std::vector<real> slopes{real(0.5), real(0.0625)};
    Tensor bias = cells({count, queries, keys}, offset, [&](Size h, Size p, Size j) {
      return -static_cast<double>(slopes[static_cast<std::size_t>(h)]) * static_cast<double>(std::abs(p - j));
    });
    for (const Pattern& pattern : {full(), causal(), local(5)})
      CHECK(difference(with({.patterns = {pattern}, .slopes = slopes}), dense(pattern.mask(queries, keys), bias),
                       x.all()) < same_attention);
    // Relative positions: one_hot(clamp(j - p)) carries scores to cells and weights to buckets.
    Size buckets = 2 * reach + 1;
    Tensor relative = random(rng, {2, count, queries, buckets});
    Tensor one_hot = cells({queries, keys * buckets}, offset, [&](Size, Size p, Size at) {
                       return std::clamp(at / buckets - p, -reach, reach) + reach == at % buckets;
                     }).reshape({queries, keys, buckets});
    for (const Pattern& pattern : {full(), local(5)}) {
      auto ours = [&](const Vars& v) { return attention(v[0], v[1], v[2], {.patterns = {pattern}, .relative = v[3]}); };
      auto oracle = [&](const Vars& v) {
        Var bonus = sum(reshape(v[3], {2, count, queries, 1, buckets}) * one_hot, {-1});
        Var weights = softmax((matmul(v[0], transpose(v[1])) + bonus) * real(0.5), pattern.mask(queries, keys));
        Var gathered = sum(reshape(weights, {2, count, queries, keys, 1}) * one_hot, {-2});
        return concat({matmul(weights, v[2]), gathered}, -1);
      };
      CHECK(difference(ours, oracle, {x.q, x.k, x.v, relative}) < same_attention);
    }
    CHECK(attention(x.q, x.k, x.v, {.relative = relative}).shape() == Shape{2, count, queries, dv + buckets});
  }
}

TEST_CASE("attention: additive scores") {
  Rng rng(6);
  for (const Lengths& lengths : std::vector<Lengths>{{30, 30}, {4, 9}}) {
    const Size queries = lengths.queries, keys = lengths.keys;
    Heads x = heads(rng, 2, 2, queries, keys);
    Tensor w = random(rng, {4}, -2, 2);
    for (const Pattern& pattern : {full(), local(4)}) {
      auto ours = [&](const Vars& v) { return attention(v[0], v[1], v[2], {.patterns = {pattern}, .additive = v[3]}); };
      auto oracle = [&](const Vars& v) {
        Var sums = reshape(v[0], {2, 2, queries, 1, 4}) + reshape(v[1], {2, 2, 1, keys, 4});
        return matmul(softmax(sum(tanh(sums) * v[3], {-1}), pattern.mask(queries, keys)), v[2]);
      };
      CHECK(difference(ours, oracle, {x.q, x.k, x.v, w}) < tolerance(1e-10, 3e-5));
    }
  }
}

TEST_CASE("attention: ReLU instead of softmax, over the number of kept keys or not") {
  Rng rng(7);
  Size n = 40;
  Heads x = heads(rng, 2, 2, n, n);
  std::vector<int> lengths{40, 0};
  Mask padding = padding_keys("test", padding_mask(lengths, n), 2, n);
  for (const Pattern& pattern : {full(), local(4), global_tokens({})}) {
    Mask keep = padding & pattern.mask(n, n);
    for (bool over_n : {true, false}) {
      auto oracle = [&](const Vars& v) {
        Var kept = where(keep, Tensor({1}, 1), Tensor({1}, 0));
        Var weights = relu(matmul(v[0], transpose(v[1])) * real(0.5)) * kept;
        if (over_n) {
          Tensor counts = map([](real c) { return c > 0 ? c : real(1); }, sum(kept, {-1}, true).value());
          weights = weights / counts;
        }
        return matmul(weights, v[2]);
      };
      CHECK(difference(with({.patterns = {pattern},
                             .mask = padding,
                             .normaliser = over_n ? Normaliser::relu : Normaliser::relu_sum}),
                       oracle, x.all()) < tolerance(1e-10, 2e-5));
    }
  }
}

TEST_CASE("attention: gradients by differences, also with dropout, whose pattern backward finds again") {
  Rng rng(8);
  Heads x = heads(rng, 2, 2, 6, 6);
  for (const Pattern& pattern : {full(), local(1), strided(2), causal()})
    for (double p : {0.0, 0.4}) {
      Rng fixed(3);
      auto f = [&](const Vars& v) {
        fixed.set_state(3);
        return attention(v[0], v[1], v[2], {.patterns = {pattern}, .dropout = p, .rng = &fixed});
      };
      CHECK(layer_gradcheck(f, x.all(), {}) < gradient_tolerance);
    }
  // Dropout through tiles drops about p of the weights, keeps the mean, and is off under Eval.
  Size n = 200;
  Tensor zeros({1, 1, n, 1}, 0), ones({1, 1, n, 1}, 1);
  Tensor y = attention(zeros, zeros, ones, {.dropout = 0.25, .rng = &rng}).value();
  double total = 0;
  for (real v : y.to_vector()) total += static_cast<double>(v);
  CHECK(std::abs(total / static_cast<double>(n) - 1) < 0.02);
  CHECK(max_difference(y, ones) > 0.01);
  Eval eval;
  CHECK(close(attention(zeros, zeros, ones, {.dropout = 0.25, .rng = &rng}).value(), ones));
}

TEST_CASE("attention: the weights, when asked for") {
  Rng rng(9);
  for (const NamedPattern& named : named_patterns()) {
    CAPTURE(named.name);
    Heads x = heads(rng, 2, 2, 60, 60);
    Mask keep = definition(named, 60, 60);
    Tensor expected = softmax(matmul(Var(x.q), transpose(Var(x.k))), keep, real(0.5)).value();
    CHECK(close(attention_weights(x.q, x.k, {.patterns = {named.pattern}}), expected, tolerance(1e-12, 1e-5)));
  }
}

TEST_CASE("attention: numbers that are not numbers stay visible") {
  real nan = std::numeric_limits<real>::quiet_NaN();
  Tensor q({1, 1, 3, 2}, 1), v({1, 1, 3, 1}, 1), bad = q;
  bad.mut()[2] = nan;
  Tensor y = attention(bad, q, v).value();
  CHECK(std::isnan(y.at({0, 0, 1, 0})));
  CHECK(close(static_cast<double>(y.at({0, 0, 0, 0})), 1.0));
  CHECK(std::isnan(attention(bad, q, v, {.normaliser = Normaliser::relu}).value().at({0, 0, 1, 0})));
}

TEST_CASE("attention: same bits with one thread and with three") {
  Rng rng(10);
  Heads x = heads(rng, 1, 3, 700, 700, 16, 16);
  std::vector<Tensor> results[2];
  int before = threads();
  for (int run = 0; run < 2; run++) {
    set_threads(run ? 3 : 1);
    Vars v{Var::parameter(x.q), Var::parameter(x.k), Var::parameter(x.v)};
    Var y = attention(v[0], v[1], v[2], {.patterns = {causal()}});
    y.backward(Tensor(y.shape(), 1));
    results[run] = {y.value(), v[0].grad(), v[1].grad(), v[2].grad()};
  }
  set_threads(before);
  for (std::size_t i = 0; i < 4; i++) CHECK(same_bits(results[0][i], results[1][i]));
}

TEST_CASE("attention: shapes that do not fit are refused in words") {
  Tensor x({2, 2, 3, 4}, 1);
  CHECK_THROWS_WITH_AS(
      attention(x, x, Tensor({2, 2, 4, 4}, 1)),
      "heed: attention: shapes do not fit: queries (2, 2, 3, 4), keys (2, 2, 3, 4), values (2, 2, 4, 4)", Error);
  CHECK_THROWS_AS(attention(x, Tensor({2, 2, 3, 5}, 1), x), Error);
  CHECK_THROWS_AS(attention(x, x, x, {.mask = Mask({2, 3}, {1, 1, 1, 1, 1, 1})}), Error);
  CHECK_THROWS_AS(attention(x, x, x, {.dropout = 0.5}), Error);
  CHECK_THROWS_AS(attention(x, x, x, {.slopes = {1}}), Error);
  CHECK_THROWS_AS(attention(x, x, x, {.relative = Tensor({2, 2, 3, 4}, 1)}), Error);
  CHECK_THROWS_AS(attention(x, x, x, {.additive = Tensor({3}, 1)}), Error);
}

TEST_CASE("fault 35: any length goes with any window") {
  auto counting = [](Size n) {
    Tensor v({1, 1, n, 1});
    for (Size i = 0; i < n; i++) v.mut()[i] = static_cast<real>(i + 1);
    return v;
  };
  Tensor zeros({1, 1, 7, 1}, 0);
  CHECK(close(attention(zeros, zeros, counting(7), {.patterns = {local(1)}}).value(),
              array({1, 1, 7, 1}, {1.5, 2, 3, 4, 5, 6, 6.5})));
  Rng rng(20);
  for (Size n = 1; n <= 20; n++) {
    Heads x = heads(rng, 1, 1, n, n);
    CHECK(close(attention(x.q, x.k, x.v, {.patterns = {local(n + 6)}}).value(), attention(x.q, x.k, x.v).value()));
    Mask band = local(8).mask(n, n);
    CHECK(difference(with({.patterns = {local(8)}}), dense(band), x.all()) < same_attention);
    CHECK(difference(with({.patterns = {longformer(3, {0})}}), dense(longformer(3, {0}).mask(n, n)), x.all()) <
          same_attention);
  }
}

TEST_CASE("fault 51: a window of the pattern that lies in the padding gives zeros") {
  Tensor zeros({1, 1, 5, 1}, 0), v = array({1, 1, 5, 1}, {1, 2, 3, 4, 5});
  Vars x{Var::parameter(zeros), Var::parameter(zeros), Var::parameter(v)};
  Mask padding({1, 1, 1, 5}, {1, 1, 0, 0, 0});
  Var y = attention(x[0], x[1], x[2], {.patterns = {local(1)}, .mask = padding});
  CHECK(close(y.value(), array({1, 1, 5, 1}, {1.5, 1.5, 2, 0, 0})));
  y.backward(Tensor({1, 1, 5, 1}, 1));
  for (const Var& leaf : x) CHECK(all_finite(leaf.grad()));
}

TEST_CASE("fault 57: Big Bird on short inputs is full attention; random blocks reach everywhere") {
  Rng rng(21);
  Heads x = heads(rng, 1, 2, 10, 10);
  BigBirdOptions options{.block = 4, .window = 3, .random = 2, .global = {0}};
  CHECK(
      close(attention(x.q, x.k, x.v, {.patterns = {big_bird(1, options)}}).value(), attention(x.q, x.k, x.v).value()));
  Mask random = random_blocks(4, 2, 1, 3, {0}).mask(256, 256), again = random_blocks(4, 2, 1, 3, {0}).mask(256, 256);
  CHECK(std::equal(random.data(), random.data() + random.numel(), again.data()));
  std::vector<int> seen(4, 0);  // by quarter of the keys
  for (Size i = 0; i < 256; i++)
    for (Size j = 0; j < 256; j++) seen[static_cast<std::size_t>(j / 64)] += random[i * 256 + j];
  for (int cells : seen) CHECK(cells > 256 * 8 / 4 / 2);
}

TEST_CASE("attention: a batch of nothing gives nothing") {
  for (Size count : {Size(1), Size(2)})
    for (const Pattern& pattern : {full(), sparse_transformer(4)}) {
      Var q = Var::parameter(Tensor({0, count, 5, 4}));
      Var y = attention(q, q, q, {.patterns = {pattern}});
      CHECK(y.shape() == Shape{0, count, 5, 4});
      y.backward(Tensor(y.shape()));
      CHECK(q.grad().shape() == q.shape());
    }
}

// Tests of nn/mixer/reformer.hpp: one softmax over the union of the rounds' sets, by N x N masks.
#include "nn/mixer/reformer.hpp"

#include "tensor/counters.hpp"
#include "tensor/gemm.hpp"
#include "tests/nn/patterns.hpp"

using namespace heed;
using namespace heed::testing;

namespace {

/// Buckets, sorting and chunks by the definition, for every pair; (B, H, N, N).
Mask definition(const Reformer& layer, const Tensor& q, const Mask& padding) {
  Size batch = q.size(0), n = q.size(2), half = layer.options.buckets / 2, m = layer.options.chunk;
  if (m == 0) m = (2 * n + layer.options.buckets - 1) / layer.options.buckets;
  Tensor turned = matmul(q, layer.rotations(q.size(3)));
  std::vector<std::uint8_t> keep;
  for (Size b = 0; b < batch; b++)
    for (Size h = 0; h < layer.heads; h++) {
      auto is_real = [&](Size i) { return !padding.defined() || padding[b * n + i]; };
      std::vector<std::uint8_t> cells(static_cast<std::size_t>(n * n), 0);
      for (Size round = 0; round < turned.size(3) / half; round++) {
        std::vector<Size> bucket(static_cast<std::size_t>(n)), place(static_cast<std::size_t>(n));
        for (Size i = 0; i < n; i++) {
          real best = -1;
          for (Size c = 0; c < 2 * half; c++) {
            real value = turned.at({b, h, i, round * half + c % half}) * (c < half ? 1 : -1);
            if (c == 0 || value > best) best = value, bucket[static_cast<std::size_t>(i)] = c;
          }
        }
        auto of = [&](Size i) { return bucket[static_cast<std::size_t>(i)]; };
        for (Size i = 0; i < n; i++)
          for (Size j = 0; j < n; j++)
            place[static_cast<std::size_t>(i)] += is_real(j) && (of(j) < of(i) || (of(j) == of(i) && j < i));
        for (Size i = 0; i < n; i++)
          for (Size j = 0; j < n; j++) {
            Size mine = place[static_cast<std::size_t>(i)] / m, theirs = place[static_cast<std::size_t>(j)] / m;
            if (i != j && is_real(i) && is_real(j) && of(i) == of(j) && (theirs == mine || theirs == mine - 1) &&
                (!layer.options.causal || j <= i))
              cells[static_cast<std::size_t>(i * n + j)] = 1;
          }
      }
      for (Size i = 0; i < n; i++)
        if (is_real(i) && std::count(cells.begin() + i * n, cells.begin() + (i + 1) * n, 1) == 0)
          cells[static_cast<std::size_t>(i * n + i)] = 1;
      keep.insert(keep.end(), cells.begin(), cells.end());
    }
  return Mask({batch, layer.heads, n, n}, keep);
}

Var oracle(const Reformer& layer, const Var& x, const Mask& padding) {
  Var q = split_heads(layer.qk(x), layer.heads), v = split_heads(layer.v(x), layer.heads);
  Var k = q / reshape(norm(q), {q.size(0), q.size(1), q.size(2), 1});
  return layer.o(merge_heads(dense_attention(q, k, v, definition(layer, q.value(), padding))));
}

}  // namespace

TEST_CASE("Reformer: values and gradients of one softmax over the union of the rounds' sets") {
  Rng rng(1);
  for (const ReformerOptions& options :
       {ReformerOptions{.rounds = 1, .buckets = 2, .chunk = 4}, ReformerOptions{.rounds = 3, .buckets = 4, .chunk = 5},
        ReformerOptions{.rounds = 4, .buckets = 6, .chunk = 3, .causal = true},
        ReformerOptions{.buckets = 8, .chunk = 0}})
    for (Size n : {Size(1), Size(2), Size(12), Size(37)}) {
      ReformerOptions same = options;
      same.redraw = false;
      Reformer layer(6, 2, rng, same);
      randomise(layer.parameters());
      Tensor x = random(rng, {2, n, 6}, -2, 2);
      std::vector<int> lengths{static_cast<int>(n), static_cast<int>(n / 2)};
      for (const Mask& mask : {Mask(), padding_mask(lengths, n)})
        CHECK(difference([&](const Vars& v) { return layer(v[0], mask); },
                         [&](const Vars& v) { return oracle(layer, v[0], mask); }, {x}) < same_attention);
    }
}

TEST_CASE("Reformer: a position sees itself only when nothing else; a query of zeros gives a key of zeros") {
  Rng rng(2);
  Reformer layer(4, 1, rng, {.buckets = 2, .chunk = 8, .redraw = false});
  Tensor q = random(rng, {1, 1, 6, 4});
  Edges cells = layer.edges(q, layer.rotations(4), {});
  for (Size i = 0; i < 6; i++) {
    CHECK(cells.first(i + 1) > cells.first(i));
    if (cells.find(i, i) >= 0) CHECK(cells.first(i + 1) - cells.first(i) == 1);
  }
  layer.qk.w.value() = Tensor({4, 4}, 0);
  Var x = Var::parameter(random(rng, {1, 6, 4}));
  Var y = layer(x);
  y.backward(random(rng, {1, 6, 4}));
  CHECK(all_finite(y.value()));
  CHECK(all_finite(x.grad()));
}

TEST_CASE("Reformer: hashes change from step to step in training and never under Eval") {
  Rng rng(3);
  Reformer layer(8, 2, rng, {.rounds = 1, .eval_rounds = 2, .buckets = 8, .chunk = 8});
  Tensor x = random(rng, {1, 32, 8});
  CHECK_FALSE(same_bits(layer(x).value(), layer(x).value()));
  CHECK(layer.rotations(4).shape() == Shape{4, 4});
  Eval eval;
  CHECK(same_bits(layer(x).value(), layer(x).value()));
  CHECK(layer.rotations(4).shape() == Shape{4, 8});
}

TEST_CASE("Reformer: more rounds find more of the nearest keys") {
  Rng rng(4);
  Tensor q = rng.normal({1, 1, 256, 16}, 1);
  // Position i and i + 128 are almost the same vector.
  for (Size i = 0; i < 128 * 16; i++) q.mut()[128 * 16 + i] = q.data()[i] + real(0.2) * static_cast<real>(rng.normal());
  double before = 0;
  for (Size rounds : {1, 2, 4, 8}) {
    Reformer layer(16, 1, rng, {.rounds = rounds, .buckets = 32, .chunk = 16, .redraw = false});
    Edges cells = layer.edges(q, layer.rotations(16), {});
    double found = 0;
    for (Size i = 0; i < 128; i++) found += cells.find(i, i + 128) >= 0;
    CHECK(found > before);
    before = found;
  }
  CHECK(before > 0.95 * 128);
}

TEST_CASE("Reformer: errors") {
  Rng rng(5);
  CHECK_THROWS_WITH_AS(Reformer(4, 3, rng), "heed: Reformer: 3 heads do not divide 4", Error);
  CHECK_THROWS_WITH_AS(Reformer(4, 2, rng, {.buckets = 3}), "heed: Reformer: expected an even number of buckets, got 3",
                       Error);
  CHECK_THROWS_AS(Reformer(4, 2, rng, {.rounds = 0}), Error);
}

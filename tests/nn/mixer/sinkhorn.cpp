// Tests of nn/mixer/sinkhorn.hpp: the same sort matrix, and attention over a dense matrix of everything it joins.
#include "nn/mixer/sinkhorn.hpp"

#include "tests/nn/patterns.hpp"

using namespace heed;
using namespace heed::testing;

namespace {

using enum SinkhornMode;

/// Keys or values in the order [sorted blocks; own], (B, H, 2 NB b, d), and which of them query i may see.
Var oracle(const Sinkhorn& layer, const Var& x, const Mask& padding) {
  Size batch = x.size(0), n = x.size(1), h = layer.heads, b = layer.options.block, blocks = (n + b - 1) / b;
  Size whole = blocks * b, dim = x.size(2), cut = std::min(layer.options.cut, blocks);
  auto is_real = [&](Size s, Size i) { return i < n && (!padding.defined() || padding[s * n + i]); };
  auto longer = [&](const Var& y) {
    Var zeroed = padding.defined() ? masked_fill(y, padding.reshape({batch, n, 1}), 0) : y;
    return split_heads(whole > n ? concat({zeroed, Tensor({batch, whole - n, dim}, 0)}, 1) : zeroed, h);
  };
  Var s = layer.sorting(x, padding), k = longer(layer.k(x)), v = longer(layer.v(x));
  // S with every cell b x b, on its diagonal: row i of block I takes Σ_J S_IJ of row i of block J.
  std::vector<real> spread(static_cast<std::size_t>(whole * whole), 0);
  for (Size i = 0; i < whole; i++)
    for (Size j = 0; j < whole; j++) spread[static_cast<std::size_t>(i * whole + j)] = i % b == j % b;
  Tensor repeat({whole, blocks}, 0);
  for (Size i = 0; i < whole; i++) repeat.mut()[i * blocks + i / b] = 1;
  std::vector<int> best;
  Tensor top = max(s.value(), -1, &best);
  bool hard = layer.options.mode == mask;
  if (hard) {
    Tensor one(s.shape(), 0);
    for (std::size_t i = 0; i < best.size(); i++)
      if (top.data()[i] > 0) one.mut()[static_cast<Size>(i) * blocks + best[i]] = 1;
    s = Var(one) + s - s.detach();
  }
  Var large = matmul(matmul(Var(repeat), s), transpose(Var(repeat))) * Var(Tensor({whole, whole}, spread));
  auto both = [&](const Var& y) { return concat({matmul(large, y), y}, 2); };
  std::vector<std::uint8_t> keep;
  for (Size sequence = 0, row = 0; sequence < batch; sequence++)
    for (Size head = 0; head < h; head++, row += blocks)
      for (Size i = 0; i < n; i++)
        for (Size j = 0; j < 2 * whole; j++) {
          bool sorted = j < whole;
          Size place = j % whole, block = place / b, from = best[static_cast<std::size_t>(row + block)];
          bool mine = block == i / b;
          if (layer.options.mode == sortcut)
            keep.push_back(sorted && block < cut && is_real(sequence, from * b + place % b));
          else if (sorted)
            keep.push_back(mine && top.data()[row + block] > 0 && is_real(sequence, from * b + place % b) &&
                           !(hard && from == block));
          else
            keep.push_back(mine && is_real(sequence, place) && (!layer.options.causal || place <= i));
        }
  return layer.o(
      merge_heads(dense_attention(split_heads(layer.q(x), h), both(k), both(v), Mask({batch, h, n, 2 * whole}, keep))));
}

}  // namespace

TEST_CASE("Sinkhorn: values and gradients of dense attention to sorted and own blocks, in every mode") {
  Rng rng(1);
  for (SinkhornMode mode : {sorted, sortcut, mask})
    for (bool causal : {false, true}) {
      if (causal && mode == sortcut) continue;
      for (Size n : {Size(1), Size(4), Size(14)}) {
        Sinkhorn layer(6, 2, 20, rng, {.block = 4, .mode = mode, .noise = false, .causal = causal});
        randomise(layer.parameters());
        Tensor x = random(rng, {2, n, 6});
        std::vector<int> lengths{static_cast<int>(n), static_cast<int>(n / 2)};
        for (const Mask& padding : {Mask(), padding_mask(lengths, n)})
          CHECK(difference([&](const Vars& v) { return layer(v[0], padding); },
                           [&](const Vars& v) { return oracle(layer, v[0], padding); }, {x}) < same_attention);
      }
    }
}

TEST_CASE("Sinkhorn: the sort matrix comes near to doubly stochastic; padding takes no part; causal rows look back") {
  Rng rng(2);
  Sinkhorn layer(6, 2, 20, rng, {.block = 4, .iterations = 50, .noise = false});
  randomise(layer.parameters());
  Tensor x = random(rng, {2, 18, 6}), s = layer.sorting(x).value();
  CHECK(s.shape() == Shape{2, 2, 5, 5});
  int rows[] = {-1}, columns[] = {-2};
  CHECK(close(sum(s, rows), Tensor({2, 2, 5}, 1), 1e-4));
  CHECK(close(sum(s, columns), Tensor({2, 2, 5}, 1), 1e-4));
  Tensor padded = layer.sorting(x, padding_mask(std::vector<int>{18, 9}, 18)).value().slice(0, 1, 2);
  CHECK(close(padded.slice(2, 0, 3).slice(3, 3, 5), Tensor({1, 2, 3, 2}, 0)));
  CHECK(close(padded.slice(2, 0, 3).slice(3, 0, 3), layer.sorting(x.slice(0, 1, 2).slice(1, 0, 9)).value()));
  Sinkhorn causal(6, 2, 20, rng, {.block = 4, .noise = false, .causal = true});
  randomise(causal.parameters());
  Tensor past = causal.sorting(x).value();
  for (Size i = 0; i < 5; i++) {
    Tensor row = past.slice(2, i, i + 1);
    CHECK(close(row.slice(3, i, 5), Tensor({2, 2, 1, 5 - i}, 0)));
    CHECK(close(sum(row, rows), Tensor({2, 2, 1}, i > 0 ? real(1) : real(0))));
  }
}

TEST_CASE("Sinkhorn: noise in training only, from the layer's generator") {
  Rng rng(3);
  Sinkhorn layer(4, 1, 16, rng, {.block = 4});
  Tensor x = random(rng, {1, 16, 4});
  std::uint64_t state = rng.state();
  Tensor one = layer(x).value();
  CHECK_FALSE(same_bits(layer(x).value(), one));
  rng.set_state(state);
  CHECK(same_bits(layer(x).value(), one));
  Eval eval;
  CHECK(same_bits(layer(x).value(), layer(x).value()));
}

TEST_CASE("Sinkhorn: the choice of blocks gets a gradient in every mode, also straight through") {
  Rng rng(4);
  for (SinkhornMode mode : {sorted, sortcut, mask}) {
    Sinkhorn layer(6, 2, 16, rng, {.block = 2, .mode = mode, .noise = false});
    randomise(layer.parameters());
    layer(random(rng, {1, 16, 6})).backward(random(rng, {1, 16, 6}));
    CHECK_FALSE(close(layer.w2.grad(), Tensor(layer.w2.shape(), 0), 0, 1e-6));
  }
}

TEST_CASE("Sinkhorn: errors") {
  Rng rng(5);
  CHECK_THROWS_WITH_AS(Sinkhorn(4, 3, 8, rng), "heed: Sinkhorn: 3 heads do not divide 4", Error);
  CHECK_THROWS_WITH_AS(Sinkhorn(4, 2, 8, rng, {.mode = sortcut, .causal = true}),
                       "heed: Sinkhorn: the first sorted blocks are seen by all, so sortcut cannot be causal", Error);
  CHECK_THROWS_WITH_AS(Sinkhorn(4, 2, 8, rng)(Tensor({1, 9, 4}, 1)),
                       "heed: Sinkhorn: a sequence of 9 positions, but the weights are for 8", Error);
}

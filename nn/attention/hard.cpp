#include "nn/attention/hard.hpp"

#include <cmath>

#include "nn/attention/attention.hpp"
#include "nn/gumbel.hpp"

namespace HEED_NAMESPACE {

namespace {

// The kept cell with the greatest score of each row (.., N); -1 where none is kept.
std::vector<int> best_kept(const Tensor& scores, const Mask& keep, Size row_length) {
  Tensor dense = scores.compact();
  const real* at = dense.data();
  Size rows = dense.numel() / row_length;
  if (rows == 0) return {};
  Size rows_a_mask = keep.defined() ? rows / (keep.numel() / row_length) : rows;
  std::vector<int> best(static_cast<std::size_t>(rows), -1);
  for (Size i = 0; i < rows; i++)
    for (Size j = 0; j < row_length; j++) {
      int& b = best[static_cast<std::size_t>(i)];
      bool kept = !keep.defined() || keep[i / rows_a_mask * row_length + j];
      if (kept && (b < 0 || at[i * row_length + j] > at[i * row_length + b])) b = static_cast<int>(j);
    }
  return best;
}

}  // namespace

HardAttention::HardAttention(Size dim, Size key_dim, Rng& generator)
    : rng(&generator),
      q(sub("q", Linear(dim, key_dim, generator, {.bias = false}))),
      k(sub("k", Linear(dim, key_dim, generator, {.bias = false}))),
      v(sub("v", Linear(dim, dim, generator, {.bias = false}))) {}

Var HardAttention::scores(const Var& x, const Var& memory, const Mask& key_padding_mask) const {
  check_sequences("HardAttention", x, memory);
  padding_keys("HardAttention", key_padding_mask, memory.size(0), memory.size(1));
  return matmul(q(x), transpose(k(memory))) / std::sqrt(static_cast<real>(q.w.size(1)));
}

HardRead HardAttention::read(const Var& x, const Var& memory, const Mask& key_padding_mask) const {
  Var s = scores(x, memory, key_padding_mask);
  Size batch = s.size(0), queries = s.size(1), keys = s.size(2);
  Tensor noisy = s.value();
  if (!Eval::on()) noisy = (noisy + gumbel_noise(s.shape(), *rng)).value();
  HardRead read;
  read.chosen = best_kept(noisy, key_padding_mask, keys);
  Mask keep = key_padding_mask.defined() ? key_padding_mask.reshape({batch, 1, keys}) : Mask();
  // Where nothing is kept, softmax gives zeros: their logarithm is left out by the mask of rows below.
  std::vector<int> rows, cells;
  std::vector<std::uint8_t> any;
  for (std::size_t i = 0; i < read.chosen.size(); i++) {
    int j = std::max(read.chosen[i], 0);
    cells.push_back(j);
    rows.push_back(static_cast<int>(static_cast<Size>(i) / queries * keys) + j);
    any.push_back(read.chosen[i] >= 0);
  }
  Mask chose({batch, queries}, std::move(any));
  Var log_p = log_softmax(masked_fill(s, keep, real(-1e30)));
  Var p = softmax(s, keep);
  read.entropy = -sum(p * masked_fill(log_p, keep, 0), {-1});
  read.log_probability = masked_fill(gather(log_p, cells), chose, 0);
  Var flat = reshape(v(memory), {batch * keys, memory.size(2)});
  read.y = masked_fill(embedding(flat, rows, {batch, queries}), chose.reshape({batch, queries, 1}), 0);
  return read;
}

Var HardAttention::straight_through(const Var& x, const Var& memory, const Mask& key_padding_mask,
                                    real temperature) const {
  Var s = scores(x, memory, key_padding_mask);
  Size batch = s.size(0), keys = s.size(2);
  if (!Eval::on()) s = s + gumbel_noise(s.shape(), *rng);
  Mask keep = key_padding_mask.defined() ? key_padding_mask.reshape({batch, 1, keys}) : Mask();
  Var soft = softmax(s, keep, 1 / temperature);
  Tensor one_hot(s.shape(), 0);
  std::vector<int> best = best_kept(s.value(), key_padding_mask, keys);
  real* at = one_hot.mut();
  for (std::size_t i = 0; i < best.size(); i++)
    if (best[i] >= 0) at[static_cast<Size>(i) * keys + best[i]] = 1;
  return matmul(soft + (one_hot - soft.value()), v(memory));
}

Var reinforce(const HardRead& read, const Tensor& reward, const Var& baseline, real entropy_weight) {
  Size batch = read.log_probability.size(0), queries = read.log_probability.size(1);
  check(reward.shape() == baseline.shape(), "reinforce", "rewards of shape ", reward.shape(), ", a baseline of shape ",
        baseline.shape());
  check(reward.numel() == batch || reward.numel() == batch * queries, "reinforce", "rewards of shape ", reward.shape(),
        ", expected (", batch, ") or ", read.log_probability.shape());
  Shape shape{batch, reward.numel() / batch};
  Tensor advantage = (reward.reshape(shape) - baseline.value().reshape(shape)).value();
  Var policy = sum(read.log_probability * advantage + read.entropy * entropy_weight);
  return sum(pow(baseline - reward, 2)) / static_cast<real>(batch) - policy / static_cast<real>(batch);
}

}  // namespace HEED_NAMESPACE

#include "nn/mixer/sinkhorn.hpp"

#include <algorithm>
#include <cmath>

#include "nn/gumbel.hpp"
#include "tensor/kernels.hpp"
#include "tensor/rows.hpp"

namespace HEED_NAMESPACE {

namespace {

// (B, N, ...) -> (B, NB b, ...), zeros at the end.
Var padded(const Var& x, Size length) {
  if (x.size(1) == length) return x;
  return concat({x, Tensor(x.shape().with(1, length - x.size(1)), 0)}, 1);
}

// (batch, length): what is real, undefined masks included.
Mask real_positions(const Mask& key_padding_mask, Size batch, Size n, Size length) {
  std::vector<std::uint8_t> keep;
  for (Size b = 0; b < batch; b++)
    for (Size i = 0; i < length; i++)
      keep.push_back(i < n && (!key_padding_mask.defined() || key_padding_mask[b * n + i]));
  return Mask({batch, length}, std::move(keep));
}

// The largest S_ij of each row, and whether the row has anything in it.
std::vector<int> choices(const Tensor& s, std::vector<std::uint8_t>& any) {
  std::vector<int> best;
  Tensor top = max(s, -1, &best);
  for (real value : top.to_vector()) any.push_back(value > 0);
  return best;
}

}  // namespace

Sinkhorn::Sinkhorn(Size dim, Size head_count, Size longest, Rng& generator, const SinkhornOptions& choice)
    : HeadProjections("Sinkhorn", dim, head_count, generator), options(choice), length(longest), rng(&generator) {
  check(options.block > 0 && options.temperature > 0 && options.cut > 0, "Sinkhorn",
        "expected a block, a cut and a temperature above 0");
  check(!options.causal || options.mode != SinkhornMode::sortcut, "Sinkhorn",
        "the first sorted blocks are seen by all, so sortcut cannot be causal");
  if (options.hidden == 0) options.hidden = dim / heads;
  Size e = options.hidden, blocks = (length + options.block - 1) / options.block;
  w1 = param("sort.w1", xavier_uniform({dim, heads * e}, generator));
  b1 = param("sort.b1", Tensor({heads * e}, 0));
  w2 = param("sort.w2", xavier_uniform({heads, e, blocks}, generator));
  b2 = param("sort.b2", Tensor({heads, 1, blocks}, 1), false);
}

Var Sinkhorn::sorting(const Var& x, const Mask& key_padding_mask) const {
  Size batch = x.size(0), n = x.size(1), b = options.block, blocks = (n + b - 1) / b;
  Var rows = padded(zero_padding("Sinkhorn", x, key_padding_mask), blocks * b);
  Var sums = sum(reshape(rows, {batch, blocks, b, x.size(2)}), {2});
  if (options.causal) {  // of all blocks before
    Tensor before({blocks, blocks}, 0);
    for (Size i = 0; i < blocks; i++) std::fill_n(before.mut() + i * blocks, i, real(1));
    sums = matmul(Var(before), sums);
  }
  Var hidden = split_heads(relu(linear(sums, w1, b1)), heads);
  Var scores = relu(matmul(hidden, slice(w2, 2, 0, blocks)) + slice(b2, 2, 0, blocks));
  if (options.noise && !Eval::on()) scores = scores + gumbel_noise(scores.shape(), *rng);
  Mask here = real_positions(key_padding_mask, batch, n, blocks * b);
  std::vector<std::uint8_t> cells;
  for (Size s = 0; s < batch; s++) {
    auto any = [&](Size block) {
      const std::uint8_t* first = here.data() + (s * blocks + block) * b;
      return std::find(first, first + b, 1) != first + b;
    };
    for (Size i = 0; i < blocks; i++)
      for (Size j = 0; j < blocks; j++)  // a block of padding keeps itself, so that no row and no column is empty
        cells.push_back(options.causal ? j < i && any(j) : i == j || (any(i) && any(j)));
  }
  Mask keep({batch, 1, blocks, blocks}, std::move(cells));
  auto scale = static_cast<real>(1 / options.temperature);
  if (options.causal) return softmax(scores, keep, scale);
  Var logs = masked_fill(scores * scale, keep, kernel::none);
  Shape column{batch, heads, blocks, 1}, row{batch, heads, 1, blocks};
  for (Size i = 0; i < options.iterations; i++) {
    logs = logs - reshape(logsumexp(logs), column);
    logs = logs - reshape(logsumexp(transpose(logs)), row);
  }
  return exp(logs);
}

Var Sinkhorn::operator()(const Var& x, const Mask& key_padding_mask) const {
  check_sequence("Sinkhorn", x);
  check_length("Sinkhorn", x.size(1), length);
  Size batch = x.size(0), n = x.size(1), d = x.size(2) / heads, b = options.block, blocks = (n + b - 1) / b;
  Size whole = blocks * b, groups = batch * heads * blocks;
  Var s = sorting(x, key_padding_mask);
  Mask here = real_positions(key_padding_mask, batch, n, whole);
  Var keys = zero_padding("Sinkhorn", k(x), key_padding_mask),
      values = zero_padding("Sinkhorn", v(x), key_padding_mask);
  auto in_blocks = [&](const Var& y) {
    return reshape(split_heads(padded(y, whole), heads), {batch, heads, blocks, b * d});
  };
  std::vector<std::uint8_t> any;
  std::vector<int> best = choices(s.value(), any);
  const bool hard = options.mode == SinkhornMode::mask;
  if (hard) {  // 1 for the choice, and the gradient of S
    Tensor one(s.shape(), 0);
    for (std::size_t i = 0; i < best.size(); i++) one.mut()[static_cast<Size>(i) * blocks + best[i]] = any[i];
    s = Var(one) + (s - s.detach());
  }
  Var k_blocks = in_blocks(keys), v_blocks = in_blocks(values);
  const bool cut = options.mode == SinkhornMode::sortcut;
  Size shown = cut ? std::min(options.cut, blocks) : blocks;
  if (cut) s = slice(s, 2, 0, shown);
  Var k_sorted = matmul(s, k_blocks), v_sorted = matmul(s, v_blocks);
  // Whether the places of sorted block i, then, unless cut, those of block i itself, are real.
  std::vector<std::uint8_t> seen;
  for (Size group = 0; group < groups; group++) {
    Size sequence = group / (heads * blocks), i = group % blocks;
    if (cut && i >= shown) continue;
    auto at = static_cast<std::size_t>(group);
    auto append = [&](Size block, bool may) {
      for (Size place = 0; place < b; place++) seen.push_back(may && here[sequence * whole + block * b + place]);
    };
    append(best[at], any[at] && !(hard && best[at] == i));  // a block that chose itself is there once
    if (!cut) append(i, true);
  }
  if (cut) {
    Shape rows{batch, heads, shown * b, d};
    AttentionOptions how{.mask = Mask({batch, heads, 1, shown * b}, std::move(seen))};
    return o(merge_heads(attention(split_heads(q(x), heads), reshape(k_sorted, rows), reshape(v_sorted, rows), how)));
  }
  auto pairs = [&](const Var& sorted, const Var& own) {
    return concat({reshape(sorted, {groups, 1, b, d}), reshape(own, {groups, 1, b, d})}, 2);
  };
  // Query i of a block stands at i + b among the 2 b keys, so causal() is right for both halves.
  AttentionOptions how{.patterns = {options.causal ? heed::causal() : full()}};
  how.mask = Mask({groups, 1, 1, 2 * b}, std::move(seen));
  Var y =
      attention(reshape(in_blocks(q(x)), {groups, 1, b, d}), pairs(k_sorted, k_blocks), pairs(v_sorted, v_blocks), how);
  return o(slice(merge_heads(reshape(y, {batch, heads, whole, d})), 1, 0, n));
}

}  // namespace HEED_NAMESPACE

#include "nn/mixer/synthesizer.hpp"

#include <algorithm>

#include "nn/attention/hook.hpp"

namespace HEED_NAMESPACE {

namespace {

const char* name_of(Synthesis kind) {
  static const char* const names[] = {"random", "fixed_random",     "factorised_random",
                                      "dense",  "factorised_dense", "dot_product"};
  return names[static_cast<std::size_t>(kind)];
}

// The first n rows, and the first n of what stands in them.
Var corner(const Var& table, Size n) { return slice(slice(table, 1, 0, n), 2, 0, n); }

}  // namespace

Synthesizer::Synthesizer(Size dim, Size head_count, Size longest, Rng& rng, const SynthesizerOptions& choice)
    : options(choice),
      heads(head_count),
      length(longest),
      v(sub("v", Linear(dim, dim, rng))),
      o(sub("o", Linear(dim, dim, rng))),
      drop(choice.dropout, rng) {
  check(heads > 0 && dim % heads == 0, "Synthesizer", heads, " heads do not divide ", dim);
  check(!options.parts.empty(), "Synthesizer", "expected at least one part");
  if (options.hidden == 0) options.hidden = dim / heads;
  if (options.columns == 0) options.columns = static_cast<Size>(std::ceil(std::sqrt(static_cast<double>(length))));
  for (Synthesis kind : options.parts) parts.push_back(make(kind, dim, rng));
  if (parts.size() > 1) alpha = param("alpha", Tensor({static_cast<Size>(parts.size())}, 0));
}

Synthesizer::Part Synthesizer::make(Synthesis kind, Size dim, Rng& rng) {
  Part part;
  part.kind = kind;
  const std::string name = name_of(kind);
  Size e = options.hidden, rows = (length + options.columns - 1) / options.columns;
  auto matrices = [&](const std::string& what, Size in, Size out) {
    return param(name + "." + what, xavier_uniform({heads, in, out}, rng));
  };
  switch (kind) {
    case Synthesis::random:
      part.table = matrices("table", length, length);
      break;
    case Synthesis::fixed_random:
      part.table = fixed(name + ".table", xavier_uniform({heads, length, length}, rng));
      break;
    case Synthesis::factorised_random:
      part.table = matrices("rows", length, options.rank);
      part.other = matrices("columns", length, options.rank);
      break;
    case Synthesis::dense:
    case Synthesis::factorised_dense:
      part.w1 = param(name + ".w1", xavier_uniform({dim, heads * e}, rng));
      part.b1 = param(name + ".b1", Tensor({heads * e}, 0));
      part.w2 = matrices("w2", e, kind == Synthesis::dense ? length : options.columns);
      part.b2 = param(name + ".b2", Tensor({heads, 1, part.w2.size(2)}, 0), false);
      if (kind == Synthesis::dense) break;
      part.w3 = matrices("w3", e, rows);
      part.b3 = param(name + ".b3", Tensor({heads, 1, rows}, 0), false);
      break;
    case Synthesis::dot_product:
      part.q.push_back(sub("q", Linear(dim, dim, rng)));
      part.k.push_back(sub("k", Linear(dim, dim, rng)));
      break;
  }
  return part;
}

Var Synthesizer::logits(const Part& part, const Var& x) const {
  Size batch = x.size(0), n = x.size(1), d = x.size(2) / heads;
  auto hidden = [&] { return split_heads(relu(linear(x, part.w1, part.b1)), heads); };  // (B, H, N, e)
  switch (part.kind) {
    case Synthesis::random:
      return reshape(corner(part.table, n), {1, heads, n, n});
    case Synthesis::fixed_random:
      return reshape(corner(part.table.detach(), n), {1, heads, n, n});
    case Synthesis::factorised_random:
      return reshape(matmul(slice(part.table, 1, 0, n), transpose(slice(part.other, 1, 0, n))), {1, heads, n, n});
    case Synthesis::dense:
      return matmul(hidden(), slice(part.w2, 2, 0, n)) + slice(part.b2, 2, 0, n);
    case Synthesis::factorised_dense: {
      // b rows of a columns, read one after the other: a is tiled, b repeated, so every pair occurs once.
      Var h = hidden(), a = matmul(h, part.w2) + part.b2, b = matmul(h, part.w3) + part.b3;
      Size columns = a.size(3), rows = b.size(3);
      Var both = reshape(a, {batch, heads, n, 1, columns}) * reshape(b, {batch, heads, n, rows, 1});
      return slice(reshape(both, {batch, heads, n, rows * columns}), 3, 0, n);
    }
    case Synthesis::dot_product:
      break;
  }
  Var scores = matmul(split_heads(part.q[0](x), heads), transpose(split_heads(part.k[0](x), heads)));
  return scores / std::sqrt(static_cast<real>(d));
}

Var Synthesizer::logits(const Var& x) const {
  if (parts.size() == 1) return logits(parts[0], x);
  Var share = softmax(alpha), total;
  for (std::size_t m = 0; m < parts.size(); m++) {
    auto at = static_cast<Size>(m);
    Var part = logits(parts[m], x) * slice(share, 0, at, at + 1);
    total = m ? total + part : part;
  }
  return total;
}

Var Synthesizer::operator()(const Var& x, const Mask& key_padding_mask) const {
  check_sequence("Synthesizer", x);
  Size batch = x.size(0), n = x.size(1), d = x.size(2) / heads;
  check_length("Synthesizer", n, length);
  Mask keep = padding_keys("Synthesizer", key_padding_mask, batch, n);
  if (options.causal) keep = keep & causal_mask(n, n);
  Var scores = logits(x), value = split_heads(v(x), heads);
  if (key_padding_mask.defined()) scores = expand(scores, {batch, heads, n, n});
  Var weights = softmax(scores, keep);
  if (AttentionHook* hook = AttentionHook::current()) hook->see("Synthesizer", weights.value());
  weights = drop(weights);
  if (batch == 1 || weights.size(0) == batch) return o(merge_heads(matmul(weights, value)));
  // One matrix for the batch: its sequences stand side by side in one product.
  Var side = reshape(permute(value, {1, 2, 0, 3}), {heads, n, batch * d});
  Var y = reshape(matmul(reshape(weights, {heads, n, n}), side), {heads, n, batch, d});
  return o(reshape(permute(y, {2, 1, 0, 3}), {batch, n, heads * d}));
}

}  // namespace HEED_NAMESPACE

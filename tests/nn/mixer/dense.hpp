// dense.hpp — what mixers that avoid N x N matrices are compared with: the same by definition, all cells in memory.
#pragma once

#include "tests/nn/patterns.hpp"

namespace HEED_NAMESPACE::testing {

/// Σ_j A_ij v_j / Σ_j A_ij over the kept cells of A = fq fk' (times `factor`), features (B, H, N, M).
inline Var dense_kernel(const Var& fq, const Var& fk, const Var& v, const Mask& keep, bool divide = true,
                        real least = 0, const Var& factor = {}) {
  Var cells = masked_fill(matmul(fq, transpose(fk)), keep, 0);
  if (factor.defined()) cells = cells * factor;
  Var y = matmul(cells, v);
  if (!divide) return y;
  Var total = sum(cells, {-1}, true);
  if (least > 0) {
    Tensor sums = total.value().compact();
    std::vector<std::uint8_t> large;
    for (Size i = 0; i < sums.numel(); i++) large.push_back(sums.data()[i] >= least);
    return y / masked_fill(total, Mask(total.shape(), large), least);
  }
  return y / total;
}

/// Real keys (B, N) and, when causal, j <= i, as cells (B, 1, N, N).
inline Mask cells(const Mask& padding, Size batch, Size n, bool causal) {
  Mask keep = padding.defined() ? padding.reshape({batch, 1, 1, n}) : Mask();
  return causal ? keep & causal_mask(n, n).reshape({1, 1, n, n}) : keep;
}

/// y = o(merge(mix(split q, split k, split v))) of a layer with q, k, v, o and heads.
template <class L, class F>
Var with_heads(const L& layer, const Var& x, const F& mix) {
  auto heads = [&](const Var& y) { return split_heads(y, layer.heads); };
  return layer.o(merge_heads(mix(heads(layer.q(x)), heads(layer.k(x)), heads(layer.v(x)))));
}

/// Outputs of layer.step(), `chunk` positions at a time, under Eval.
template <class L, class S>
Tensor stepped(const L& layer, const Tensor& x, Size chunk, S state) {
  std::vector<Tensor> parts;
  for (Size i = 0; i < x.size(1); i += chunk)
    parts.push_back(layer.step(x.slice(1, i, std::min(i + chunk, x.size(1))), state).value());
  return concat(parts, 1);
}

}  // namespace HEED_NAMESPACE::testing

// attention.hpp — softmax(q k' / √d) v on any number of leading axes, and the reshaping of heads.
#pragma once

#include <cmath>

#include "nn/dropout.hpp"

namespace HEED_NAMESPACE {

/// The mask an attention layer applies: keys that are padding for all queries, and, when causal, keys to the right.
/// key_padding_mask is (B, Nk), true = a real key; the result broadcasts to (B, H, Nq, Nk).
inline Mask attention_mask(const Mask& key_padding_mask, bool causal, Size queries, Size keys) {
  Mask mask;
  if (key_padding_mask.defined()) {
    const Shape& shape = key_padding_mask.shape();
    check(shape.rank() == 2 && shape[1] == keys, "attention", "expected a key_padding_mask of shape (B, ", keys,
          "), got ", shape);
    mask = key_padding_mask.reshape({shape[0], 1, 1, keys});
  }
  return causal ? mask & causal_mask(queries, keys) : mask;
}

/// Scaled dot-product attention: softmax(q k' scale) v over the cells that the mask keeps. q (..., Nq, d), k (..., Nk,
/// d), v (..., Nk, dv) -> (..., Nq, dv). `scale` is usually 1/√d, d the width of one head; 1 is the unscaled form.
/// Dropout, if given, falls on the weights, which are not made to sum to 1 again. A query with nothing kept gets zeros.
/// Strided heads are multiplied without copies. O(Nq Nk d) time, O(Nq Nk) memory. Vaswani et al. 2017, arXiv
/// 1706.03762.
inline Var attention(const Var& q, const Var& k, const Var& v, real scale, const Mask& mask = {},
                     const Dropout* drop = nullptr) {
  check(q.rank() >= 2 && q.size(-2) > 0 && k.rank() >= 2 && k.size(-2) > 0, "attention",
        "the sequence is empty: queries ", q.shape(), ", keys ", k.shape());
  Var weights = softmax(matmul(q, transpose(k)), mask, scale);
  return matmul(drop ? (*drop)(weights) : weights, v);
}

/// (B, N, H d) -> (B, H, N, d), a view. The transpose matters: reshaping straight to (B, H, N, d) mixes positions and
/// heads.
inline Var split_heads(const Var& x, Size heads) {
  return permute(reshape(x, {x.size(0), x.size(1), heads, x.size(2) / heads}), {0, 2, 1, 3});
}

/// (B, H, N, d) -> (B, N, H d).
inline Var merge_heads(const Var& x) {
  return reshape(permute(x, {0, 2, 1, 3}), {x.size(0), x.size(2), x.size(1) * x.size(3)});
}

}  // namespace HEED_NAMESPACE

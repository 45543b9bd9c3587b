#include "nn/mixer/linear.hpp"

#include <algorithm>

#include "tensor/gemm.hpp"
#include "tensor/kernels.hpp"
#include "tensor/math.hpp"

namespace HEED_NAMESPACE {

Tensor feature_weights(const Tensor& query_features, const Tensor& key_features, const LinearAttentionOptions& how) {
  Tensor weights = matmul(query_features, key_features.transpose()).compact();
  const Size queries = weights.size(2), keys = weights.size(3);
  real* row = weights.mut();
  for (Size i = 0; i < weights.numel() / keys; i++, row += keys) {
    real sum = how.eps;
    for (Size j = 0; j < keys; j++) {
      if (how.causal && j > i % queries + keys - queries) row[j] = 0;
      sum += row[j];
    }
    if (how.least > 0) sum = std::max(sum, how.least);
    for (Size j = 0; j < keys && how.divide && sum != 0; j++) row[j] /= sum;
  }
  return weights;
}

Var elu_plus_one(const Var& x) {
  Tensor y = map(
      [](real v) {
        real e = kernel::exp(v < 0 ? v : 0);
        return v > 0 ? v + 1 : e;
      },
      x.value());
  // The slope is 1 where y > 1, else y.
  return op("elu_plus_one", y,
            {{x, [y](const Tensor& g) { return map([](real up, real v) { return up * (v < 1 ? v : 1); }, g, y); }}});
}

Var exp_shifted(const Var& x, const Var& shift) {
  constexpr real most = 70;  // sums of many stay finite in float
  Tensor y = map([](real v, real s) { return kernel::exp(v - s > most ? most : v - s); }, x.value(), shift.value());
  auto slope = [y](const Tensor& g, real sign) {
    const real top = kernel::exp(most);
    return map([=](real up, real v) { return v < top ? sign * up * v : 0; }, g, y);
  };
  return op("exp_shifted", y, {{x, [slope](const Tensor& g) { return slope(g, 1); }}, {shift, [slope](const Tensor& g) {
                                                                                         return slope(g, -1);
                                                                                       }}});
}

namespace {
// The first real key of each sequence, (B, 1, H, d); zeros when there is none.
Tensor first_keys(const Tensor& keys, const Mask& keep) {
  Tensor k = keys.compact(), out({k.size(0), 1, k.size(2), k.size(3)}, 0);
  Size n = k.size(1), width = k.size(2) * k.size(3);
  real* to = out.mut();
  for (Size b = 0; b < k.size(0); b++) {
    Size i = 0;
    while (i < n && keep.defined() && !keep[b * n + i]) i++;
    if (i < n) std::copy_n(k.data() + (b * n + i) * width, width, to + b * width);
  }
  return out;
}
}  // namespace

Features EfficientAttention::features(const FeatureInput& in) const {
  Var query = softmax(in.q);
  if (!causal) {
    Mask keep = in.keep.defined() ? in.keep.reshape({in.k.size(0), 1, 1, in.k.size(1)}) : Mask();
    Var key = permute(softmax(permute(in.k, {0, 2, 3, 1}), keep), {0, 3, 1, 2});
    return {query, key, {.divide = false}};
  }
  // Exponents are relative to the first key, since the largest one so far would be another at each position.
  Tensor reference =
      in.state && in.state->reference.defined() ? in.state->reference : first_keys(in.k.value(), in.keep);
  Var key = masked_fill(exp_shifted(in.k, reference), in.keep, 0), total = cumsum(key, 1);
  if (in.state) {
    if (in.state->total.defined()) total = total + in.state->total;
    in.state->reference = reference;
    in.state->total = total.value().slice(1, in.k.size(1) - 1, in.k.size(1)).compact();
  }
  // The first key counts 1, so what is added is lost in rounding; before it there is nothing, 0 / 1e-15.
  return {query / (total + real(1e-15)), key, {.divide = false}};
}

}  // namespace HEED_NAMESPACE

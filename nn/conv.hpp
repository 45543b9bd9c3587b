// conv.hpp — convolutions and pooling as layers, over sequences (B, C, L) and images (B, C, H, W).
#pragma once

#include "nn/linear.hpp"

namespace HEED_NAMESPACE {

/// Kernels (out, in / groups, sizes...), uniform in ±√(6 / (inputs of an output + outputs of an input)), as
/// xavier_uniform() for a matrix. Throws Error unless groups divides in and out.
inline Tensor xavier_kernels(const char* layer, Size in, Size out, Size groups, const Shape& sizes, Rng& rng) {
  check(groups > 0 && in % groups == 0 && out % groups == 0, layer, groups, " groups do not divide ", in, " and ", out,
        " channels");
  Size ends = (in + out) / groups * sizes.numel();
  return rng.uniform(sizes.insert(0, in / groups).insert(0, out), std::sqrt(6.0 / static_cast<double>(ends)));
}

/// conv1d(x, w, b): (B, in, L) -> (B, out, L'), see autograd/ops.hpp for L', cost and errors. w (out, in / groups,
/// kernel) starts Xavier uniform, b at zero. With stride 1 and padding (kernel - 1) / 2, for an odd kernel, L' = L.
struct Conv1d : Module {
  Convolution how;  ///< how the kernel moves
  Var w, b;         ///< (Cout, C/groups, K) and (Cout), b undefined without bias
  Conv1d(Size in, Size out, Size kernel, Rng& rng, const Convolution& options = {}, LinearOptions linear = {})
      : how(options),
        w(param("w", xavier_kernels("Conv1d", in, out, how.groups, {kernel}, rng))),
        b(linear.bias ? param("b", Tensor({out}, 0)) : Var()) {}
  /// `key_padding_mask` (B, L), true = a real position: the others read as zeros, like what lies beyond the ends.
  Var operator()(const Var& x, const Mask& key_padding_mask = {}) const {
    if (!key_padding_mask.defined()) return conv1d(x, w, b, how);
    check(x.rank() == 3 && key_padding_mask.shape() == Shape{x.size(0), x.size(2)}, "Conv1d",
          "expected (B, C, L) and a key_padding_mask (B, L), got ", x.shape(), " and ", key_padding_mask.shape());
    return conv1d(masked_fill(x, key_padding_mask.reshape({x.size(0), 1, x.size(2)}), 0), w, b, how);
  }
};

/// conv2d(x, w, b): (B, in, H, W) -> (B, out, H', W') with square kernels, otherwise like Conv1d.
struct Conv2d : Module {
  Convolution how;  ///< how the kernel moves
  Var w, b;         ///< (Cout, C/groups, K, K) and (Cout), b undefined without bias
  Conv2d(Size in, Size out, Size kernel, Rng& rng, const Convolution& options = {}, LinearOptions linear = {})
      : how(options),
        w(param("w", xavier_kernels("Conv2d", in, out, how.groups, {kernel, kernel}, rng))),
        b(linear.bias ? param("b", Tensor({out}, 0)) : Var()) {}
  Var operator()(const Var& x) const { return conv2d(x, w, b, how); }
};

/// Largest element under each window of (B, C, L) or (B, C, H, W); see max_pool().
struct MaxPool {
  Pooling how = {};  ///< how the window moves
  Var operator()(const Var& x) const { return max_pool(x, how); }
};

/// Mean under each window, padding not counted; see mean_pool().
struct MeanPool {
  Pooling how = {};  ///< how the window moves
  Var operator()(const Var& x) const { return mean_pool(x, how); }
};

}  // namespace HEED_NAMESPACE

// norm.hpp — layer normalisation as a layer.
#pragma once

#include "autograd/ops.hpp"
#include "nn/module.hpp"

namespace HEED_NAMESPACE {

/// gain (x - mean) / √(variance + eps) + bias over the last axis, gain 1 and bias 0 at the start; see layer_norm().
struct LayerNorm : Module {
  Var gain, bias;  ///< (D), at first 1 and 0
  double eps;      ///< added to the variance
  explicit LayerNorm(Size dim, double epsilon = 1e-5)
      : gain(param("gain", Tensor({dim}, 1))), bias(param("bias", Tensor({dim}, 0))), eps(epsilon) {}
  Var operator()(const Var& x) const { return layer_norm(x, gain, bias, eps); }
};

}  // namespace HEED_NAMESPACE

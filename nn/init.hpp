// init.hpp — how parameters start.
#pragma once

#include <cmath>

#include "tensor/rng.hpp"

namespace HEED_NAMESPACE {

/// Uniform in ±√(6 / (in + out)) for a matrix (in, out), so that activations and gradients keep their size (Glorot,
/// Bengio 2010, "Understanding the difficulty of training deep feedforward neural networks").
inline Tensor xavier_uniform(const Shape& shape, Rng& rng) {
  check(shape.rank() >= 2, "xavier_uniform", "expected a matrix, got ", shape);
  return rng.uniform(shape, std::sqrt(6.0 / static_cast<double>(shape[-2] + shape[-1])));
}

/// Normal with deviation √(2 / in) for a matrix (in, out) followed by ReLU (He et al. 2015, arXiv 1502.01852).
inline Tensor he_normal(const Shape& shape, Rng& rng) {
  check(shape.rank() >= 2, "he_normal", "expected a matrix, got ", shape);
  return rng.normal(shape, std::sqrt(2.0 / static_cast<double>(shape[-2])));
}

}  // namespace HEED_NAMESPACE

// gumbel.hpp — noise that turns a maximum into a draw.
#pragma once

#include <cmath>

#include "tensor/rng.hpp"

namespace HEED_NAMESPACE {

/// -log(-log u) of uniform u, each element drawn from `rng`: argmax(s + noise) is a draw from softmax(s). Gumbel 1954,
/// "Statistical theory of extreme values".
inline Tensor gumbel_noise(const Shape& shape, Rng& rng) {
  Tensor noise(shape);
  real* to = noise.mut();
  for (Size i = 0; i < noise.numel(); i++) to[i] = static_cast<real>(-std::log(-std::log(rng.uniform() + 0x1p-54)));
  return noise;
}

}  // namespace HEED_NAMESPACE

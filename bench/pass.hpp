// pass.hpp — what the benchmarks of single operations share: inputs, and one pass forward and backward.
#pragma once

#include <functional>
#include <vector>

#include "nn/module.hpp"
#include "tensor/rng.hpp"

namespace HEED_NAMESPACE::bench {

inline Rng pass_rng(1);

inline Var fresh(const Shape& shape) { return Var::parameter(pass_rng.uniform(shape, 1)); }

inline std::vector<int> some_ids(Size count, Size below) {
  std::vector<int> ids;
  for (Size i = 0; i < count; i++) ids.push_back(static_cast<int>(pass_rng.below(below)));
  return ids;
}

/// The inputs' gradients are dropped before each pass, as an optimizer does.
inline std::function<void()> both_ways(const std::vector<Var>& inputs, const std::function<Var()>& f) {
  Tensor seed = pass_rng.uniform(f().shape(), 1);
  return [=] {
    for (const Var& input : inputs) Var(input).grad() = Tensor();
    f().backward(seed);
  };
}

/// Of a layer: its parameters are inputs too.
template <class Layer>
std::function<void()> both_ways(const Layer& layer, const Shape& shape) {
  std::vector<Var> inputs{fresh(shape)};
  for (const Parameter& p : layer.parameters()) inputs.push_back(p.var);
  return both_ways(inputs, [x = inputs[0], layer] { return layer(x); });
}

}  // namespace HEED_NAMESPACE::bench

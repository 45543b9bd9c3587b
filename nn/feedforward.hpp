// feedforward.hpp — activations by name, the block's feed-forward network, and multi-layer perceptrons.
#pragma once

#include "nn/dropout.hpp"
#include "nn/linear.hpp"

namespace HEED_NAMESPACE {

enum class Activation { identity, relu, gelu, gelu_tanh, tanh, sigmoid };  ///< Functions of one number between layers.

inline Var activate(Activation kind, const Var& x) {  ///< The function applied to each element.
  switch (kind) {
    case Activation::relu:
      return relu(x);
    case Activation::gelu:
      return gelu(x);
    case Activation::gelu_tanh:
      return gelu(x, Gelu::tanh);
    case Activation::tanh:
      return tanh(x);
    case Activation::sigmoid:
      return sigmoid(x);
    case Activation::identity:
      break;
  }
  return x;
}

/// act(x W1 + b1) W2 + b2 with dropout after the activation: (..., dim) -> (..., dim), `hidden` wide inside (Vaswani et
/// al. 2017, arXiv 1706.03762).
struct FeedForward : Module {
  Activation activation;  ///< between the two layers
  Linear in, out;         ///< (D) -> (hidden) -> (D)
  Dropout drop;           ///< on the hidden layer
  FeedForward(Size dim, Size hidden, Rng& rng, Activation act = Activation::gelu, double dropout = 0)
      : activation(act),
        in(sub("in", Linear(dim, hidden, rng))),
        out(sub("out", Linear(hidden, dim, rng))),
        drop(dropout, rng) {}
  Var operator()(const Var& x) const { return out(drop(activate(activation, in(x)))); }
};

/// Fully connected layers of the given sizes with an activation between them: (..., sizes.front()) -> (...,
/// sizes.back()).
struct Mlp : Module {
  Activation activation;       ///< between layers
  std::vector<Linear> layers;  ///< one after the other
  Mlp(const std::vector<Size>& sizes, Rng& rng, Activation act = Activation::relu) : activation(act) {
    check(sizes.size() >= 2, "Mlp", "expected at least an input and an output size, got ", sizes.size());
    for (std::size_t i = 0; i + 1 < sizes.size(); i++)
      layers.push_back(sub(std::to_string(i), Linear(sizes[i], sizes[i + 1], rng)));
  }
  Var operator()(Var x) const {
    for (std::size_t i = 0; i < layers.size(); i++) x = layers[i](i ? activate(activation, x) : x);
    return x;
  }
};

}  // namespace HEED_NAMESPACE

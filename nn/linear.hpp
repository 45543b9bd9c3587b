// linear.hpp — the fully connected layer, alone at each position or on a window of neighbours.
#pragma once

#include "autograd/ops.hpp"
#include "nn/init.hpp"
#include "nn/module.hpp"

namespace HEED_NAMESPACE {

struct LinearOptions {  ///< Choices for Linear.
  bool bias = true;     ///< whether b is there
};

/// y = x W + b: (..., in) -> (..., out), the same weights at every position. W is Xavier uniform, b zero. O(in out) a
/// row. Applied to words one by one it cannot tell the two "saw" of "I saw a saw" apart: equal inputs give equal
/// outputs.
struct Linear : Module {
  Var w, b;  ///< (in, out) and (out), b undefined without bias
  Linear(Size in, Size out, Rng& rng, LinearOptions options = {})
      : w(param("w", xavier_uniform({in, out}, rng))), b(options.bias ? param("b", Tensor({out}, 0)) : Var()) {}
  Var operator()(const Var& x) const { return linear(x, w, b); }
};

/// Fully connected on a window: y_i = [x_{i-c}; ...; x_{i+c}] W + b, zeros beyond the ends and at padding. The same as
/// a 1-D convolution of width 2c+1. (B, N, in) -> (B, N, out); W is ((2c+1) in, out), so size and time grow with the
/// window.
struct WindowedLinear : Module {
  int reach;     ///< c: neighbours on each side
  Linear inner;  ///< of each window, ((2 reach + 1) in) -> (out)
  WindowedLinear(Size in, Size out, int neighbours, Rng& rng)
      : reach(neighbours), inner(sub("inner", Linear((2 * neighbours + 1) * in, out, rng))) {}
  /// `key_padding_mask` (B, N), true = a real position.
  Var operator()(const Var& x, const Mask& key_padding_mask = {}) const {
    check_sequence("WindowedLinear", x);
    if (!key_padding_mask.defined()) return inner(windows(x, reach, reach));
    Mask rows = key_padding_mask.reshape(key_padding_mask.shape().insert(-1, 1));  // (B, N, 1)
    return inner(windows(masked_fill(x, rows, 0), reach, reach));
  }
};

}  // namespace HEED_NAMESPACE

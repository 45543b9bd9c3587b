// sagan.hpp — self-attention on the positions of an image, as a block to put between convolutions.
#pragma once

#include "nn/attention/attention.hpp"
#include "nn/linear.hpp"

namespace HEED_NAMESPACE {

/// y = γ o + x with o_j = W_v Σ_i softmax_i(f_i · g_j) h_i, where f = W_f x, g = W_g x and h = W_h x have C / 8
/// channels (at least 1), no scale and no biases; γ starts at 0, so the block starts as the identity and at first only
/// γ learns. x (B, N, C) or an image (B, C, H, W). O(N² C) time, O(N C) memory. Zhang, Goodfellow, Metaxas, Odena 2018,
/// arXiv 1805.08318.
struct SaganBlock : Module {
  Linear f, g, h, v;  ///< 1 x 1 convolutions
  Var gamma;          ///< (1), 0 at first
  SaganBlock(Size channels, Rng& rng)
      : f(sub("f", Linear(channels, inner(channels), rng, {.bias = false}))),
        g(sub("g", Linear(channels, inner(channels), rng, {.bias = false}))),
        h(sub("h", Linear(channels, inner(channels), rng, {.bias = false}))),
        v(sub("v", Linear(inner(channels), channels, rng, {.bias = false}))),
        gamma(param("gamma", Tensor({1}, 0))) {}

  Var operator()(const Var& x) const {
    if (x.rank() == 4) {
      Size batch = x.size(0), channels = x.size(1);
      Var y = (*this)(transpose(reshape(x, {batch, channels, x.size(2) * x.size(3)})));
      return reshape(transpose(y), x.shape());
    }
    return x + gamma * v(attention(g(x), f(x), h(x), {.scale = 1}));
  }

 private:
  static Size inner(Size channels) { return std::max<Size>(1, channels / 8); }
};

}  // namespace HEED_NAMESPACE

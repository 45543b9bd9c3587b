// mlp_mixer.hpp — positions mixed by a small network along the sequence, the same one for every channel.
#pragma once

#include "nn/feedforward.hpp"
#include "nn/mixer/padding.hpp"

namespace HEED_NAMESPACE {

struct TokenMlpOptions {                     ///< Choices for TokenMlp.
  Size hidden = 0;                           ///< Ds, width inside; 0: dim / 2, at least 1
  Activation activation = Activation::gelu;  ///< between the two layers
};

/// Token mixing of MLP-Mixer: each channel's column of N numbers goes through one network, y = (act(xᵀ W1 + b1) W2 +
/// b2)ᵀ, W1 (length, Ds), W2 (Ds, length). (B, N, D) -> (B, N, D) for N up to `length`; a shorter sequence uses the
/// first rows of W1 and columns of W2, as if padded with zeros. Padded rows count as 0. No positions are needed, no
/// causal form: every hidden unit has seen the whole sequence. In a pre-norm block with feed-forward it is the paper's
/// layer. O(N Ds D) time, linear as long as Ds does not grow with N; O((N + Ds) D) memory; 2 length Ds weights. For
/// inputs of one length, such as patches. Throws Error for a longer or an empty sequence and a mask of another shape.
/// Tolstikhin et al. 2021, arXiv 2105.01601.
struct TokenMlp : Module {
  Activation activation;  ///< between the two layers
  Linear in, out;         ///< (length) -> (Ds) -> (length)
  TokenMlp(Size dim, Size length, Rng& rng, const TokenMlpOptions& options = {})
      : activation(options.activation),
        in(sub("in", Linear(length, width(dim, options), rng))),
        out(sub("out", Linear(width(dim, options), length, rng))) {}
  /// `key_padding_mask` (B, N), true = a real position.
  Var operator()(const Var& x, const Mask& key_padding_mask = {}) const {
    Var columns = transpose(zero_padding("TokenMlp", x, key_padding_mask));
    Size n = x.size(1);
    check_length("TokenMlp", n, in.w.size(0));
    Var hidden = activate(activation, linear(columns, slice(in.w, 0, 0, n), in.b));
    return transpose(linear(hidden, slice(out.w, 1, 0, n), slice(out.b, 0, 0, n)));
  }

 private:
  static Size width(Size dim, const TokenMlpOptions& o) { return o.hidden ? o.hidden : std::max<Size>(1, dim / 2); }
};

}  // namespace HEED_NAMESPACE

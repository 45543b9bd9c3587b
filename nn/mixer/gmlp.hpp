// gmlp.hpp — a feed-forward network whose channels are gated by a learned mixture of positions.
#pragma once

#include "nn/attention/self.hpp"
#include "nn/feedforward.hpp"
#include "nn/mixer/padding.hpp"
#include "nn/norm.hpp"

namespace HEED_NAMESPACE {

struct GmlpOptions {    ///< Choices for Gmlp.
  Size hidden = 0;      ///< E, width before the split, even; 0: 4 dim
  Size attention = 0;   ///< width of the one head that helps the gate (aMLP, the paper's is 64); 0: none (gMLP)
  bool causal = false;  ///< position i sees only j <= i
  Activation activation = Activation::gelu;  ///< before the split
};

/// z = act(x U + b_U), split into z1 and z2; y = (z1 ⊙ gate) V + b_V with gate_i = Σ_j W_ij LN(z2)_j + b_i, and for
/// aMLP + the attention of x times W^o. (B, N, D) -> (B, N, D) for N up to `length`; a shorter sequence uses the first
/// rows and columns of W. W starts within ±1e-3 / length and b at 1, so at first it is a feed-forward network. Padded
/// rows of LN(z2) count as 0; causal: W is lower triangular. In a pre-norm block without feed-forward it is the paper's
/// layer. O(N D E + N² E / 2) time, O(N E + N²) memory, length² weights. For inputs of bounded length; what has to be
/// found by content needs aMLP. Throws Error for an odd `hidden`, a longer or an empty sequence, and a mask of another
/// shape. Liu, Dai, So, Le 2021, arXiv 2105.08050.
struct Gmlp : Module {
  bool causal;                           ///< position i sees only j <= i
  Activation activation;                 ///< before the split
  Linear in;                             ///< U and b_U, (D) -> (E)
  LayerNorm norm;                        ///< of z2, (E / 2)
  Var w, b;                              ///< (length, length), (length)
  std::vector<SelfAttention> attention;  ///< one or none
  std::vector<Linear> project;           ///< of the attention
  Linear out;                            ///< V and b_V, (E / 2) -> (D)
  Gmlp(Size dim, Size length, Rng& rng, const GmlpOptions& options = {})
      : causal(options.causal),
        activation(options.activation),
        in(sub("in", Linear(dim, 2 * half(dim, options), rng))),
        norm(sub("norm", LayerNorm(half(dim, options)))),
        w(param("w", rng.uniform({length, length}, 1e-3 / static_cast<double>(length)))),
        b(param("b", Tensor({length}, 1))),
        out(sub("out", Linear(half(dim, options), dim, rng))) {
    if (options.attention == 0) return;
    attention.push_back(sub("attention", SelfAttention(dim, options.attention, rng, {.causal = causal})));
    project.push_back(sub("project", Linear(options.attention, half(dim, options), rng, {.bias = false})));
  }

  /// `key_padding_mask` (B, N), true = a real position.
  Var operator()(const Var& x, const Mask& key_padding_mask = {}) const {
    check(x.rank() == 3, "Gmlp", "expected (B, N, D) with N > 0, got ", x.shape());
    Size n = x.size(1), width = norm.gain.numel();
    check_length("Gmlp", n, w.size(0));
    Var z = activate(activation, in(x));
    Var rows = zero_padding("Gmlp", norm(slice(z, -1, width, 2 * width)), key_padding_mask);
    Var mixing = slice(slice(w, 0, 0, n), 1, 0, n);
    if (causal) mixing = masked_fill(mixing, causal_mask(n, n), 0);
    // One product with W for the whole batch: channels of all sequences are its rows.
    Var gate = transpose(linear(transpose(rows), transpose(mixing), slice(b, 0, 0, n)));
    for (std::size_t i = 0; i < attention.size(); i++) gate = gate + project[i](attention[i](x, key_padding_mask));
    return out(slice(z, -1, 0, width) * gate);
  }

 private:
  static Size half(Size dim, const GmlpOptions& o) {
    check(o.hidden >= 0 && o.hidden % 2 == 0, "Gmlp", "hidden is split in two and has to be even, got ", o.hidden);
    return o.hidden ? o.hidden / 2 : 2 * dim;
  }
};

}  // namespace HEED_NAMESPACE

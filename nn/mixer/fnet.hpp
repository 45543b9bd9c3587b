// fnet.hpp — positions mixed by a Fourier transform, without parameters.
#pragma once

#include "nn/mixer/padding.hpp"
#include "nn/module.hpp"

namespace HEED_NAMESPACE {

/// The mixer of FNet: every output is a fixed sum of all positions and channels, y = Re(F_N x F_D), see fourier_mix().
/// (B, N, D) -> (B, N, D), any N and D; N = D = 1 is the identity. No parameters, no causal form. Padded rows count as
/// 0; frequencies depend on the padded length, so it is the one mixer whose outputs change when a batch is padded
/// further: pad to one length. Values grow by up to √(N D): use it in a block that normalises after the sum, LN(x + y).
/// O(N D log(N D)) time, O(N D) memory. For cheap mixing of long inputs where some accuracy may go. Throws Error for an
/// empty sequence or a mask of another shape. Lee-Thorp, Ainslie, Eckstein, Ontañón 2021, arXiv 2105.03824.
struct FNet : Module {
  /// `key_padding_mask` (B, N), true = a real position.
  Var operator()(const Var& x, const Mask& key_padding_mask = {}) const {
    return fourier_mix(zero_padding("FNet", x, key_padding_mask));
  }
};

}  // namespace HEED_NAMESPACE

// clip.hpp — keeps one bad batch from throwing a model off.
#pragma once

#include <string>

#include "nn/module.hpp"

namespace HEED_NAMESPACE {

struct GradientNorm {      ///< What clip_gradients() found.
  double norm = 0;         ///< over all parameters together, before clipping
  std::string not_finite;  ///< name of the first parameter with a NaN or infinite gradient; empty when all is well
};

/// Scales all gradients by min(1, max_norm / (norm + 1e-6)), norm being that of all gradients together. When it is not
/// finite the gradients are dropped instead, so that the next step() changes nothing: report not_finite and go on, or
/// stop. Parameters without a gradient are passed over. Pascanu, Mikolov, Bengio 2012, arXiv 1211.5063.
GradientNorm clip_gradients(const std::vector<Parameter>& list, double max_norm);

}  // namespace HEED_NAMESPACE

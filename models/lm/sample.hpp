// sample.hpp — drawing the next symbol from scores.
#pragma once

#include <span>

#include "tensor/rng.hpp"

namespace HEED_NAMESPACE {

struct SampleOptions {
  double temperature = 1;  ///< scores are divided by it; 0: always the best
  int top_k = 0;           ///< only the k best; 0: all
  double top_p = 1;        ///< only the best that together have this share
};

/// An index of `scores`, drawn from the softmax over those that the options leave. The best is always left, the lower
/// index wins ties. Throws Error for no scores or a negative temperature. O(V log V). Top-p: Holtzman et al. 2019,
/// arXiv 1904.09751.
int sample(std::span<const real> scores, const SampleOptions& options, Rng& rng);

}  // namespace HEED_NAMESPACE

// dropout.hpp — dropout as a layer.
#pragma once

#include "autograd/ops.hpp"

namespace HEED_NAMESPACE {

/// Zeroes elements with probability p in training and divides the others by 1 - p; identity under Eval. Keeps a pointer
/// to the generator, which must outlive the layer and its copies.
struct Dropout {
  double p;  ///< probability to drop, 0 <= p < 1
  Rng* rng;  ///< what is drawn from
  Dropout(double probability, Rng& generator) : p(probability), rng(&generator) {
    check(p >= 0 && p < 1, "Dropout", "expected a probability in [0, 1), got ", p);
  }
  Var operator()(const Var& x) const { return dropout(x, p, *rng); }
};

}  // namespace HEED_NAMESPACE

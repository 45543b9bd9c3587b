// embedding.hpp — a learned vector for every entry of a vocabulary.
#pragma once

#include <cmath>

#include "autograd/ops.hpp"
#include "nn/module.hpp"

namespace HEED_NAMESPACE {

/// Rows of a table E (V, D), the same as one-hot vectors times E without multiplying them out: ids laid out as
/// (shape...) -> (shape..., D). E is N(0, 1/√D). The row `padding` (default -1: none) reads as zeros and never changes.
/// Weight decay does not apply. Throws Error for ids outside [0, V).
struct Embedding : Module {
  int padding;  ///< id whose row stays 0; -1: none
  Var table;    ///< (vocabulary, D)
  Embedding(Size vocabulary, Size dim, Rng& rng, int padding_id = -1)
      : padding(padding_id),
        table(param("table", rng.normal({vocabulary, dim}, 1 / std::sqrt(static_cast<double>(dim))), false)) {
    if (padding >= 0) {
      check(padding < vocabulary, "Embedding", "padding ", padding, " is outside a table of ", vocabulary, " rows");
      std::fill_n(table.value().mut() + padding * dim, dim, real(0));
    }
  }
  Var operator()(std::span<const int> ids, const Shape& shape) const { return embedding(table, ids, shape, padding); }
};

}  // namespace HEED_NAMESPACE

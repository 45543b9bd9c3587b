// learned.hpp — positions learned from data: one vector for each of the first places.
#pragma once

#include "autograd/ops.hpp"
#include "nn/module.hpp"

namespace HEED_NAMESPACE {

/// x + P[0..N): (B, N, D) -> (B, N, D) with a table P (max_length, D), N(0, 0.02). Rows beyond the lengths seen in
/// training stay noise. Throws Error when N > max_length. Devlin et al. 2018, arXiv 1810.04805.
struct LearnedPositions : Module {
  Var table;  ///< (max_length, D)
  LearnedPositions(Size max_length, Size dim, Rng& rng)
      : table(param("table", rng.normal({max_length, dim}, 0.02), false)) {}
  Var operator()(const Var& x) const {
    check(x.rank() >= 2 && x.size(-2) <= table.size(0), "LearnedPositions", "a sequence of ", x.shape(),
          " is longer than the ", table.size(0), " positions of the table");
    return x + slice(table, 0, 0, x.size(-2));
  }
};

}  // namespace HEED_NAMESPACE

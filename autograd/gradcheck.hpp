// gradcheck.hpp — compares backward() with finite differences.
//
// One random weight for every output, one random direction for every input: two evaluations an input, and nothing
// cancels by symmetry. Meant for the double build; in float it is a smoke test.
#pragma once

#include <functional>

#include "autograd/var.hpp"

namespace HEED_NAMESPACE {

struct GradCheck {                                ///< How a gradient is checked.
  double step = sizeof(real) == 8 ? 1e-5 : 1e-2;  ///< h of (f(x + h u) - f(x - h u)) / 2h
  std::uint64_t seed = 1;                         ///< of the directions u and of the weights of outputs
};

/// Greatest difference, over the inputs, between the directional derivative that backward() gives and central
/// differences, relative to max(1, |derivative|). `f` must compute the same function each time it is called (fix its
/// generators). Below 1e-8 in double means right; keep kinks such as relu's at 0 out of the inputs. Infinity when a
/// gradient is missing.
double gradcheck(const std::function<Var(const std::vector<Var>&)>& f, const std::vector<Tensor>& inputs,
                 const GradCheck& options = {});

}  // namespace HEED_NAMESPACE

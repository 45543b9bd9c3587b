// floater.hpp — positions that flow: a learned dynamical system whose state at time i Δ is position i (FLOATER).
#pragma once

#include "autograd/ops.hpp"
#include "nn/feedforward.hpp"
#include "nn/position/sinusoidal.hpp"

namespace HEED_NAMESPACE {

struct FloaterOptions {  ///< Choices for FloaterPositions.
  double step = 0.1;     ///< Δ, the time between neighbours
  int substeps = 2;      ///< of the solver, for each Δ
  Activation activation =
      Activation::tanh;            ///< or relu, which the authors' program takes, with step 0.01 and 5 substeps
  bool autonomous = false;         ///< h does not see the time, which runs out of what was learned beyond that length
  bool residual_sinusoid = false;  ///< learn only the difference to sinusoidal positions
};

/// p(0), p(Δ), ..., p((length-1) Δ) with dp/dt = [act([p; t] W1 + b1); t] W2 + b2, by classical Runge-Kutta steps of
/// Δ / substeps: start (..., D) -> (..., length, D), every row of `start` on its own. W1, W2 (D+1, D), or (D, D) when
/// autonomous; b1, b2 (D). The gradient is that of the steps taken, not of the equation. O(length substeps D²) time a
/// row, one position after the other; O(length D) memory: only the result is kept, backward solves each Δ again.
/// Throws Error when shapes do not fit, for length < 1, substeps < 1 or another activation.
/// Liu, Yu, Dhillon, Hsieh 2020, arXiv 2003.09229.
Var floater(const Var& start, const Var& w1, const Var& b1, const Var& w2, const Var& b2, Size length,
            const FloaterOptions& options = {});

/// The parameters of floater(), and its two uses. On the input: one p(0), and x + p: (B, N, D) -> (B, N, D). Per layer,
/// as in the paper: a p(0) for the q, k and v of every layer and one dynamics for all, which Encoder adds to what its
/// layers project. p(0) and W are Xavier, b zero. Any N; computed anew at every call, since a stale table would get no
/// gradient.
struct FloaterPositions : Module {
  FloaterOptions options;     ///< as given
  Var start, w1, b1, w2, b2;  ///< initial vector and the weights of the network
  /// `layers` 0: on the input; else for so many layers.
  FloaterPositions(Size dim, Rng& rng, const FloaterOptions& choice = {}, Size layers = 0)
      : options(choice),
        start(param("start", xavier_uniform({layers ? 3 * layers : 1, 1, dim}, rng).reshape(rows(layers, dim)), false)),
        w1(param("w1", xavier_uniform({dim + !choice.autonomous, dim}, rng))),
        b1(param("b1", Tensor({dim}, 0))),
        w2(param("w2", xavier_uniform({dim + !choice.autonomous, dim}, rng))),
        b2(param("b2", Tensor({dim}, 0))) {}

  /// Positions 0 to length - 1: (1, length, D), or (layers, 3, length, D).
  Var table(Size length) const {
    Var learned = floater(start, w1, b1, w2, b2, length, options);
    return options.residual_sinusoid ? learned + sinusoidal_positions(length, start.size(-1)) : learned;
  }

  Var operator()(const Var& x) const {
    check(start.rank() == 2, "FloaterPositions", "made for layers, not to be added to an input: give table() to them");
    check(x.rank() >= 2, "FloaterPositions", "expected (..., N, D), got ", x.shape());
    return x + table(x.size(-2));
  }

 private:
  static Shape rows(Size layers, Size dim) { return layers ? Shape{layers, 3, dim} : Shape{1, dim}; }
};

}  // namespace HEED_NAMESPACE

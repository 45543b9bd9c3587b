// hard.hpp — hard attention: each query reads one key, by a draw in training and the best one in evaluation.
#pragma once

#include "nn/linear.hpp"
#include "tensor/rng.hpp"

namespace HEED_NAMESPACE {

/// What was read, and what REINFORCE needs of it.
struct HardRead {
  Var y;                    ///< (B, Nq, D), the values that were chosen
  Var log_probability;      ///< (B, Nq), of the choices
  Var entropy;              ///< (B, Nq), of the distributions they were drawn from
  std::vector<int> chosen;  ///< B Nq indices of keys; -1 where there was none to choose
};

/// y_i = v_j with j ~ softmax_j(q_i · k_j / √d), in evaluation the likeliest j; q = x W^q, k = m W^k of width d, v = m
/// W^v of width D. Queries from x (B, Nq, D), keys and values from `memory` (B, Nk, D). A query without a real key
/// reads zeros. O(Nq Nk d) time for the scores and O(D) for reading. A choice has no derivative; there are two ways
/// out. Xu et al. 2015, arXiv 1502.03044.
struct HardAttention : Module {
  Rng* rng;        ///< what choices are drawn from
  Linear q, k, v;  ///< W^q and W^k, (D) -> (d); W^v, (D) -> (D)
  HardAttention(Size dim, Size key_dim, Rng& generator);

  /// For REINFORCE: y passes gradients to the values alone; add reinforce() to the loss. `key_padding_mask` (B, Nk),
  /// true = a real position. Throws Error for shapes that do not fit.
  HardRead read(const Var& x, const Var& memory, const Mask& key_padding_mask = {}) const;

  /// Straight-through Gumbel-softmax: forward the one-hot of argmax(score + gumbel), backward the derivative of
  /// softmax((score + gumbel) / temperature), which is biased but varies little. In evaluation no noise. Jang, Gu,
  /// Poole 2016, arXiv 1611.01144.
  Var straight_through(const Var& x, const Var& memory, const Mask& key_padding_mask = {}, real temperature = 1) const;

 private:
  Var scores(const Var& x, const Var& memory, const Mask& key_padding_mask) const;
};

/// Σ over queries, mean over the batch, of -(R - b) log p - entropy_weight H + (b - R)²: rewards R (B) or (B, Nq) and
/// a learned baseline b of that shape, which gets its gradient from the last term alone. Williams 1992, "Simple
/// statistical gradient-following algorithms for connectionist reinforcement learning".
Var reinforce(const HardRead& read, const Tensor& reward, const Var& baseline, real entropy_weight = real(0.01));

}  // namespace HEED_NAMESPACE

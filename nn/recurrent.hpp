// recurrent.hpp — RNN, LSTM and GRU: a memory that is carried from one position to the next.
//
// What attention does in one step they do in N that wait for each other: O(N H²) time, and what the first position said
// has to survive N steps. The sequence is one operation of the graph: all inputs are multiplied at once before it, the
// gradients of the matrices are one tall product each after it.
#pragma once

#include "autograd/ops.hpp"
#include "nn/module.hpp"

namespace HEED_NAMESPACE {

enum class Cell { rnn, lstm, gru };  ///< Which recurrent layer.

struct RecurrentOptions {  ///< Choices for Recurrent.
  bool bias = true;        ///< whether b_ih and b_hh are there
  bool reverse = false;    ///< from the last real position to the first
  /// LSTM: where the bias of the forget gate starts; with 1 it remembers from the beginning on (Jozefowicz et al. 2015,
  /// "An empirical exploration of recurrent network architectures").
  real forget_bias = 0;
};

/// What a layer carries from step to step: h (B, H), and for an LSTM its cell c (B, H). Undefined is zeros.
struct RecurrentState {
  Var h = {}, c = {};  ///< c of an LSTM only
  /// The same numbers without their graph: between chunks of a long sequence that are trained one after the other.
  RecurrentState detach() const { return {h.defined() ? h.detach() : Var(), c.defined() ? c.detach() : Var()}; }
};

/// The outputs at all positions, (B, N, H), and the state after the last step.
struct RecurrentOutput {
  Var y;                ///< of each position
  RecurrentState last;  ///< after the last position
};

/// Base of Rnn, Lstm and Gru: (B, N, D) -> (B, N, H), with g = 1, 4 or 3 gates. A padded step keeps the state and gives
/// 0, so a reversed layer starts at the last real position. W_ih (D, gH) and W_hh (H, gH) are uniform in ±1/√H, biases
/// zero. Time O(N g H (D + H)); for the gradient it keeps the states and, but for the plain RNN, four numbers a unit
/// and step. Sequences are shared out to threads. Throws Error for an empty sequence or shapes that do not fit.
struct Recurrent : Module {
  using State = RecurrentState;  ///< what step() keeps
  Cell cell;                     ///< which formula
  Size hidden;                   ///< width of h
  bool reverse;                  ///< from the last position to the first
  Var w_ih, w_hh, b_ih, b_hh;    ///< (D, g H), (H, g H), (g H) twice
  Recurrent(Cell kind, Size dim, Size hidden_size, Rng& rng, const RecurrentOptions& options);

  /// `key_padding_mask` (B, N), true = a real position.
  Var operator()(const Var& x, const Mask& key_padding_mask = {}) const { return run(x, key_padding_mask).y; }

  /// The same from a given state, with the state it ends in. Gradients flow through both.
  RecurrentOutput run(const Var& x, const Mask& key_padding_mask = {}, const RecurrentState& start = {}) const;

  /// The next positions x (B, n, D) of a sequence, mostly n = 1: `state` is what the earlier ones left, and is moved
  /// on. Gives what the whole sequence gives at these positions. Throws Error for a reversed layer.
  Var step(const Var& x, RecurrentState& state) const;
};

/// h' = tanh(x W_ih + b_ih + h W_hh + b_hh) (Elman 1990, "Finding structure in time").
struct Rnn : Recurrent {
  Rnn(Size dim, Size hidden_size, Rng& rng, const RecurrentOptions& options = {})
      : Recurrent(Cell::rnn, dim, hidden_size, rng, options) {}
};

/// Gates i, f, g, o, in this order, are x W_ih + b_ih + h W_hh + b_hh; c' = σ(f) c + σ(i) tanh(g), h' = σ(o) tanh(c').
/// Hochreiter, Schmidhuber 1997, "Long short-term memory"; forget gate: Gers et al. 2000, "Learning to forget".
struct Lstm : Recurrent {
  Lstm(Size dim, Size hidden_size, Rng& rng, const RecurrentOptions& options = {})
      : Recurrent(Cell::lstm, dim, hidden_size, rng, options) {}
};

/// Gates in the order r, z, n: r and z are σ(x W_ih + b_ih + h W_hh + b_hh), n = tanh(x W_in + b_in + r (h W_hn +
/// b_hn)), h' = (1 - z) n + z h. The reset gate multiplies after the matrix, as in most libraries, not before it as in
/// Cho et al. 2014, arXiv 1406.1078.
struct Gru : Recurrent {
  Gru(Size dim, Size hidden_size, Rng& rng, const RecurrentOptions& options = {})
      : Recurrent(Cell::gru, dim, hidden_size, rng, options) {}
};

/// Two layers side by side, the second from right to left: (B, N, D) -> (B, N, 2H), its outputs behind those of the
/// first. Schuster, Paliwal 1997, "Bidirectional recurrent neural networks".
template <class Layer>
struct Bidirectional : Module {
  Layer forward, backward;  ///< each (B, N, D) -> (B, N, hidden)
  Bidirectional(Size dim, Size hidden_size, Rng& rng, RecurrentOptions options = {})
      : forward(sub("forward", Layer(dim, hidden_size, rng, turned(options, false)))),
        backward(sub("backward", Layer(dim, hidden_size, rng, turned(options, true)))) {}

  /// `key_padding_mask` (B, N), true = a real position.
  Var operator()(const Var& x, const Mask& key_padding_mask = {}) const {
    return concat({forward(x, key_padding_mask), backward(x, key_padding_mask)}, -1);
  }
  /// The outputs, and both last states side by side: (B, 2H).
  RecurrentOutput run(const Var& x, const Mask& key_padding_mask = {}) const {
    RecurrentOutput a = forward.run(x, key_padding_mask), b = backward.run(x, key_padding_mask);
    return {concat({a.y, b.y}, -1),
            {concat({a.last.h, b.last.h}, -1), a.last.c.defined() ? concat({a.last.c, b.last.c}, -1) : Var()}};
  }

 private:
  static RecurrentOptions turned(RecurrentOptions options, bool reverse) {
    options.reverse = reverse;
    return options;
  }
};

}  // namespace HEED_NAMESPACE

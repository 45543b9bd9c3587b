// Time runs along the first axis inside, so that a step is one block of memory. The operation's value is all states,
// that before the first step included: outputs, last states and what the gradient needs are slices of it.
#include "nn/recurrent.hpp"

#include <algorithm>
#include <cmath>

#include "tensor/gemm.hpp"
#include "tensor/kernels.hpp"
#include "tensor/math.hpp"

namespace HEED_NAMESPACE {

namespace {

// One sequence at one step, H numbers in each row of gates or states.
struct Step {
  const real *in, *back, *bias;  // x W_ih + b_ih, h W_hh, b_hh
  const real *h, *c;             // the state before
  real *next_h, *next_c;
  real* kept;  // what the gradient needs besides the states
};
struct Slope {
  const real *kept, *h, *c, *next_h, *next_c;
  real *dh, *dc;      // in: of the state after; out: of that before, without what comes through W_hh
  real *din, *dback;  // of the gates as x and as h give them; the same memory unless they differ
};

// Pointers are copied out of the struct first: reached through it they would keep the loops from becoming vector code.
struct RnnCell {
  static constexpr Size gates = 1, kept = 0, states = 1;
  static constexpr bool apart = false;  // whether din and dback differ
  static void forward(const Step& s, Size n) {
    const real *in = s.in, *back = s.back, *bias = s.bias;
    real* next = s.next_h;
#pragma omp simd
    for (Size j = 0; j < n; j++) next[j] = kernel::tanh(in[j] + back[j] + bias[j]);
  }
  static void backward(const Slope& s, Size n) {
    const real* h = s.next_h;
    real *dh = s.dh, *din = s.din;
#pragma omp simd
    for (Size j = 0; j < n; j++) {
      din[j] = dh[j] * (1 - h[j] * h[j]);
      dh[j] = 0;
    }
  }
};

struct LstmCell {
  static constexpr Size gates = 4, kept = 4, states = 2;
  static constexpr bool apart = false;
  static void forward(const Step& s, Size n) {
    const real *in = s.in, *back = s.back, *bias = s.bias, *c = s.c;
    real *kept_gates = s.kept, *next = s.next_h, *next_c = s.next_c;
#pragma omp simd
    for (Size j = 0; j < n; j++) {
      real i = kernel::sigmoid(in[j] + back[j] + bias[j]);
      real f = kernel::sigmoid(in[n + j] + back[n + j] + bias[n + j]);
      real g = kernel::tanh(in[2 * n + j] + back[2 * n + j] + bias[2 * n + j]);
      real o = kernel::sigmoid(in[3 * n + j] + back[3 * n + j] + bias[3 * n + j]);
      real cell = f * c[j] + i * g;
      kept_gates[j] = i, kept_gates[n + j] = f, kept_gates[2 * n + j] = g, kept_gates[3 * n + j] = o;
      next_c[j] = cell;
      next[j] = o * kernel::tanh(cell);
    }
  }
  static void backward(const Slope& s, Size n) {
    const real *gate = s.kept, *c = s.c, *next_c = s.next_c;
    real *dh = s.dh, *dc = s.dc, *din = s.din;
#pragma omp simd
    for (Size j = 0; j < n; j++) {
      real i = gate[j], f = gate[n + j], g = gate[2 * n + j], o = gate[3 * n + j], t = kernel::tanh(next_c[j]);
      real dcell = dc[j] + dh[j] * o * (1 - t * t);
      din[j] = dcell * g * i * (1 - i);
      din[n + j] = dcell * c[j] * f * (1 - f);
      din[2 * n + j] = dcell * i * (1 - g * g);
      din[3 * n + j] = dh[j] * t * o * (1 - o);
      dc[j] = dcell * f;
      dh[j] = 0;
    }
  }
};

struct GruCell {
  static constexpr Size gates = 3, kept = 4, states = 1;  // kept: r, z, n and h W_hn + b_hn
  static constexpr bool apart = true;
  static void forward(const Step& s, Size n) {
    const real *in = s.in, *back = s.back, *bias = s.bias, *h = s.h;
    real *kept_gates = s.kept, *next = s.next_h;
#pragma omp simd
    for (Size j = 0; j < n; j++) {
      real r = kernel::sigmoid(in[j] + back[j] + bias[j]);
      real z = kernel::sigmoid(in[n + j] + back[n + j] + bias[n + j]);
      real past = back[2 * n + j] + bias[2 * n + j];
      real now = kernel::tanh(in[2 * n + j] + r * past);
      kept_gates[j] = r, kept_gates[n + j] = z, kept_gates[2 * n + j] = now, kept_gates[3 * n + j] = past;
      next[j] = (1 - z) * now + z * h[j];
    }
  }
  static void backward(const Slope& s, Size n) {
    const real *gate = s.kept, *h = s.h;
    real *dh = s.dh, *din = s.din, *dback = s.dback;
#pragma omp simd
    for (Size j = 0; j < n; j++) {
      real r = gate[j], z = gate[n + j], now = gate[2 * n + j], past = gate[3 * n + j];
      real dnow = dh[j] * (1 - z) * (1 - now * now);
      real dr = dnow * past * r * (1 - r), dz = dh[j] * (h[j] - now) * z * (1 - z);
      din[j] = dback[j] = dr;
      din[n + j] = dback[n + j] = dz;
      din[2 * n + j] = dnow;
      dback[2 * n + j] = dnow * r;
      dh[j] *= z;
    }
  }
};

// Where the numbers of a step lie.
struct Layout {
  Size steps, batch, hidden;
  bool reverse;
  std::vector<std::uint8_t> keep;  // (N, B); empty: all

  Size step(Size i) const { return reverse ? steps - 1 - i : i; }
  Size before(Size t) const { return reverse ? t + 1 : t; }
  Size after(Size t) const { return reverse ? t : t + 1; }
  Size row(Size t, Size b) const { return (t * batch + b) * hidden; }
  Size cells() const { return (steps + 1) * batch * hidden; }  // where the cells stand behind the states
  bool real_step(Size t, Size b) const { return keep.empty() || keep[static_cast<std::size_t>(t * batch + b)] != 0; }
};

// Calls f(first, rows) for blocks of sequences, on threads: no sequence waits for another. Bounds do not depend on the
// number of threads; blocks of 16 keep a step's product worth its overhead.
template <class F>
void each_block(const Layout& at, Size gates, const F& f) {
  Size size = std::max<Size>(16, (at.batch + 7) / 8), blocks = (at.batch + size - 1) / size;
  Size work = at.steps * at.batch * gates * at.hidden * at.hidden;
  count_work(work);
  parallel_for(blocks, work < (Size(1) << 18) ? blocks : 1, [&](Size begin, Size end) {
    for (Size i = begin; i < end; i++) f(i * size, std::min(size, at.batch - i * size));
  });
}

// All states from gates (N, B, gH) of the inputs; states hold those before the first step already.
template <class C>
void forward(const Layout& at, const Tensor& in, const Tensor& w, const Tensor& bias, Tensor& states, Tensor& kept) {
  Size n = at.hidden, wide = C::gates * n, kept_steps = C::kept ? kept.size(0) : 0;
  real *h = states.mut(), *c = h + (C::states - 1) * at.cells(), *keep = kept.mut();
  each_block(at, C::gates, [&](Size first, Size rows) {
    Tensor scratch({rows, wide});
    real* back = scratch.mut();
    for (Size i = 0; i < at.steps; i++) {
      Size t = at.step(i), before = at.before(t), after = at.after(t);
      gemm({h + at.row(before, first), n}, {w.data(), wide}, back, wide, rows, wide, n);
      for (Size b = first; b < first + rows; b++) {
        Size from = at.row(before, b), to = at.row(after, b);
        if (at.real_step(t, b)) {
          C::forward({in.data() + at.row(t, b) * C::gates, back + (b - first) * wide, bias.data(), h + from, c + from,
                      h + to, c + to, keep + at.row(kept_steps > 1 ? t : 0, b) * C::kept},
                     n);
        } else {
          std::copy_n(h + from, n, h + to);
          if (C::states == 2) std::copy_n(c + from, n, c + to);
        }
      }
    }
  });
}

// Gradients of the gates and, in dh and dc (B, H), of the first state, from those of all states.
template <class C>
void backward(const Layout& at, const Tensor& w, const Tensor& states, const Tensor& kept, const Tensor& up,
              Tensor& din, Tensor& dback, Tensor& first_dh, Tensor& first_dc) {
  Size n = at.hidden, wide = C::gates * n;
  const real *h = states.data(), *c = h + (C::states - 1) * at.cells(), *uh = up.data(),
             *uc = uh + (C::states - 1) * at.cells();
  real *of_in = din.mut(), *of_back = C::apart ? dback.mut() : of_in, *dh = first_dh.mut(), *dc = first_dc.mut();
  auto add = [n](real* to, const real* from, Size rows) {
#pragma omp simd
    for (Size j = 0; j < rows * n; j++) to[j] += from[j];
  };
  each_block(at, C::gates, [&](Size first, Size rows) {
    for (Size i = at.steps; i-- > 0;) {
      Size t = at.step(i), before = at.before(t), after = at.after(t);
      add(dh + first * n, uh + at.row(after, first), rows);
      if (C::states == 2) add(dc + first * n, uc + at.row(after, first), rows);
      for (Size b = first; b < first + rows; b++) {
        Size from = at.row(before, b), to = at.row(after, b), gate = at.row(t, b);
        real *a = of_in + gate * C::gates, *r = of_back + gate * C::gates;
        if (at.real_step(t, b)) {
          C::backward({kept.data() + gate * C::kept, h + from, c + from, h + to, c + to, dh + b * n, dc + b * n, a, r},
                      n);
        } else {
          std::fill_n(a, wide, real(0));
          std::fill_n(r, wide, real(0));
        }
      }
      gemm({of_back + at.row(t, first) * C::gates, wide}, {w.data(), wide, true}, dh + first * n, n, rows, n, wide, 1,
           1);
    }
    Size start = at.before(at.step(0));
    add(dh + first * n, uh + at.row(start, first), rows);
    if (C::states == 2) add(dc + first * n, uc + at.row(start, first), rows);
  });
}

// All states (N + 1, B, H), cells behind them: (2 (N + 1), B, H). State t is that before step t, reversed after it.
template <class C>
Var recurrence(const Layout& at, const Var& gates, const Var& w_hh, const Var& b_hh, const RecurrentState& start) {
  Size n = at.hidden, wide = C::gates * n, at_start = at.before(at.step(0));
  Tensor in = gates.value().compact(), w = w_hh.value().compact();
  Tensor bias = b_hh.defined() ? b_hh.value().compact() : Tensor({wide}, 0);
  Tensor states({C::states * (at.steps + 1), at.batch, n});
  auto begin = [&](const Var& state, Size slot) {
    Shape shape{1, at.batch, n};
    paste(states, 0, slot, state.defined() ? state.value().reshape(shape) : Tensor(shape, 0));
  };
  begin(start.h, at_start);
  if (C::states == 2) begin(start.c, at.steps + 1 + at_start);
  const std::vector<Var> inputs{gates, w_hh, b_hh, start.h, start.c};
  bool recorded =
      !Eval::on() && std::any_of(inputs.begin(), inputs.end(), [](const Var& v) { return v.requires_grad(); });
  Tensor kept({recorded ? at.steps : 1, at.batch, C::kept * n});  // without a gradient each step writes over the last
  forward<C>(at, in, w, bias, states, kept);
  auto pull = [at, w, states, kept, n, wide](const Tensor& gradient) {
    Tensor up = gradient.compact(), din({at.steps, at.batch, wide}), dback = C::apart ? Tensor(din.shape()) : Tensor();
    Tensor dh({at.batch, n}, 0), dc({at.batch, n}, 0);
    backward<C>(at, w, states, kept, up, din, dback, dh, dc);
    Tensor of_back = (C::apart ? dback : din).reshape({at.steps * at.batch, wide});
    Tensor past = states.slice(0, at.before(0), at.steps + at.before(0)).reshape({at.steps * at.batch, n});
    int first[] = {0};
    return std::vector<Tensor>{din, matmul(past.transpose(), of_back), sum(of_back, first), dh,
                               C::states == 2 ? dc : Tensor()};
  };
  return op("recurrence", std::move(states), inputs, std::move(pull));
}

constexpr const char* layer_names[] = {"Rnn", "Lstm", "Gru"};
constexpr Size gate_counts[] = {RnnCell::gates, LstmCell::gates, GruCell::gates};
const char* name(Cell cell) { return layer_names[static_cast<std::size_t>(cell)]; }
Size gate_count(Cell cell) { return gate_counts[static_cast<std::size_t>(cell)]; }

}  // namespace

Recurrent::Recurrent(Cell kind, Size dim, Size hidden_size, Rng& rng, const RecurrentOptions& options)
    : cell(kind), hidden(hidden_size), reverse(options.reverse) {
  check(dim > 0 && hidden > 0, name(cell), "expected sizes > 0, got ", dim, " and ", hidden);
  check(options.forget_bias == 0 || (cell == Cell::lstm && options.bias), name(cell),
        "only an LSTM with biases has a forget_bias");
  Size wide = gate_count(cell) * hidden;
  double bound = 1 / std::sqrt(static_cast<double>(hidden));
  w_ih = param("w_ih", rng.uniform({dim, wide}, bound));
  w_hh = param("w_hh", rng.uniform({hidden, wide}, bound));
  if (!options.bias) return;
  Tensor b({wide}, 0);
  if (options.forget_bias != 0) paste(b, 0, hidden, Tensor({hidden}, options.forget_bias));
  b_ih = param("b_ih", std::move(b));
  b_hh = param("b_hh", Tensor({wide}, 0));
}

RecurrentOutput Recurrent::run(const Var& x, const Mask& key_padding_mask, const RecurrentState& start) const {
  check(x.rank() == 3 && x.size(1) > 0 && x.size(2) == w_ih.size(0), name(cell), "expected (B, N, ", w_ih.size(0),
        ") with N > 0, got ", x.shape());
  Layout at{x.size(1), x.size(0), hidden, reverse, {}};
  const Shape state{at.batch, hidden};
  for (const Var& part : {start.h, start.c})
    check(!part.defined() || part.shape() == state, name(cell), "expected states of shape ", state, ", got ",
          part.defined() ? part.shape() : Shape{});
  check(!start.c.defined() || cell == Cell::lstm, name(cell), "only an LSTM has a cell");
  Mask rows;
  Var real_x = x;
  if (key_padding_mask.defined()) {
    check(key_padding_mask.shape() == Shape{at.batch, at.steps}, name(cell), "expected a key_padding_mask of shape ",
          Shape{at.batch, at.steps}, ", got ", key_padding_mask.shape());
    rows = key_padding_mask.reshape({at.batch, at.steps, 1});
    real_x = masked_fill(x, rows, 0);  // or NaN in padding would reach the gradient of W_ih as 0 NaN
    for (Size t = 0; t < at.steps; t++)
      for (Size b = 0; b < at.batch; b++) at.keep.push_back(key_padding_mask[b * at.steps + t]);
  }
  Var gates = linear(transpose(real_x, 0, 1), w_ih, b_ih);  // (N, B, gH)
  auto run_cell = [&](auto kind) { return recurrence<decltype(kind)>(at, gates, w_hh, b_hh, start); };
  Var states = cell == Cell::rnn    ? run_cell(RnnCell())
               : cell == Cell::lstm ? run_cell(LstmCell())
                                    : run_cell(GruCell());
  Size end = at.after(at.step(at.steps - 1));
  auto last = [&](Size slot) { return reshape(slice(states, 0, slot, slot + 1), state); };
  Var y = transpose(slice(states, 0, at.after(0), at.steps + at.after(0)), 0, 1);
  return {masked_fill(y, rows, 0), {last(end), cell == Cell::lstm ? last(at.steps + 1 + end) : Var()}};
}

Var Recurrent::step(const Var& x, RecurrentState& state) const {
  check(!reverse, name(cell), "a reversed layer cannot go step by step: it starts at the end");
  RecurrentOutput out = run(x, {}, state);
  state = out.last;
  return out.y;
}

}  // namespace HEED_NAMESPACE

#include "nn/position/floater.hpp"

#include <algorithm>
#include <array>

#include "tensor/gemm.hpp"
#include "tensor/kernels.hpp"
#include "tensor/math.hpp"

namespace HEED_NAMESPACE {

namespace {

// Classical Runge-Kutta: stage j stands at `at[j]` of the substep, where slope j - 1 led.
constexpr int stages = 4;
constexpr double at[] = {0, 0.5, 0.5, 1}, weight[] = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6};

// W1, b1, W2, b2, or their gradients.
using Weights = std::array<Tensor, 4>;

// Solves one Δ for all rows and keeps its stages, through which backward walks back.
class Solver {
 public:
  Solver(const Weights& weights, Size row_count, const FloaterOptions& options)
      : w_(weights),
        rows_(row_count),
        dim_(w_[1].numel()),
        in_(w_[0].size(0)),
        block_(rows_ * dim_),
        slots_(Size(stages) * options.substeps * rows_),
        substeps_(options.substeps),
        step_(options.step),
        relu_(options.activation == Activation::relu),
        read_({slots_, in_}),
        hidden_({slots_, in_}),
        slope_({slots_, dim_}) {}

  /// p(i Δ) -> p((i + 1) Δ), both (rows, D).
  void advance(Size i, real* state) {
    for (int s = 0; s < substeps_; s++) {
      for (int j = 0; j < stages; j++)
        evaluate(s * stages + j, (static_cast<double>(i) + (s + at[j]) / substeps_) * step_, state, part(at[j]));
      for (int j = 0; j < stages; j++) {
        const real *k = slope_.data() + (s * stages + j) * block_, share = part(weight[j]);
        for (Size n = 0; n < block_; n++) state[n] += share * k[n];
      }
    }
    count_work(2 * slots_ * in_ * dim_);
  }

  /// After advance(): the gradient of p((i + 1) Δ) -> that of p(i Δ); adds to those of the weights.
  void retreat(real* gradient, Weights& sums) {
    Tensor slopes({slots_, dim_}), inner({slots_, dim_}), input({rows_, dim_}), end({rows_, dim_});
    real *dslope = slopes.mut(), *dinner = inner.mut(), *dinput = input.mut(), *after = end.mut();
    for (int s = substeps_ - 1; s >= 0; s--) {
      std::copy_n(gradient, block_, after);
      for (int j = stages - 1; j >= 0; j--) {
        Size slot = s * stages + j;
        real *dk = dslope + slot * block_, *dz = dinner + slot * block_, share = part(weight[j]);
        for (Size n = 0; n < block_; n++) dk[n] = share * after[n];
        if (j + 1 < stages)
          for (Size n = 0; n < block_; n++) dk[n] += part(at[j + 1]) * dinput[n];
        gemm({dk, dim_}, {w_[2].data(), dim_, true}, dz, dim_, rows_, dim_, dim_);
        for (Size r = 0; r < rows_; r++) {
          const real* a = hidden_.data() + (slot * rows_ + r) * in_;
          for (Size c = 0; c < dim_; c++) dz[r * dim_ + c] *= relu_ ? (a[c] > 0 ? real(1) : real(0)) : 1 - a[c] * a[c];
        }
        gemm({dz, dim_}, {w_[0].data(), dim_, true}, dinput, dim_, rows_, dim_, dim_);
        for (Size n = 0; n < block_; n++) gradient[n] += dinput[n];
      }
    }
    gemm({read_.data(), in_, true}, {dinner, dim_}, sums[0].mut(), dim_, in_, dim_, slots_, 1, 1);
    gemm({hidden_.data(), in_, true}, {dslope, dim_}, sums[2].mut(), dim_, in_, dim_, slots_, 1, 1);
    const int first[] = {0};
    add_into(sums[1], sum(inner, first)), add_into(sums[3], sum(slopes, first));
    count_work(4 * slots_ * in_ * dim_);
  }

 private:
  real part(double share) const { return static_cast<real>(share * step_ / substeps_); }

  // Slope `slot` is h at `time` and at the state, moved by `lead` along the slope before it.
  void evaluate(Size slot, double time, const real* state, real lead) {
    real *read = read_.mut() + slot * rows_ * in_, *hidden = hidden_.mut() + slot * rows_ * in_;
    real* slope = slope_.mut() + slot * block_;
    for (Size r = 0; r < rows_; r++) {
      real *u = read + r * in_, *z = hidden + r * in_;
      std::copy_n(state + r * dim_, dim_, u);
      if (lead != 0)
        for (Size c = 0; c < dim_; c++) u[c] += lead * slope[(r - rows_) * dim_ + c];
      std::copy_n(w_[1].data(), dim_, z);
      std::copy_n(w_[3].data(), dim_, slope + r * dim_);
      if (in_ > dim_) u[dim_] = z[dim_] = static_cast<real>(time);  // the last rows of W1 and W2 multiply it
    }
    gemm({read, in_}, {w_[0].data(), dim_}, hidden, in_, rows_, dim_, in_, 1, 1);
    for (Size r = 0; r < rows_; r++) {
      real* z = hidden + r * in_;
#pragma omp simd
      for (Size c = 0; c < dim_; c++) z[c] = relu_ ? (z[c] > 0 ? z[c] : 0) : kernel::tanh(z[c]);
    }
    gemm({hidden, in_}, {w_[2].data(), dim_}, slope, dim_, rows_, dim_, in_, 1, 1);
  }

  const Weights w_;
  const Size rows_, dim_, in_, block_, slots_;  // in: D, and one more for the time
  const int substeps_;
  const double step_;
  const bool relu_;
  Tensor read_, hidden_, slope_;  // of each stage: what h reads, its hidden layer, what it gives
};

// Copies position i of `all` (rows, length, D) from or to (rows, D).
void copy_position(const real* all, Size i, Size length, Size rows, Size dim, real* to) {
  for (Size r = 0; r < rows; r++) std::copy_n(all + (r * length + i) * dim, dim, to + r * dim);
}

Tensor solve(const Tensor& start, const Weights& weights, Size length, const FloaterOptions& options) {
  Size dim = start.size(-1), rows = start.numel() / dim;
  Tensor out(start.shape().insert(-2, length)), state = start.compact();
  real *p = state.mut(), *to = out.mut();
  Solver solver(weights, rows, options);
  for (Size i = 0; i < length; i++) {
    if (i > 0) solver.advance(i - 1, p);
    for (Size r = 0; r < rows; r++) std::copy_n(p + r * dim, dim, to + (r * length + i) * dim);
  }
  return out;
}

std::vector<Tensor> backward(const Tensor& out, const Weights& weights, const FloaterOptions& options,
                             const Tensor& gradient) {
  Size dim = out.size(-1), length = out.size(-2), rows = out.numel() / (length * dim);
  Tensor g = gradient.compact(), start(out.shape().erase(-2)), state({rows, dim}), here({rows, dim});
  real *dp = start.mut(), *p = state.mut(), *more = here.mut();
  Weights sums;
  for (std::size_t i = 0; i < sums.size(); i++) sums[i] = Tensor(weights[i].shape(), 0);
  Solver solver(weights, rows, options);
  copy_position(g.data(), length - 1, length, rows, dim, dp);
  for (Size i = length - 1; i > 0; i--) {
    copy_position(out.data(), i - 1, length, rows, dim, p);
    solver.advance(i - 1, p);
    solver.retreat(dp, sums);
    copy_position(g.data(), i - 1, length, rows, dim, more);
    for (Size n = 0; n < rows * dim; n++) dp[n] += more[n];
  }
  return {start, sums[0], sums[1], sums[2], sums[3]};
}

}  // namespace

Var floater(const Var& start, const Var& w1, const Var& b1, const Var& w2, const Var& b2, Size length,
            const FloaterOptions& options) {
  const char* name = "floater";
  check(start.rank() >= 1 && start.numel() > 0, name, "expected p(0) of shape (..., D), got ", start.shape());
  Size dim = start.size(-1), in = dim + (options.autonomous ? 0 : 1);
  check(w1.shape() == Shape{in, dim} && w2.shape() == Shape{in, dim}, name, "expected W1 and W2 of shape ",
        Shape{in, dim}, ", got ", w1.shape(), " and ", w2.shape());
  check(b1.shape() == Shape{dim} && b2.shape() == Shape{dim}, name, "expected b1 and b2 of shape ", Shape{dim},
        ", got ", b1.shape(), " and ", b2.shape());
  check(length > 0 && options.substeps > 0, name, "expected a length and substeps above 0, got ", length, " and ",
        options.substeps);
  check(options.activation == Activation::tanh || options.activation == Activation::relu, name,
        "the activation has to be tanh or relu");
  Weights weights{w1.value().compact(), b1.value().compact(), w2.value().compact(), b2.value().compact()};
  Tensor out = solve(start.value(), weights, length, options);
  return op(name, out, {start, w1, b1, w2, b2},
            [out, weights, options](const Tensor& grad) { return backward(out, weights, options, grad); });
}

}  // namespace HEED_NAMESPACE

// Softmax and its relatives, along the last axis, one row at a time: the maximum is taken out first, so nothing
// overflows.
#include <algorithm>
#include <cmath>

#include "autograd/ops.hpp"
#include "tensor/kernels.hpp"
#include "tensor/rows.hpp"

namespace HEED_NAMESPACE {

namespace {

// Calls f(row) for every row of n elements, on as many threads as that is worth.
template <class F>
void each_row(const char* name, const Tensor& x, Size cost, const F& f) {
  check(x.rank() >= 1 && x.size(-1) > 0, name, "the last axis of ", x.shape(), " is empty");
  Size n = x.size(-1);
  count_work(x.numel());
  parallel_for(x.numel() / n, std::max<Size>(1, kernel::grain / (n * cost)), [&](Size begin, Size end) {
    for (Size row = begin; row < end; row++) f(row);
  });
}

// y = scale x where the mask keeps, else -infinity; step is 1, or 0 for a mask that is alike along the row.
void mask_row(const real* x, const std::uint8_t* kept, Size step, real scale, real* y, Size n) {
  if (step == 0 && !*kept) return void(std::fill_n(y, n, kernel::none));
#pragma omp simd
  for (Size i = 0; i < n; i++) y[i] = x[i] * scale;
  if (step == 0) return;
#pragma omp simd
  for (Size i = 0; i < n; i++) y[i] = kept[i] ? y[i] : kernel::none;
}

}  // namespace

Var softmax(const Var& x, const Mask& keep, real scale) {
  Tensor in = x.value().compact(), y(x.shape());
  Size n = x.rank() ? x.size(-1) : 0;
  real* out = y.mut();
  const std::uint8_t* cells = keep.data();
  Shape steps = x.shape();
  if (cells) steps = broadcast_strides("softmax", keep.shape(), keep.shape().compact_strides(), x.shape());
  kernel::Walk<1> mask_rows(x.shape().with(-1, 1), {steps});
  each_row("softmax", in, 4, [&](Size row) {
    const real* from = in.data() + row * n;
    real* to = out + row * n;
    if (cells) {
      const std::uint8_t* kept = cells;
      mask_rows.runs(row, row + 1, [&](Size, const std::array<Size, 1>& offset, Size) { kept += offset[0]; });
      mask_row(from, kept, steps[-1], scale, to, n);
    } else {
#pragma omp simd
      for (Size i = 0; i < n; i++) to[i] = from[i] * scale;
    }
    real top = kernel::row_max(to, n);
    bool nothing_kept = top == kernel::none;
    real total = kernel::exp_row(to, nothing_kept ? 0 : top, to, n);
    real inverse = nothing_kept ? 0 : 1 / total;
#pragma omp simd
    for (Size i = 0; i < n; i++) to[i] *= inverse;
  });
  return op("softmax", y, {{x, [y, n, scale](const Tensor& gradient) {
                              Tensor g = gradient.compact(), dx(y.shape());
                              real* to = dx.mut();
                              each_row("softmax", g, 2, [&](Size row) {
                                const real *p = y.data() + row * n, *up = g.data() + row * n;
                                real mean = kernel::dot_row(p, up, n), *d = to + row * n;
#pragma omp simd
                                for (Size i = 0; i < n; i++) d[i] = p[i] * (up[i] - mean) * scale;
                              });
                              return dx;
                            }}});
}

namespace {
// log Σ e^x of every row as top + rest, both (..., 1): kept apart, since added up a large top would swallow the rest.
struct RowSums {
  Tensor top, rest;
};
RowSums row_sums(const char* name, const Tensor& x) {
  Tensor in = x.compact();
  check(x.rank() >= 1, name, "the last axis of ", x.shape(), " is empty");
  RowSums sums{Tensor(x.shape().with(-1, 1)), Tensor(x.shape().with(-1, 1))};
  real *tops = sums.top.mut(), *rests = sums.rest.mut();
  each_row(name, in, 4, [&](Size row) {
    Size n = in.size(-1);
    const real* from = in.data() + row * n;
    real top = kernel::row_max(from, n), total = 0;
    if (std::isinf(top)) top = 0;
#pragma omp simd reduction(+ : total)
    for (Size i = 0; i < n; i++) total += kernel::exp(from[i] - top);
    tops[row] = top;
    rests[row] = std::log(total);
  });
  return sums;
}
}  // namespace

Var log_softmax(const Var& x) {
  RowSums sums = row_sums("log_softmax", x.value());
  Tensor y = map([](real v, real top, real rest) { return v - top - rest; }, x.value(), sums.top, sums.rest);
  return op("log_softmax", y, {{x, [y](const Tensor& grad) {
                                  int last[] = {-1};
                                  return map([](real g, real v, real t) { return g - kernel::exp(v) * t; }, grad, y,
                                             sum(grad, last, true));
                                }}});
}

Var logsumexp(const Var& x) {
  RowSums sums = row_sums("logsumexp", x.value());
  Tensor y = map([](real top, real rest) { return top + rest; }, sums.top, sums.rest).reshape(x.shape().erase(-1));
  return op("logsumexp", y, {{x, [x = x.value(), sums](const Tensor& grad) {
                                Tensor p = map([](real v, real top, real rest) { return kernel::exp(v - top - rest); },
                                               x, sums.top, sums.rest);
                                return map([](real share, real g) { return share * g; }, std::move(p),
                                           grad.reshape(sums.top.shape()));
                              }}});
}

Var cross_entropy(const Var& logits, std::span<const int> targets, const CrossEntropy& options) {
  Tensor x = logits.value().compact();
  check(x.rank() >= 1 && x.size(-1) > 0, "cross_entropy", "expected (..., C) with C > 0, got ", x.shape());
  Size classes = x.size(-1), rows = x.numel() / classes, counted = 0;
  check(static_cast<Size>(targets.size()) == rows, "cross_entropy", "logits ", x.shape(), " need ", rows,
        " targets, got ", targets.size());
  for (int target : targets) {
    if (target == options.ignore_index) continue;
    check(target >= 0 && target < classes, "cross_entropy", "target ", target, " is outside 0 to ", classes - 1,
          " and not ignore_index ", options.ignore_index);
    counted++;
  }
  double smooth = options.label_smoothing, sum_of_losses = 0;
  check(smooth >= 0 && smooth <= 1, "cross_entropy", "label_smoothing must be in [0, 1], got ", smooth);
  RowSums sums = row_sums("cross_entropy", x);
  for (Size row = 0; row < rows; row++) {
    int target = targets[static_cast<std::size_t>(row)];
    if (target == options.ignore_index) continue;
    const real* from = x.data() + row * classes;
    double top = static_cast<double>(sums.top.data()[row]), below = top - static_cast<double>(from[target]);
    double loss = (1 - smooth) * below;
    if (smooth > 0) {
      double all_below = 0;
      for (Size c = 0; c < classes; c++) all_below += top - static_cast<double>(from[c]);
      loss += smooth * all_below / static_cast<double>(classes);
    }
    sum_of_losses += loss + static_cast<double>(sums.rest.data()[row]);
  }
  count_work(x.numel());
  double scale = counted ? 1 / static_cast<double>(counted) : 0;
  std::vector<int> kept_targets(targets.begin(), targets.end());
  return op("cross_entropy", Tensor::scalar(static_cast<real>(sum_of_losses * scale)),
            {{logits, [=, ignore = options.ignore_index, targets = std::move(kept_targets)](const Tensor& g) mutable {
                // The gradient takes the place of logits that nobody else holds.
                const real* in = x.data();
                Tensor kept = std::move(x), dx = kept.is_private() ? std::move(kept) : Tensor(kept.shape());
                real* to = dx.mut();
                real step = g.item() * static_cast<real>(scale);
                real spread = static_cast<real>(smooth / static_cast<double>(classes));
                each_row("cross_entropy", dx, 4, [&](Size row) {
                  int target = targets[static_cast<std::size_t>(row)];
                  const real* from = in + row * classes;
                  real *d = to + row * classes, top = sums.top.data()[row], rest = sums.rest.data()[row];
                  if (target == ignore) return void(std::fill_n(d, classes, real(0)));
#pragma omp simd
                  for (Size c = 0; c < classes; c++) d[c] = (kernel::exp(from[c] - top - rest) - spread) * step;
                  d[target] -= static_cast<real>(1 - smooth) * step;
                });
                return dx;
              }}});
}

}  // namespace HEED_NAMESPACE

// Layer normalisation, fused: one pass for the statistics, one for the values; two for the gradients.
#include <cmath>

#include "autograd/ops.hpp"
#include "tensor/kernels.hpp"

namespace HEED_NAMESPACE {

namespace {
constexpr Size block = 64;  // rows whose gain and bias gradients are summed by one thread, for any number of threads

void statistics(const real* x, Size n, double eps, real* mean, real* scale) {
  real s = 0;
#pragma omp simd reduction(+ : s)
  for (Size i = 0; i < n; i++) s += x[i];
  real m = s / static_cast<real>(n), squares = 0;
#pragma omp simd reduction(+ : squares)
  for (Size i = 0; i < n; i++) squares += (x[i] - m) * (x[i] - m);
  *mean = m;
  *scale = 1 / std::sqrt(squares / static_cast<real>(n) + static_cast<real>(eps));
}
}  // namespace

Var layer_norm(const Var& x, const Var& gain, const Var& bias, double eps) {
  check(x.rank() >= 1 && x.size(-1) > 0, "layer_norm", "the last axis of ", x.shape(), " is empty");
  Size n = x.size(-1), rows = x.numel() / n;
  auto or_constant = [n](const Var& v, real otherwise) {
    check(!v.defined() || v.shape() == Shape{n}, "layer_norm", "expected a gain and bias of shape (", n, "), got ",
          v.defined() ? v.shape() : Shape{});
    return v.defined() ? v.value().compact() : Tensor({n}, otherwise);
  };
  Tensor in = x.value().compact(), w = or_constant(gain, 1), b = or_constant(bias, 0);
  Tensor y(x.shape()), means({rows}), scales({rows});
  real *out = y.mut(), *mean = means.mut(), *scale = scales.mut();
  count_work(x.numel());
  parallel_for(rows, std::max<Size>(1, kernel::grain / (2 * n)), [&](Size begin, Size end) {
    for (Size row = begin; row < end; row++) {
      const real *from = in.data() + row * n, *g = w.data(), *c = b.data();
      real* to = out + row * n;
      statistics(from, n, eps, mean + row, scale + row);
      real m = mean[row], s = scale[row];
#pragma omp simd
      for (Size i = 0; i < n; i++) to[i] = (from[i] - m) * s * g[i] + c[i];
    }
  });
  auto pull = [=](const Tensor& gradient) {
    Tensor up = gradient.compact(), dx(up.shape());
    Size blocks = (rows + block - 1) / block;
    Tensor dgain({blocks, n}, 0), dbias({blocks, n}, 0);
    real *to = dx.mut(), *gains = dgain.mut(), *biases = dbias.mut();
    count_work(up.numel());
    parallel_for(blocks, std::max<Size>(1, kernel::grain / (2 * n * block)), [&](Size begin, Size end) {
      for (Size row = begin * block; row < std::min(rows, end * block); row++) {
        const real *from = in.data() + row * n, *g = up.data() + row * n, *gain_row = w.data();
        real *d = to + row * n, *dg = gains + row / block * n, *db = biases + row / block * n;
        real m = means.data()[row], s = scales.data()[row], sum_g = 0, sum_gx = 0;
#pragma omp simd reduction(+ : sum_g, sum_gx)
        for (Size i = 0; i < n; i++) {
          real normal = (from[i] - m) * s, weighted = g[i] * gain_row[i];
          sum_g += weighted;
          sum_gx += weighted * normal;
          dg[i] += g[i] * normal;
          db[i] += g[i];
        }
        sum_g /= static_cast<real>(n);
        sum_gx /= static_cast<real>(n);
#pragma omp simd
        for (Size i = 0; i < n; i++) d[i] = s * (g[i] * gain_row[i] - sum_g - (from[i] - m) * s * sum_gx);
      }
    });
    int first[] = {0};
    return std::vector<Tensor>{dx, sum(dgain, first), sum(dbias, first)};
  };
  return op("layer_norm", std::move(y), {x, gain, bias}, pull);
}

}  // namespace HEED_NAMESPACE

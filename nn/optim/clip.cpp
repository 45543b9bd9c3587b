#include "nn/optim/clip.hpp"

#include <algorithm>
#include <cmath>

#include "tensor/kernels.hpp"

namespace HEED_NAMESPACE {

GradientNorm clip_gradients(const std::vector<Parameter>& list, double max_norm) {
  std::vector<Parameter> parameters = distinct(list);
  check(max_norm > 0, "clip_gradients", "max_norm must be positive, got ", max_norm);
  GradientNorm result;
  double squares = 0;
  for (const Parameter& p : parameters) {
    if (!p.var.grad().defined()) continue;
    Tensor g = p.var.grad().compact();
    constexpr Size block = 4096;  // fixed, so the norm does not depend on the number of threads
    std::vector<double> partial(static_cast<std::size_t>((g.numel() + block - 1) / block));
    count_work(g.numel());
    parallel_for(static_cast<Size>(partial.size()), 8, [&](Size begin, Size end) {
      for (Size b = begin; b < end; b++) {
        const real* x = g.data();
        double total = 0;
        Size last = std::min(g.numel(), (b + 1) * block);
#pragma omp simd reduction(+ : total)
        for (Size i = b * block; i < last; i++) total += static_cast<double>(x[i]) * static_cast<double>(x[i]);
        partial[static_cast<std::size_t>(b)] = total;
      }
    });
    double sum = 0;
    for (double part : partial) sum += part;
    squares += sum;
    if (!std::isfinite(squares) && result.not_finite.empty()) result.not_finite = p.name;
  }
  result.norm = std::sqrt(squares);
  double scale = max_norm / (result.norm + 1e-6);
  for (const Parameter& p : parameters) {
    Tensor& g = Var(p.var).grad();
    if (!g.defined()) continue;
    if (!result.not_finite.empty())
      g = Tensor();
    else if (scale < 1)
      g = map([s = static_cast<real>(scale)](real x) { return x * s; }, std::move(g));
  }
  return result;
}

}  // namespace HEED_NAMESPACE

// Reductions. The gradient of a sum is the gradient, broadcast.
#include <cmath>

#include "autograd/ops.hpp"
#include "tensor/kernels.hpp"
#include "tensor/rows.hpp"

namespace HEED_NAMESPACE {

namespace {
// Sum over `axes` (all when empty), for a mean divided by how many were summed; of nothing it is 0.
Var reduced(const char* name, const Var& x, std::span<const int> axes, bool keep, bool is_mean) {
  Tensor kept = sum(x.value(), axes, true);
  Tensor y = keep ? kept : sum(kept, axes);
  bool some = kept.numel() > 0 && x.numel() > 0;
  real scale = is_mean && some ? static_cast<real>(kept.numel()) / static_cast<real>(x.numel()) : 1;
  auto scaled = [scale](Tensor t) {  // NOLINT(performance-unnecessary-value-param): its memory is used again
    return scale == 1 ? t : map([scale](real v) { return v * scale; }, std::move(t));
  };
  return op(name, scaled(std::move(y)), {{x, [=, from = x.shape(), with_ones = kept.shape()](const Tensor& g) {
                                            return scaled(g.reshape(with_ones)).expand(from);
                                          }}});
}
}  // namespace

Var sum(const Var& x) { return reduced("sum", x, {}, false, false); }
Var sum(const Var& x, std::initializer_list<int> axes, bool keep) {
  check(axes.size() > 0, "sum", "no axis given");
  return reduced("sum", x, {axes.begin(), axes.size()}, keep, false);
}
Var mean(const Var& x) { return reduced("mean", x, {}, false, true); }
Var mean(const Var& x, std::initializer_list<int> axes, bool keep) {
  check(axes.size() > 0, "mean", "no axis given");
  return reduced("mean", x, {axes.begin(), axes.size()}, keep, true);
}

Var max(const Var& x, int axis) {
  std::vector<int> where;
  Tensor y = max(x.value(), axis, &where);
  axis = x.shape().axis(axis);
  return op("max", std::move(y), {{x, [where = std::move(where), shape = x.shape(), axis](const Tensor& gradient) {
                                     Tensor g = gradient.compact(), dx(shape, 0);
                                     real* to = dx.mut();
                                     Size n = shape[axis], inner = 1;
                                     for (int i = axis + 1; i < shape.rank(); i++) inner *= shape[i];
                                     for (Size i = 0; i < g.numel(); i++)
                                       to[(i / inner * n + where[static_cast<std::size_t>(i)]) * inner + i % inner] =
                                           g.data()[i];
                                     count_work(g.numel());
                                     return dx;
                                   }}});
}

Var norm(const Var& x) { return sqrt(sum(x * x, {-1})); }

Var unit(const Var& x) {
  check(x.rank() >= 1, "unit", "a single number has no direction");
  Tensor in = x.value().compact(), y(x.shape()), inverse(x.shape().with(-1, 1));
  Size n = x.size(-1);
  real *to = y.mut(), *inverses = inverse.mut();
  auto rows = [n](const Tensor& t, const auto& f) {
    count_work(t.numel());
    if (n == 0) return;
    parallel_for(t.numel() / n, std::max<Size>(1, kernel::grain / n), [&](Size begin, Size end) {
      for (Size i = begin; i < end; i++) f(i, t.data() + i * n);
    });
  };
  rows(in, [=](Size i, const real* from) {
    real length = std::sqrt(kernel::dot_row(from, from, n)), scale = length > 0 ? 1 / length : 0, *row = to + i * n;
    inverses[i] = scale;
#pragma omp simd
    for (Size j = 0; j < n; j++) row[j] = from[j] * scale;
  });
  return op("unit", y, {{x, [=](const Tensor& gradient) {
                           Tensor g = gradient.compact(), dx(y.shape());
                           real* d = dx.mut();
                           rows(g, [&](Size i, const real* up) {
                             const real* along = y.data() + i * n;
                             real scale = inverse.data()[i], part = kernel::dot_row(up, along, n), *row = d + i * n;
#pragma omp simd
                             for (Size j = 0; j < n; j++) row[j] = (up[j] - part * along[j]) * scale;
                           });
                           return dx;
                         }}});
}

namespace {
// Running sums along an axis, from the last place on when `back`.
Tensor running(const Tensor& input, int axis, bool back) {
  Tensor x = input.compact(), y(x.shape());
  Size n = x.size(axis), inner = 1;
  for (int i = axis + 1; i < x.rank(); i++) inner *= x.size(i);
  constexpr Size block = 64;
  Size across = (inner + block - 1) / block, outer = n * inner > 0 ? x.numel() / (n * inner) : 0;
  real* out = y.mut();
  count_work(x.numel());
  parallel_for(outer * across, std::max<Size>(1, kernel::grain / std::max<Size>(1, n * block)),
               [&](Size begin, Size end) {
                 for (Size part = begin; part < end; part++) {
                   Size first = part % across * block, count = std::min(block, inner - first);
                   double total[block] = {};
                   for (Size step = 0; step < n; step++) {
                     Size at = (part / across * n + (back ? n - 1 - step : step)) * inner + first;
                     const real* from = x.data() + at;
                     real* to = out + at;
#pragma omp simd
                     for (Size i = 0; i < count; i++) {
                       total[i] += static_cast<double>(from[i]);
                       to[i] = static_cast<real>(total[i]);
                     }
                   }
                 }
               });
  return y;
}
}  // namespace

Var cumsum(const Var& x, int axis) {
  axis = x.shape().axis(axis);
  return op("cumsum", running(x.value(), axis, false),
            {{x, [axis](const Tensor& g) { return running(g, axis, true); }}});
}

}  // namespace HEED_NAMESPACE

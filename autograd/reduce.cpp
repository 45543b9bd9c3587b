// Reductions. The gradient of a sum is the gradient, broadcast.
#include <cmath>

#include "autograd/ops.hpp"
#include "tensor/kernels.hpp"

namespace HEED_NAMESPACE {

namespace {
// Sum over `axes` (all when empty), times `scale`.
Var scaled_sum(const char* name, const Var& x, std::span<const int> axes, bool keep, real scale) {
  Tensor kept = sum(x.value(), axes, true);
  Tensor y = keep ? kept : sum(kept, axes);
  if (scale != 1) y = map([scale](real v) { return v * scale; }, std::move(y));
  return op(name, std::move(y), {{x, [scale, from = x.shape(), with_ones = kept.shape()](const Tensor& g) {
                                    Tensor spread = g.reshape(with_ones);
                                    if (scale != 1) spread = map([scale](real v) { return v * scale; }, spread);
                                    return spread.expand(from);
                                  }}});
}

real one_over_count(const Var& x, std::span<const int> axes) {
  Size n = axes.empty() ? x.numel() : 1;
  for (int axis : axes) n *= x.size(axis);
  return n ? static_cast<real>(1 / static_cast<double>(n)) : 0;
}
}  // namespace

Var sum(const Var& x) { return scaled_sum("sum", x, {}, false, 1); }
Var sum(const Var& x, std::initializer_list<int> axes, bool keep) {
  check(axes.size() > 0, "sum", "no axis given");
  return scaled_sum("sum", x, {axes.begin(), axes.size()}, keep, 1);
}
Var mean(const Var& x) { return scaled_sum("mean", x, {}, false, one_over_count(x, {})); }
Var mean(const Var& x, std::initializer_list<int> axes, bool keep) {
  check(axes.size() > 0, "mean", "no axis given");
  std::span<const int> list(axes.begin(), axes.size());
  return scaled_sum("mean", x, list, keep, one_over_count(x, list));
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

}  // namespace HEED_NAMESPACE

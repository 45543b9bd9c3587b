// Reductions. The gradient of a sum is the gradient, broadcast.
#include <cmath>

#include "autograd/ops.hpp"
#include "tensor/kernels.hpp"

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

}  // namespace HEED_NAMESPACE

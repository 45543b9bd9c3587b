// Views and joins. The gradient of a view is the opposite view of the gradient; of a cut, zeros with the gradient put
// back.
#include "autograd/ops.hpp"
#include "tensor/kernels.hpp"

namespace HEED_NAMESPACE {

Var reshape(const Var& x, const Shape& shape) {
  return op("reshape", x.value().reshape(shape),
            {{x, [from = x.shape()](const Tensor& g) { return g.reshape(from); }}});
}

Var permute(const Var& x, std::initializer_list<int> order) {
  Tensor y = x.value().permute(order);
  std::vector<int> inverse(order.size());
  int i = 0;
  for (int axis : order) inverse[static_cast<std::size_t>(x.shape().axis(axis))] = i++;
  return op("permute", std::move(y), {{x, [inverse](const Tensor& g) { return g.permute(inverse); }}});
}

Var transpose(const Var& x, int a, int b) {
  return op("transpose", x.value().transpose(a, b), {{x, [a, b](const Tensor& g) { return g.transpose(a, b); }}});
}

Var slice(const Var& x, int axis, Size begin, Size end) {
  return op("slice", x.value().slice(axis, begin, end), {{x, [from = x.shape(), axis, begin](const Tensor& g) {
                                                            Tensor out(from, 0);
                                                            paste(out, axis, begin, g);
                                                            return out;
                                                          }}});
}

Var expand(const Var& x, const Shape& shape) {
  return op("expand", x.value().expand(shape), {{x, [](const Tensor& g) { return g; }}});
}

Var concat(const std::vector<Var>& parts, int axis) {
  std::vector<Tensor> values;
  std::vector<Edge> edges;
  Size at = 0;
  for (const Var& part : parts) {
    Size end = at + part.size(axis);
    values.push_back(part.value());
    edges.push_back({part, [axis, at, end](const Tensor& g) { return g.slice(axis, at, end); }});
    at = end;
  }
  return op("concat", concat(values, axis), std::move(edges));
}

Var stack(const std::vector<Var>& parts, int axis) {
  std::vector<Var> raised;
  for (const Var& part : parts) {
    int at = axis < 0 ? axis + part.rank() + 1 : axis;
    raised.push_back(reshape(part, part.shape().insert(at, 1)));
  }
  return concat(raised, axis);
}

namespace {
// Visits every (position, neighbour) pair inside the sequence: f(row, neighbour row, slot).
template <class F>
void each_neighbour(Size rows, Size length, int before, int after, const F& f) {
  for (Size row = rows; row-- > 0;) {
    Size i = row % length;
    for (Size slot = 0; slot <= before + after; slot++) {
      Size j = i + slot - before;
      f(row, row - i + j, slot, j >= 0 && j < length);
    }
  }
}
}  // namespace

Var windows(const Var& x, int before, int after) {
  check(x.rank() == 3 && before >= 0 && after >= 0, "windows", "expected (B, N, D) and sizes >= 0, got ", x.shape(),
        ", ", before, " and ", after);
  Size length = x.size(1), d = x.size(2), width = (before + 1 + after) * d, rows = x.size(0) * length;
  Tensor in = x.value().compact(), y({x.size(0), length, width});
  real* out = y.mut();
  count_work(y.numel());
  each_neighbour(rows, length, before, after, [&](Size row, Size from, Size slot, bool inside) {
    real* to = out + row * width + slot * d;
    inside ? void(std::copy_n(in.data() + from * d, d, to)) : void(std::fill_n(to, d, real(0)));
  });
  return op("windows", std::move(y), {{x, [=, shape = x.shape()](const Tensor& gradient) {
                                         Tensor g = gradient.compact(), dx(shape, 0);
                                         real* to = dx.mut();
                                         count_work(g.numel());
                                         each_neighbour(rows, length, before, after,
                                                        [&](Size row, Size from, Size slot, bool inside) {
                                                          const real* part = g.data() + row * width + slot * d;
                                                          real* sum = to + from * d;
                                                          if (inside)
#pragma omp simd
                                                            for (Size j = 0; j < d; j++) sum[j] += part[j];
                                                        });
                                         return dx;
                                       }}});
}

}  // namespace HEED_NAMESPACE

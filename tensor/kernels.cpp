#include "tensor/kernels.hpp"

#include <cmath>
#include <limits>

namespace HEED_NAMESPACE {

void add_into(Tensor& a, const Tensor& b) {
  check(broadcast("add_into", a.shape(), b.shape()) == a.shape(), "add_into", "shape ", b.shape(),
        " does not broadcast to ", a.shape());
  a = map([](real x, real y) { return x + y; }, std::move(a), b);
}

namespace {

// One strip of rows of an (n, inner) matrix summed down into `out`.
constexpr Size block = 256;

double sum_run(const real* x, Size n) {
  double total = 0;
  for (Size begin = 0; begin < n; begin += block) {
    Size count = std::min(block, n - begin);
    const real* part = x + begin;
    real s = 0;
#pragma omp simd reduction(+ : s)
    for (Size i = 0; i < count; i++) s += part[i];
    total += static_cast<double>(s);
  }
  return total;
}

// Columns [0, width) of an (n, stride) matrix summed down.
void sum_columns(const real* x, Size n, Size stride, Size width, real* out) {
  real part[block];
  double total[block];
  std::fill_n(total, width, 0.0);
  for (Size begin = 0; begin < n; begin += block) {
    std::fill_n(part, width, real(0));
    for (Size i = begin; i < std::min(n, begin + block); i++) {
      const real* row = x + i * stride;
#pragma omp simd
      for (Size j = 0; j < width; j++) part[j] += row[j];
    }
#pragma omp simd
    for (Size j = 0; j < width; j++) total[j] += static_cast<double>(part[j]);
  }
  for (Size j = 0; j < width; j++) out[j] = static_cast<real>(total[j]);
}

// (outer, n, inner) -> (outer, inner). Every element is summed in an order that depends on n only.
Tensor sum_middle(const Tensor& x, Size outer, Size n, Size inner, const Shape& shape) {
  Tensor y(shape);
  real* out = y.mut();
  const real* in = x.data();
  count_work(x.numel());
  if (inner == 1) {
    parallel_for(outer, std::max<Size>(1, kernel::grain / std::max<Size>(1, n)), [&](Size begin, Size end) {
      for (Size i = begin; i < end; i++) out[i] = static_cast<real>(sum_run(in + i * n, n));
    });
    return y;
  }
  Size width = std::min(inner, inner >= 128 ? block / 4 : block), strips = (inner + width - 1) / width;
  parallel_for(outer * strips, std::max<Size>(1, kernel::grain / (width * std::max<Size>(1, n))),
               [&](Size begin, Size end) {
                 for (Size i = begin; i < end; i++) {
                   Size o = i / strips, at = i % strips * width;
                   sum_columns(in + o * n * inner + at, n, inner, std::min(width, inner - at), out + o * inner + at);
                 }
               });
  return y;
}

}  // namespace

Tensor sum(const Tensor& x, std::span<const int> axes, bool keep) {
  std::array<bool, Shape::max_rank> reduce{};
  for (int axis : axes) reduce[static_cast<std::size_t>(x.shape().axis(axis))] = true;
  if (axes.empty()) reduce.fill(true);
  Tensor y = x.compact();
  // Neighbouring axes are summed as one.
  for (int axis = 0; axis < x.rank(); axis++) {
    if (!reduce[static_cast<std::size_t>(axis)]) continue;
    Size outer = 1, n = 1, inner = 1;
    Shape shape = y.shape();
    for (int i = 0; i < axis; i++) outer *= shape[i];
    for (; axis < x.rank() && reduce[static_cast<std::size_t>(axis)]; axis++) {
      n *= shape[axis];
      shape[axis] = 1;
    }
    for (int i = axis; i < x.rank(); i++) inner *= shape[i];
    y = sum_middle(y, outer, n, inner, shape);
  }
  if (keep) return y;
  Shape shape;
  for (int axis = 0; axis < x.rank(); axis++)
    if (!reduce[static_cast<std::size_t>(axis)]) shape = shape.insert(-1, x.size(axis));
  return y.reshape(shape);
}

Tensor sum_to(const Tensor& x, const Shape& shape) {
  if (x.shape() == shape) return x;
  std::vector<int> axes;
  int extra = x.rank() - shape.rank();
  for (int axis = 0; axis < x.rank(); axis++)
    if (axis < extra || (shape[axis - extra] == 1 && x.size(axis) != 1)) axes.push_back(axis);
  return axes.empty() ? x.reshape(shape) : sum(x, axes, true).reshape(shape);
}

Tensor max(const Tensor& input, int axis, std::vector<int>* where) {
  Tensor x = input.compact();
  axis = x.shape().axis(axis);
  Size n = x.size(axis), inner = 1;
  check(n > 0, "max", "axis ", axis, " of ", x.shape(), " is empty");
  for (int i = axis + 1; i < x.rank(); i++) inner *= x.size(i);
  Tensor y(x.shape().erase(axis));
  real* out = y.mut();
  where->assign(static_cast<std::size_t>(y.numel()), 0);
  int* index = where->data();
  count_work(x.numel());
  parallel_for(y.numel() / std::max<Size>(1, inner), std::max<Size>(1, kernel::grain / std::max<Size>(1, n * inner)),
               [&](Size begin, Size end) {
                 for (Size o = begin; o < end; o++) {
                   real* best = out + o * inner;
                   int* at = index + o * inner;
                   const real* rows = x.data() + o * n * inner;
                   std::copy_n(rows, inner, best);
                   for (Size i = 1; i < n; i++) {
                     const real* row = rows + i * inner;
#pragma omp simd
                     for (Size j = 0; j < inner; j++) {
                       bool better = row[j] > best[j] || (row[j] != row[j] && best[j] == best[j]);
                       at[j] = better ? static_cast<int>(i) : at[j];
                       best[j] = better ? row[j] : best[j];
                     }
                   }
                 }
               });
  return y;
}

void paste(Tensor& dst, int axis, Size at, const Tensor& src) {
  axis = dst.shape().axis(axis);
  bool fits = src.rank() == dst.rank() && at >= 0 && at + src.size(axis) <= dst.size(axis) &&
              src.shape().with(axis, dst.size(axis)) == dst.shape();
  check(fits, "paste", src.shape(), " does not fit into ", dst.shape(), " at ", at, " of axis ", axis);
  real* out = dst.mut();
  Size inner = 1;
  for (int i = axis + 1; i < dst.rank(); i++) inner *= dst.size(i);
  Size run = src.size(axis) * inner, gap = dst.size(axis) * inner;
  count_work(src.numel());
  if (run == 0) return;
  Tensor from = src.compact();
  const real* in = from.data();
  out += at * inner;
  parallel_for(from.numel() / run, std::max<Size>(1, kernel::grain / run), [&](Size begin, Size end) {
    for (Size i = begin; i < end; i++) std::copy_n(in + i * run, run, out + i * gap);
  });
}

Tensor concat(std::span<const Tensor> parts, int axis) {
  check(!parts.empty(), "concat", "there is nothing to concatenate");
  axis = parts[0].shape().axis(axis);
  Size total = 0;
  for (const Tensor& part : parts) {
    check(part.rank() == parts[0].rank() && part.shape().with(axis, 0) == parts[0].shape().with(axis, 0), "concat",
          "sizes differ outside axis ", axis, ": ", parts[0].shape(), " and ", part.shape());
    total += part.size(axis);
  }
  Tensor out(parts[0].shape().with(axis, total));
  Size at = 0;
  for (const Tensor& part : parts) {
    paste(out, axis, at, part);
    at += part.size(axis);
  }
  return out;
}

double max_difference(const Tensor& a, const Tensor& b) {
  if (a.shape() != b.shape()) return std::numeric_limits<double>::infinity();
  std::vector<real> x = a.to_vector(), y = b.to_vector();
  double worst = 0;
  for (std::size_t i = 0; i < x.size(); i++) {
    if (x[i] == y[i] || (std::isnan(x[i]) && std::isnan(y[i]))) continue;
    double difference = std::abs(static_cast<double>(x[i]) - static_cast<double>(y[i])) /
                        std::max(1.0, std::abs(static_cast<double>(y[i])));
    worst = std::isnan(difference) ? std::numeric_limits<double>::infinity() : std::max(worst, difference);
  }
  return worst;
}

bool all_finite(const Tensor& x) {
  Tensor y = x.compact();
  return std::all_of(y.data(), y.data() + y.numel(), [](real value) { return std::isfinite(value); });
}

}  // namespace HEED_NAMESPACE

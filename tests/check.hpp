// check.hpp — what the tests share: comparing arrays, and making arrays of random numbers in awkward memory.
//
// CHECK(close(actual, expected)) reports the worst element. Tolerances depend on sizeof(real): see Tolerance.
#pragma once

#include <doctest/doctest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <ostream>
#include <sstream>
#include <string>
#include <vector>

#include "tensor/kernels.hpp"
#include "tensor/rng.hpp"

namespace HEED_NAMESPACE::testing {

constexpr bool is_double = sizeof(real) == 8;
constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

/// The first in the double build, the second in the float build.
constexpr double tolerance(double in_double, double in_float) { return is_double ? in_double : in_float; }
/// A few roundings, and a few hundred.
constexpr double tight = tolerance(1e-14, 2e-6), loose = tolerance(1e-11, 1e-4);

/// The outcome of close(): converts to bool, prints the worst element.
struct Closeness {
  bool ok;
  std::string report;
  explicit operator bool() const { return ok; }
};
inline std::ostream& operator<<(std::ostream& out, const Closeness& closeness) { return out << closeness.report; }

/// The index of a row-major position, as "(1, 0, 2)".
inline std::string index_text(const Shape& shape, Size position) {
  Shape index = shape;
  for (int axis = shape.rank() - 1; axis >= 0; axis--) {
    index[axis] = position % shape[axis];
    position /= shape[axis];
  }
  return index.str();
}

/// |a - b| <= atol + rtol |b| everywhere; NaN is close to NaN, infinity to the same infinity.
inline Closeness close(const Tensor& a, const Tensor& b, double rtol, double atol) {
  if (!a.defined() || !b.defined()) return {a.defined() == b.defined(), "one is undefined"};
  if (a.shape() != b.shape()) return {false, "shapes " + a.shape().str() + " and " + b.shape().str() + " differ"};
  std::vector<real> x = a.to_vector(), y = b.to_vector();
  double worst = 0;
  std::ostringstream report;
  for (std::size_t i = 0; i < x.size(); i++) {
    if (x[i] == y[i] || (std::isnan(x[i]) && std::isnan(y[i]))) continue;
    auto p = static_cast<double>(x[i]), q = static_cast<double>(y[i]);
    double excess = std::abs(p - q) / (atol + rtol * std::abs(q));
    if (std::isnan(excess) || std::isinf(p) || std::isinf(q)) excess = infinity;
    if (excess <= worst) continue;
    worst = excess;
    report.str("");
    report.precision(17);
    report << "at " << index_text(a.shape(), static_cast<Size>(i)) << " of " << a.shape() << ": " << p << " against "
           << q << ", " << excess << " times the tolerance";
  }
  return {worst <= 1, report.str()};
}
inline Closeness close(const Tensor& a, const Tensor& b, double tol = tight) { return close(a, b, tol, tol); }
inline bool close(double a, double b, double tol = tight) {
  return a == b || std::abs(a - b) <= tol * std::max(1.0, std::abs(b));
}

/// Same shape and the same bits in every element.
inline bool same_bits(const Tensor& a, const Tensor& b) {
  if (a.shape() != b.shape()) return false;
  std::vector<real> x = a.to_vector(), y = b.to_vector();
  return x.empty() || std::memcmp(x.data(), y.data(), x.size() * sizeof(real)) == 0;
}

/// Row-major values written as doubles.
inline Tensor array(const Shape& shape, const std::vector<double>& values) {
  std::vector<real> numbers;
  for (double value : values) numbers.push_back(static_cast<real>(value));
  return Tensor(shape, numbers);
}

/// 0, 1, 2, ... in `shape`.
inline Tensor iota(const Shape& shape) {
  Tensor out(shape);
  real* values = out.mut();
  for (Size i = 0; i < out.numel(); i++) values[i] = static_cast<real>(i);
  return out;
}

/// Random values in [low, high).
inline Tensor random(Rng& rng, const Shape& shape, double low = -1, double high = 1) {
  Tensor out = rng.uniform(shape, (high - low) / 2);
  auto middle = static_cast<real>((low + high) / 2);
  return map([middle](real x) { return x + middle; }, out);
}

/// The same values with the axes in reverse order in memory.
inline Tensor reversed_layout(const Tensor& x) {
  std::vector<int> order;
  for (int axis = x.rank() - 1; axis >= 0; axis--) order.push_back(axis);
  return x.permute(order).compact().permute(order);
}

/// The same values as a slice of a larger array that is NaN outside.
inline Tensor sliced_layout(const Tensor& x) {
  Tensor out = x;
  for (int axis = 0; axis < x.rank(); axis++) {
    Tensor larger(out.shape().with(axis, out.size(axis) + 2), static_cast<real>(not_a_number));
    paste(larger, axis, 1, out);
    out = larger;
  }
  for (int axis = 0; axis < x.rank(); axis++) out = out.slice(axis, 1, out.size(axis) - 1);
  return out;
}

/// A random array of `shape`: compact, or permuted, sliced and stretched in memory.
inline Tensor random_view(Rng& rng, const Shape& shape) {
  Shape source = shape;
  for (int axis = 0; axis < shape.rank(); axis++)
    if (rng.below(5) == 0) source[axis] = 1;
  Tensor x = random(rng, source);
  if (rng.below(2)) {
    std::vector<int> order = rng.permutation(shape.rank()), back(order.size());
    for (std::size_t i = 0; i < order.size(); i++) back[static_cast<std::size_t>(order[i])] = static_cast<int>(i);
    x = x.permute(order).compact().permute(back);
  }
  if (rng.below(2)) x = sliced_layout(x);
  return x.expand(shape);
}

/// Calls f(index) for every index of `shape`, row-major.
template <class F>
void each_index(const Shape& shape, const F& f) {
  if (shape.numel() == 0) return;
  Shape index = shape;
  for (int axis = 0; axis < shape.rank(); axis++) index[axis] = 0;
  for (;;) {
    f(index);
    int axis = shape.rank() - 1;
    while (axis >= 0 && ++index[axis] == shape[axis]) index[axis--] = 0;
    if (axis < 0) return;
  }
}

/// Element of `x` at `index` of a shape it broadcasts to; walks the strides, so it shares no code with the library.
inline double element(const Tensor& x, const Shape& index) {
  Size offset = 0;
  for (int axis = 0; axis < x.rank(); axis++)
    if (x.size(axis) != 1) offset += x.strides()[axis] * index[index.rank() - x.rank() + axis];
  return static_cast<double>(x.data()[offset]);
}

/// Runs f with `count` threads and sets back the number in use.
template <class F>
auto with_threads(int count, const F& f) {
  int before = threads();
  set_threads(count);
  auto out = f();
  set_threads(before);
  return out;
}

}  // namespace HEED_NAMESPACE::testing

// kernels.hpp — the loops everything elementwise goes through: map, reductions, and the walk they share.
//
// A walk merges axes wherever memory allows and hands over runs along the innermost axis, on as many threads as the
// work pays for. Results are compact. Sums are cut in fixed blocks, so they do not depend on the number of threads.
#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <utility>

#include "tensor/counters.hpp"
#include "tensor/tensor.hpp"
#include "tensor/threads.hpp"

namespace HEED_NAMESPACE {

namespace kernel {

/// Elements below which a loop stays on one thread: about 10 microseconds of simple work.
constexpr Size grain = 16384;

/// How to visit a shape with several operands at once: merged axes, and each operand's strides along them.
template <std::size_t N>
struct Walk {
  int rank = 0;                             // at least 1
  std::array<Size, Shape::max_rank> sizes;  // outermost first
  std::array<std::array<Size, Shape::max_rank>, N> strides;

  Walk(const Shape& shape, const std::array<Shape, N>& operand_strides) {
    for (int axis = 0; axis < shape.rank(); axis++) {
      if (shape[axis] == 1) continue;
      bool merge = rank > 0;
      for (std::size_t k = 0; k < N; k++) merge = merge && strides[k][last()] == operand_strides[k][axis] * shape[axis];
      if (!merge) rank++;
      sizes[last()] = merge ? sizes[last()] * shape[axis] : shape[axis];
      for (std::size_t k = 0; k < N; k++) strides[k][last()] = operand_strides[k][axis];
    }
    if (rank == 0) {
      rank = 1;
      sizes[0] = 1;
      for (std::size_t k = 0; k < N; k++) strides[k][0] = 1;
    }
  }

  std::size_t last() const { return static_cast<std::size_t>(rank - 1); }
  Size step(std::size_t operand) const { return strides[operand][last()]; }

  /// Calls run(at, offsets, count) for runs that cover linear positions [begin, end): `at` is the linear position of
  /// the run's first element, offsets[k] operand k's offset there; along the run operand k advances by step(k).
  template <class F>
  void runs(Size begin, Size end, const F& run) const {
    Size inner = sizes[last()];
    while (begin < end) {
      std::array<Size, N> offsets{};
      Size rest = begin;
      for (int axis = rank - 1; axis >= 0; axis--) {
        auto a = static_cast<std::size_t>(axis);
        Size at = rest % sizes[a];
        rest /= sizes[a];
        for (std::size_t k = 0; k < N; k++) offsets[k] += at * strides[k][a];
      }
      Size count = std::min(inner - begin % inner, end - begin);
      run(begin, offsets, count);
      begin += count;
    }
  }
};

template <std::size_t>
using Pointer = const real*;

// One run with compile-time steps 0 or 1 (bit k of Steps is operand k's). Everything by value: a pointer behind a
// reference would be read again in each iteration, and `flatten` inlines f: either would keep the loop from becoming
// vector code.
template <unsigned Steps, class F, std::size_t... K>
[[gnu::flatten]] void unit_run(real* out, Size count, F f, std::index_sequence<K...>, Pointer<K>... x) {
#pragma omp simd
  for (Size i = 0; i < count; i++) out[i] = f(x[Steps >> K & 1 ? i : 0]...);
}

template <class F, std::size_t... K>
void any_run(real* out, const std::array<const real*, sizeof...(K)>& x, const std::array<Size, sizeof...(K)>& steps,
             Size count, const F& f, std::index_sequence<K...> ks) {
  if (((steps[K] == 1) && ...)) return unit_run<(1u << sizeof...(K)) - 1>(out, count, f, ks, x[K]...);
  if constexpr (sizeof...(K) == 2) {
    if (steps[0] == 1 && steps[1] == 0) return unit_run<1>(out, count, f, ks, x[K]...);
    if (steps[0] == 0 && steps[1] == 1) return unit_run<2>(out, count, f, ks, x[K]...);
  }
  for (Size i = 0; i < count; i++) out[i] = f(x[K][i * steps[K]]...);
}

}  // namespace kernel

/// out[i] = f(x[i], ...), elementwise with broadcasting. Throws Error when shapes do not broadcast. O(numel).
/// An operand that is passed as an rvalue, and seen by nobody else, gives its memory to the result.
template <class F, class... X>
requires(sizeof...(X) > 0 && (std::same_as<std::remove_cvref_t<X>, Tensor> && ...)) Tensor map(const F& f, X&&... x) {
  constexpr std::size_t n = sizeof...(X);
  Shape shape;
  ((shape = x.shape() == shape ? shape : broadcast("map", shape, x.shape())), ...);
  std::array<Shape, n> strides{broadcast_strides("map", x.shape(), x.strides(), shape)...};
  std::array<const real*, n> data{x.data()...};
  Tensor out;
  // The rvalue's buffer stays alive in `out`; every element is read before its place is written.
  ((!std::is_lvalue_reference_v<X> && !std::is_const_v<std::remove_reference_t<X>> && !out.defined() &&
            x.is_private() && x.shape() == shape
        ? void(out = std::move(const_cast<Tensor&>(static_cast<const Tensor&>(x))))
        : void()),
   ...);
  if (!out.defined()) out = Tensor(shape);
  real* to = out.mut();
  count_work(shape.numel());
  kernel::Walk<n> walk(shape, strides);
  std::array<Size, n> steps;
  for (std::size_t k = 0; k < n; k++) steps[k] = walk.step(k);
  parallel_for(shape.numel(), kernel::grain, [&](Size begin, Size end) {
    walk.runs(begin, end, [&](Size at, const std::array<Size, n>& offsets, Size count) {
      std::array<const real*, n> from;
      for (std::size_t k = 0; k < n; k++) from[k] = data[k] + offsets[k];
      kernel::any_run(to + at, from, steps, count, f, std::make_index_sequence<n>());
    });
  });
  return out;
}

/// a += b where b broadcasts to a's shape, in place when nobody else sees a. Throws Error when b does not broadcast to
/// a.
void add_into(Tensor& a, const Tensor& b);

/// Sum over `axes` (all when empty), kept as size 1 when `keep`. Accumulates in double every few hundred terms.
/// O(numel).
Tensor sum(const Tensor& x, std::span<const int> axes = {}, bool keep = false);

/// Sums a gradient back over the axes along which `shape` was broadcast to x.shape().
Tensor sum_to(const Tensor& x, const Shape& shape);

/// Largest element along `axis`, which disappears, and its index there; the lowest index wins ties, NaN wins all.
/// Throws Error when the axis is empty.
Tensor max(const Tensor& input, int axis, std::vector<int>* where);

/// dst with src written over [at, at + src.size(axis)) of `axis`; copies dst first if anyone else sees it.
/// Throws Error when src does not fit.
void paste(Tensor& dst, int axis, Size at, const Tensor& src);

/// Concatenation along `axis`. Throws Error when the other sizes differ or there is nothing to concatenate.
Tensor concat(std::span<const Tensor> parts, int axis);

/// Greatest absolute difference relative to max(1, |b|); infinity when shapes differ or one is NaN where the other is
/// not.
double max_difference(const Tensor& a, const Tensor& b);

/// True when no element is NaN or infinite.
bool all_finite(const Tensor& x);

}  // namespace HEED_NAMESPACE

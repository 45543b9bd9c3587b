// shape.hpp — the sizes of a tensor's axes, outermost first (row-major).
//
// A plain value of at most eight axes; no heap. Rank 0 is one element. Axes may be counted from the end: -1 is the
// last.
#pragma once

#include <array>
#include <initializer_list>
#include <ostream>
#include <span>
#include <string>

#include "tensor/error.hpp"
#include "tensor/real.hpp"

namespace HEED_NAMESPACE {

/// Sizes (or strides, see Tensor::strides) of up to `max_rank` axes.
class Shape {
 public:
  static constexpr int max_rank = 8;  ///< the most axes

  Shape() = default;
  Shape(std::initializer_list<Size> sizes) : Shape(std::span(sizes.begin(), sizes.size())) {}
  explicit Shape(std::span<const Size> sizes);

  int rank() const { return rank_; }  ///< number of axes
  /// Size of `axis`; negative axes count from the end. Throws Error when there is no such axis.
  Size operator[](int axis) const { return sizes_[at(axis)]; }
  Size& operator[](int axis) { return sizes_[at(axis)]; }  ///< the same, to write
  /// Product of the sizes; 1 for rank 0.
  Size numel() const;
  const Size* begin() const { return sizes_.data(); }        ///< sizes, outermost first
  const Size* end() const { return sizes_.data() + rank_; }  ///< behind the last size
  bool operator==(const Shape& other) const;                 ///< same rank and sizes

  /// The axis counted from the front, 0 <= result < rank. Throws Error when there is no such axis.
  int axis(int axis) const { return static_cast<int>(at(axis)); }
  /// This shape with one more axis of `size` in front of position `axis` (rank for the end).
  Shape insert(int axis, Size size) const;
  /// This shape without `axis`.
  Shape erase(int axis) const;
  /// This shape with `size` at `axis`.
  Shape with(int axis, Size size) const;
  /// Strides of a compact row-major tensor of this shape.
  Shape compact_strides() const;
  /// "(2, 3)", as error messages print it.
  std::string str() const;

 private:
  std::size_t at(int axis) const {
    int i = axis < 0 ? axis + rank_ : axis;
    if (i < 0 || i >= rank_) [[unlikely]]
      bad_axis(axis);
    return static_cast<std::size_t>(i);
  }
  [[noreturn]] void bad_axis(int axis) const;

  std::array<Size, max_rank> sizes_{};
  int rank_ = 0;
};

std::ostream& operator<<(std::ostream& out, const Shape& shape);  ///< prints str()

/// The shape two operands broadcast to (NumPy's rule: align the last axes, size 1 stretches). Throws Error naming `op`.
Shape broadcast(const char* op, const Shape& a, const Shape& b);

/// Strides with which memory of shape `from` and strides `strides` is read as shape `to`: 0 along stretched axes.
/// Throws Error naming `op` when `from` does not broadcast to `to`.
Shape broadcast_strides(const char* op, const Shape& from, const Shape& strides, const Shape& to);

}  // namespace HEED_NAMESPACE

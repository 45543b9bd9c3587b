// tensor.hpp — an n-dimensional array of `real`: a value, copied like an int, that copies its numbers only when
// written.
//
// Copies and views (reshape, permute, slice, expand) share one buffer and copy nothing. Only mut() gives a pointer to
// write through, and it first takes a private compact copy if anyone else can see the buffer: a write is never visible
// through another Tensor. Row-major, batch first, negative axes count from the end. Knows nothing of gradients.
#pragma once

#include <ostream>
#include <vector>

#include "tensor/pool.hpp"
#include "tensor/shape.hpp"

namespace HEED_NAMESPACE {

/// N-dimensional array of `real` with shape and strides over a shared, recycled buffer.
class Tensor {
 public:
  /// Undefined: no shape, no data; stands for "none" in optional arguments.
  Tensor() = default;
  /// Uninitialised values, compact.
  explicit Tensor(const Shape& shape);
  /// All values equal to `fill`.
  Tensor(const Shape& shape, real fill);
  /// Row-major values. Throws Error unless there are shape.numel() of them.
  Tensor(const Shape& shape, const std::vector<real>& values);
  /// One number, rank 0.
  static Tensor scalar(real value) { return Tensor(Shape{}, value); }

  bool defined() const { return buffer_.defined(); }  ///< false for Tensor()
  const Shape& shape() const { return shape_; }       ///< sizes of the axes
  const Shape& strides() const { return strides_; }   ///< elements from one to the next along each axis
  int rank() const { return shape_.rank(); }          ///< number of axes
  Size size(int axis) const { return shape_[axis]; }  ///< size of an axis, -1 is the last
  Size numel() const { return shape_.numel(); }       ///< number of elements
  /// True when the elements lie row-major without gaps.
  bool is_compact() const;
  /// Pointer to the first element; walk it with strides().
  const real* data() const { return static_cast<const real*>(buffer_.data()) + offset_; }
  /// Pointer to write numel() row-major values through; copies first if the buffer is shared or the view is not
  /// compact.
  real* mut();
  /// True when mut() would not copy.
  bool is_private() const { return buffer_.defined() && buffer_.unique() && is_compact(); }
  /// True when both look at the same buffer.
  bool shares(const Tensor& other) const { return defined() && buffer_.same(other.buffer_); }

  /// The only element. Throws Error unless numel() is 1.
  real item() const;
  /// The element at `index`, one number an axis. Throws Error when it is out of range.
  real at(std::initializer_list<Size> index) const;
  /// All elements, row-major.
  std::vector<real> to_vector() const;

  /// The same elements in another shape; one size may be -1 (worked out). A view, unless the elements had to be
  /// compacted.
  Tensor reshape(const Shape& shape) const;
  /// Axis i of the result is axis order[i] of this. A view.
  Tensor permute(std::initializer_list<int> order) const { return permute(std::span(order.begin(), order.size())); }
  Tensor permute(std::span<const int> order) const;  ///< the same for a list
  /// Two axes swapped, by default the last two. A view.
  Tensor transpose(int a = -2, int b = -1) const;
  /// Elements [begin, end) along `axis`. A view. Throws Error when the range is outside the axis.
  Tensor slice(int axis, Size begin, Size end) const;
  /// Broadcast to `shape` (NumPy's rule), with stride 0 along stretched axes. A view.
  Tensor expand(const Shape& shape) const;
  /// Row-major without gaps: itself if it is already, else a copy.
  Tensor compact() const;

 private:
  Tensor view(const Shape& shape, const Shape& strides, Size offset) const;

  Buffer buffer_;
  Size offset_ = 0;
  Shape shape_, strides_;
};

/// Prints values in nested brackets, shortening long axes.
std::ostream& operator<<(std::ostream& out, const Tensor& x);

}  // namespace HEED_NAMESPACE

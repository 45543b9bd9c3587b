#include "tensor/tensor.hpp"

#include <algorithm>
#include <iomanip>
#include <numeric>

#include "tensor/kernels.hpp"

namespace HEED_NAMESPACE {

Tensor::Tensor(const Shape& shape) : shape_(shape), strides_(shape.compact_strides()) {
  for (Size size : shape) check(size >= 0, "Tensor", "negative size in ", shape);
  buffer_ = Buffer(shape.numel() * static_cast<Size>(sizeof(real)));
}

Tensor::Tensor(const Shape& shape, real fill) : Tensor(shape) {
  real* out = mut();
  parallel_for(numel(), Size(1) << 17, [=](Size begin, Size end) { std::fill(out + begin, out + end, fill); });
}

Tensor::Tensor(const Shape& shape, const std::vector<real>& values) : Tensor(shape) {
  check(static_cast<Size>(values.size()) == numel(), "Tensor", "shape ", shape, " needs ", numel(), " values, got ",
        values.size());
  std::copy(values.begin(), values.end(), mut());
}

bool Tensor::is_compact() const {
  Size step = 1;
  for (int axis = rank() - 1; axis >= 0; axis--) {
    if (shape_[axis] != 1 && strides_[axis] != step) return false;
    step *= shape_[axis];
  }
  return true;
}

real* Tensor::mut() {
  check(defined(), "Tensor::mut", "the tensor is undefined");
  if (!is_private()) *this = map([](real x) { return x; }, *this);
  return static_cast<real*>(buffer_.data()) + offset_;
}

real Tensor::item() const {
  check(defined() && numel() == 1, "Tensor::item", "expected exactly one element, got shape ", shape_);
  return *data();
}

real Tensor::at(std::initializer_list<Size> index) const {
  check(static_cast<int>(index.size()) == rank(), "Tensor::at", "expected ", rank(), " indices, got ", index.size());
  Size offset = 0;
  int axis = 0;
  for (Size i : index) {
    check(i >= 0 && i < shape_[axis], "Tensor::at", "index ", i, " is out of range for axis ", axis, " of ", shape_);
    offset += i * strides_[axis++];
  }
  return data()[offset];
}

std::vector<real> Tensor::to_vector() const {
  Tensor x = compact();
  return std::vector<real>(x.data(), x.data() + x.numel());
}

Tensor Tensor::view(const Shape& shape, const Shape& strides, Size offset) const {
  Tensor out;
  out.buffer_ = buffer_;
  out.offset_ = offset_ + offset;
  out.shape_ = shape;
  out.strides_ = strides;
  return out;
}

Tensor Tensor::reshape(const Shape& shape) const {
  Shape to = shape;
  int unknown = -1;
  Size known = 1;
  for (int axis = 0; axis < to.rank(); axis++) {
    if (to[axis] == -1 && unknown < 0)
      unknown = axis;
    else
      known *= to[axis];
  }
  if (unknown >= 0 && known > 0 && numel() % known == 0) to[unknown] = numel() / known;
  bool sane = std::all_of(to.begin(), to.end(), [](Size size) { return size >= 0; });
  check(sane && to.numel() == numel(), "reshape", shape_, " does not fit into ", shape);
  // A group of old axes that becomes a group of new axes keeps its view if it can be walked with one stride.
  Shape strides = to;
  int old_axis = 0, axis = 0;
  while (axis < to.rank()) {
    if (to[axis] <= 1 || numel() == 0) {
      strides[axis++] = 1;
      continue;
    }
    while (shape_[old_axis] == 1) old_axis++;
    Size old_size = shape_[old_axis], size = to[axis], step = strides_[old_axis];
    int end = axis + 1;
    while (old_size != size) {
      if (old_size > size) {
        size *= to[end++];
        continue;
      }
      Size next = shape_[++old_axis];
      if (next == 1) continue;
      if (step != next * strides_[old_axis]) return map([](real x) { return x; }, *this).reshape(to);
      step = strides_[old_axis];
      old_size *= next;
    }
    old_axis++;
    for (int i = end - 1; i >= axis; i--) {
      strides[i] = step;
      step *= to[i];
    }
    axis = end;
  }
  return view(to, strides, 0);
}

Tensor Tensor::permute(std::span<const int> order) const {
  check(static_cast<int>(order.size()) == rank(), "permute", "expected an order of ", rank(), " axes for ", shape_,
        ", got ", order.size());
  Shape shape = shape_, strides = strides_;
  unsigned seen = 0;
  for (int i = 0; i < rank(); i++) {
    int axis = shape_.axis(order[static_cast<std::size_t>(i)]);
    check(!(seen >> axis & 1), "permute", "axis ", axis, " occurs twice");
    seen |= 1u << axis;
    shape[i] = shape_[axis];
    strides[i] = strides_[axis];
  }
  return view(shape, strides, 0);
}

Tensor Tensor::transpose(int a, int b) const {
  Shape shape = shape_, strides = strides_;
  std::swap(shape[a], shape[b]);
  std::swap(strides[a], strides[b]);
  return view(shape, strides, 0);
}

Tensor Tensor::slice(int axis, Size begin, Size end) const {
  check(begin >= 0 && begin <= end && end <= size(axis), "slice", "[", begin, ", ", end, ") is outside axis ", axis,
        " of ", shape_);
  return view(shape_.with(axis, end - begin), strides_, begin * strides_[axis]);
}

Tensor Tensor::expand(const Shape& shape) const {
  return view(shape, broadcast_strides("expand", shape_, strides_, shape), 0);
}

Tensor Tensor::compact() const {
  return is_compact() ? *this : map([](real x) { return x; }, *this);
}

std::ostream& operator<<(std::ostream& out, const Tensor& x) {
  if (!x.defined()) return out << "undefined";
  if (x.rank() == 0) return out << x.item();
  out << '[';
  Size n = x.size(0);
  for (Size i = 0; i < n; i++) {
    if (n > 8 && i == 4) {
      out << ", ...";
      i = n - 3;
    }
    if (i) out << (x.rank() > 1 ? ",\n" : ", ");
    out << x.slice(0, i, i + 1).reshape(x.shape().erase(0));
  }
  return out << ']';
}

}  // namespace HEED_NAMESPACE

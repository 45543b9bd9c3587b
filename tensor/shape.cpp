#include "tensor/shape.hpp"

#include <algorithm>

namespace HEED_NAMESPACE {

Shape::Shape(std::span<const Size> sizes) : rank_(static_cast<int>(sizes.size())) {
  check(rank_ <= max_rank, "Shape", "at most ", max_rank, " axes are supported, got ", rank_);
  std::copy(sizes.begin(), sizes.end(), sizes_.begin());
}

Size Shape::numel() const {
  Size n = 1;
  for (Size size : *this) n *= size;
  return n;
}

bool Shape::operator==(const Shape& other) const { return std::equal(begin(), end(), other.begin(), other.end()); }

void Shape::bad_axis(int axis) const { fail("Shape", "axis ", axis, " does not exist in ", *this); }

Shape Shape::insert(int axis, Size size) const {
  int at = axis < 0 ? axis + rank_ + 1 : axis;
  check(at >= 0 && at <= rank_ && rank_ < max_rank, "Shape", "cannot insert an axis at ", axis, " into ", *this);
  Shape out = *this;
  std::copy_backward(out.sizes_.begin() + at, out.sizes_.begin() + rank_, out.sizes_.begin() + rank_ + 1);
  out.sizes_[static_cast<std::size_t>(at)] = size;
  out.rank_++;
  return out;
}

Shape Shape::erase(int axis) const {
  Shape out = *this;
  auto at = out.sizes_.begin() + this->axis(axis);
  std::copy(at + 1, out.sizes_.begin() + rank_, at);
  out.rank_--;
  return out;
}

Shape Shape::with(int axis, Size size) const {
  Shape out = *this;
  out[axis] = size;
  return out;
}

Shape Shape::compact_strides() const {
  Shape strides = *this;
  Size step = 1;
  for (int axis = rank_ - 1; axis >= 0; axis--) {
    strides[axis] = step;
    step *= (*this)[axis];
  }
  return strides;
}

std::string Shape::str() const {
  std::string text = "(";
  for (int axis = 0; axis < rank_; axis++) text += (axis ? ", " : "") + std::to_string((*this)[axis]);
  return text + ")";
}

std::ostream& operator<<(std::ostream& out, const Shape& shape) { return out << shape.str(); }

Shape broadcast(const char* op, const Shape& a, const Shape& b) {
  const Shape& longer = a.rank() >= b.rank() ? a : b;
  const Shape& shorter = a.rank() >= b.rank() ? b : a;
  Shape out = longer;
  for (int axis = -1; axis >= -shorter.rank(); axis--) {
    Size m = longer[axis], n = shorter[axis];
    check(m == n || m == 1 || n == 1, op, "shapes do not broadcast: ", a, " and ", b);
    out[axis] = m == 1 ? n : m;
  }
  return out;
}

Shape broadcast_strides(const char* op, const Shape& from, const Shape& strides, const Shape& to) {
  bool fits = from.rank() <= to.rank();
  Shape out = to;
  for (int axis = -1; fits && axis >= -to.rank(); axis--) {
    bool given = axis >= -from.rank();
    fits = !given || from[axis] == to[axis] || from[axis] == 1;
    if (fits) out[axis] = given && from[axis] == to[axis] && to[axis] != 1 ? strides[axis] : 0;
  }
  check(fits, op, "shape ", from, " does not broadcast to ", to);
  return out;
}

}  // namespace HEED_NAMESPACE

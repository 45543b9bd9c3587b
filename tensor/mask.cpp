#include "tensor/mask.hpp"

#include <algorithm>

namespace HEED_NAMESPACE {

Mask::Mask(const Shape& shape, std::vector<std::uint8_t> keep) : shape_(shape) {
  check(static_cast<Size>(keep.size()) == shape.numel(), "Mask", "shape ", shape, " needs ", shape.numel(),
        " values, got ", keep.size());
  keep_ = std::make_shared<const std::vector<std::uint8_t>>(std::move(keep));
}

Size Mask::count() const {
  return keep_ ? std::count_if(keep_->begin(), keep_->end(), [](std::uint8_t keep) { return keep != 0; }) : 0;
}

Mask Mask::reshape(const Shape& shape) const {
  check(shape.numel() == numel(), "Mask::reshape", shape_, " does not hold as many cells as ", shape);
  Mask out = *this;
  out.shape_ = shape;
  return out;
}

namespace {
template <class F>
Mask combine(const char* op, const Mask& a, const Mask& b, F f) {
  Shape shape = broadcast(op, a.shape(), b.shape());
  Shape steps_a = broadcast_strides(op, a.shape(), a.shape().compact_strides(), shape);
  Shape steps_b = broadcast_strides(op, b.shape(), b.shape().compact_strides(), shape);
  std::vector<std::uint8_t> keep(static_cast<std::size_t>(shape.numel()));
  for (Size i = 0; i < static_cast<Size>(keep.size()); i++) {
    Size rest = i, at_a = 0, at_b = 0;
    for (int axis = shape.rank() - 1; axis >= 0; axis--) {
      Size at = rest % shape[axis];
      rest /= shape[axis];
      at_a += at * steps_a[axis];
      at_b += at * steps_b[axis];
    }
    keep[static_cast<std::size_t>(i)] = f(a[at_a], b[at_b]);
  }
  return Mask(shape, std::move(keep));
}
}  // namespace

Mask operator&(const Mask& a, const Mask& b) {
  if (!a.defined() || !b.defined()) return a.defined() ? a : b;
  return combine("Mask &", a, b, [](bool x, bool y) { return x && y; });
}

Mask operator|(const Mask& a, const Mask& b) {
  if (!a.defined() || !b.defined()) return {};
  return combine("Mask |", a, b, [](bool x, bool y) { return x || y; });
}

Mask operator!(const Mask& a) {
  check(a.defined(), "Mask !", "an undefined mask keeps everything; its opposite has no shape");
  return combine("Mask !", a, a, [](bool x, bool) { return !x; });
}

Mask causal_mask(Size queries, Size keys) {
  std::vector<std::uint8_t> keep(static_cast<std::size_t>(queries * keys));
  for (Size i = 0; i < queries; i++) {
    Size kept = std::clamp<Size>(i + keys - queries + 1, 0, keys);
    std::fill_n(keep.begin() + i * keys, kept, std::uint8_t(1));
  }
  return Mask({queries, keys}, std::move(keep));
}

Mask padding_mask(std::span<const int> lengths, Size length) {
  std::vector<std::uint8_t> keep(lengths.size() * static_cast<std::size_t>(length));
  for (std::size_t b = 0; b < lengths.size(); b++) {
    check(lengths[b] >= 0 && lengths[b] <= length, "padding_mask", "length ", lengths[b], " of row ", b,
          " is outside 0 to ", length);
    std::fill_n(keep.begin() + static_cast<Size>(b) * length, lengths[b], std::uint8_t(1));
  }
  return Mask({static_cast<Size>(lengths.size()), length}, std::move(keep));
}

}  // namespace HEED_NAMESPACE

// mask.hpp — a boolean array. True always means KEEP: this query may use this key.
//
// A value like Tensor, but plain: compact bytes that nothing writes to after the constructor. Masks broadcast as
// tensors do. An undefined mask (`Mask{}`) keeps everything, everywhere in the library.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "tensor/shape.hpp"

namespace HEED_NAMESPACE {

/// Boolean array with a shape; true = keep.
class Mask {
 public:
  Mask() = default;
  /// From row-major values, one a cell. Throws Error unless there are shape.numel() of them.
  Mask(const Shape& shape, std::vector<std::uint8_t> keep);

  bool defined() const { return keep_ != nullptr; }                             ///< false: keeps everything
  const Shape& shape() const { return shape_; }                                 ///< sizes of the axes
  Size numel() const { return shape_.numel(); }                                 ///< number of cells
  const std::uint8_t* data() const { return keep_ ? keep_->data() : nullptr; }  ///< 0 or 1, row-major; or null
  /// The value at a row-major index.
  bool operator[](Size index) const { return (*keep_)[static_cast<std::size_t>(index)] != 0; }
  /// Number of kept cells.
  Size count() const;
  /// The same cells in another shape. Throws Error unless the sizes multiply to the same number.
  Mask reshape(const Shape& shape) const;

 private:
  Shape shape_;
  std::shared_ptr<const std::vector<std::uint8_t>> keep_;
};

/// Keeps what both keep / what either keeps / what it does not keep. Shapes broadcast; an undefined mask keeps all.
Mask operator&(const Mask& a, const Mask& b);
Mask operator|(const Mask& a, const Mask& b);  ///< what either keeps
Mask operator!(const Mask& a);                 ///< what a does not keep

/// (queries, keys): query i keeps key j when j <= i + keys - queries, so the last query sees every key.
Mask causal_mask(Size queries, Size keys);

/// (B, length): row b keeps its first lengths[b] positions. Throws Error when a length is outside [0, length].
Mask padding_mask(std::span<const int> lengths, Size length);

}  // namespace HEED_NAMESPACE

#include "nn/pooling.hpp"

#include <limits>

#include "nn/module.hpp"

namespace HEED_NAMESPACE {

namespace {
void check_mask(const char* name, const Var& x, const Mask& mask) {
  check_sequence(name, x);
  check(!mask.defined() || mask.shape() == Shape{x.size(0), x.size(1)}, name, "expected a mask of shape (", x.size(0),
        ", ", x.size(1), "), got ", mask.shape());
}

Mask rows_of(const Mask& mask) { return mask.reshape({mask.shape()[0], mask.shape()[1], 1}); }

// (B, 1): how many positions of each sequence are kept.
std::vector<Size> counts(const Mask& mask) {
  std::vector<Size> kept(static_cast<std::size_t>(mask.shape()[0]), 0);
  for (Size i = 0; i < mask.numel(); i++) kept[static_cast<std::size_t>(i / mask.shape()[1])] += mask[i];
  return kept;
}
}  // namespace

Var masked_mean(const Var& x, const Mask& mask) {
  check_mask("masked_mean", x, mask);
  if (!mask.defined()) return mean(x, {1});
  std::vector<real> inverse;
  for (Size n : counts(mask)) inverse.push_back(n ? 1 / static_cast<real>(n) : 0);
  return sum(masked_fill(x, rows_of(mask), 0), {1}) * Var(Tensor({x.size(0), 1}, inverse));
}

Var masked_max(const Var& x, const Mask& mask) {
  check_mask("masked_max", x, mask);
  if (!mask.defined()) return max(x, 1);
  std::vector<std::uint8_t> any;
  for (Size n : counts(mask)) any.push_back(n > 0);
  Var best = max(masked_fill(x, rows_of(mask), -std::numeric_limits<real>::infinity()), 1);
  return masked_fill(best, Mask({x.size(0), 1}, std::move(any)), 0);
}

}  // namespace HEED_NAMESPACE

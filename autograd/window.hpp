// window.hpp — where a window that moves along an axis reads: what convolutions and pooling share.
#pragma once

#include <algorithm>
#include <utility>

#include "tensor/error.hpp"
#include "tensor/real.hpp"

namespace HEED_NAMESPACE {

/// How a window of `taps` elements moves along an axis.
struct SlidingWindow {
  Size in = 1, taps = 1, stride = 1, padding = 0, dilation = 1, out = 1;  ///< counts; see conv1d()

  SlidingWindow() = default;
  /// Throws Error, naming `name`, when the window does not fit.
  SlidingWindow(const char* name, Size length, Size taps_of_window, Size step, Size zeros, Size gap)
      : in(length), taps(taps_of_window), stride(step), padding(zeros), dilation(gap) {
    check(stride > 0 && padding >= 0 && dilation > 0, name, "expected stride > 0, padding >= 0 and dilation > 0, got ",
          stride, ", ", padding, " and ", dilation);
    Size reach = dilation * (taps - 1) + 1;
    check(in > 0 && taps > 0 && reach <= in + 2 * padding, name, "a window of ", taps, " with dilation ", dilation,
          " does not fit into a length of ", in, " with padding ", padding);
    out = (in + 2 * padding - reach) / stride + 1;
  }
  /// What a tap reads for an output; outside [0, in) lies padding.
  Size at(Size output, Size tap) const { return output * stride - padding + tap * dilation; }
  /// The outputs [first, last) for which a tap reads an element.
  std::pair<Size, Size> inside(Size tap) const {
    Size shift = at(0, tap);
    Size first = std::clamp<Size>(shift < 0 ? (stride - 1 - shift) / stride : 0, 0, out);
    return {first, std::clamp(shift < in ? (in - 1 - shift) / stride + 1 : 0, first, out)};
  }
};

}  // namespace HEED_NAMESPACE

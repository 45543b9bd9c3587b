// Pooling: each plane of each batch entry on its own. The windows that cover padding are cut to what lies inside.
#include <algorithm>
#include <cmath>

#include "autograd/ops.hpp"
#include "autograd/window.hpp"
#include "tensor/kernels.hpp"

namespace HEED_NAMESPACE {

namespace {

struct Pool {
  Size planes;
  SlidingWindow down, across;
  Shape shape;  // of the result

  Pool(const char* name, const Var& x, const Pooling& how) {
    check(x.rank() == 3 || x.rank() == 4, name, "expected (B, C, L) or (B, C, H, W), got ", x.shape());
    check(how.padding < how.window, name, "a padding of ", how.padding, " leaves nothing under a window of ",
          how.window);
    auto axis = [&](int i) {
      return SlidingWindow(name, x.size(i), how.window, how.stride ? how.stride : how.window, how.padding, 1);
    };
    across = axis(-1);
    shape = x.shape().with(-1, across.out);
    if (x.rank() == 4) down = axis(2), shape = shape.with(2, down.out);
    planes = x.size(0) * x.size(1);
  }

  // Calls f(output, plane's first element, rows [top, bottom), columns [left, right)) for every window, without
  // padding.
  template <class F>
  void each_window(const F& f) const {
    Size outputs = down.out * across.out, work = outputs * down.taps * across.taps;
    count_work(planes * work);
    parallel_for(planes, std::max<Size>(1, kernel::grain / work), [&](Size begin, Size end) {
      for (Size i = begin * outputs; i < end * outputs; i++) {
        Size row = down.at(i % outputs / across.out, 0), column = across.at(i % across.out, 0);
        f(i, i / outputs * down.in * across.in, std::max<Size>(row, 0), std::min(row + down.taps, down.in),
          std::max<Size>(column, 0), std::min(column + across.taps, across.in));
      }
    });
  }
};

}  // namespace

Var max_pool(const Var& x, const Pooling& how) {
  Pool pool("max_pool", x, how);
  Tensor in = x.value().compact(), y(pool.shape);
  real* out = y.mut();
  // Where the largest element under a window is; found again for the gradient, which is faster than a stored index.
  auto largest = [from = in.data(), wide = pool.across.in](Size plane, Size top, Size bottom, Size left, Size right) {
    Size best = plane + top * wide + left;
    for (Size row = plane + top * wide; row < plane + bottom * wide; row += wide)
      for (Size at = row + left; at < row + right; at++)
        if (from[at] > from[best] || (std::isnan(from[at]) && !std::isnan(from[best]))) best = at;
    return best;
  };
  pool.each_window([&](Size i, Size plane, Size top, Size bottom, Size left, Size right) {
    out[i] = in.data()[largest(plane, top, bottom, left, right)];
  });
  return op("max_pool", std::move(y),
            {{x, [in, pool, largest](const Tensor& gradient) {
                Tensor g = gradient.compact(), dx(in.shape(), 0);
                real* to = dx.mut();
                pool.each_window([&](Size i, Size plane, Size top, Size bottom, Size left, Size right) {
                  to[largest(plane, top, bottom, left, right)] += g.data()[i];
                });
                return dx;
              }}});
}

Var mean_pool(const Var& x, const Pooling& how) {
  Pool pool("mean_pool", x, how);
  Tensor in = x.value().compact(), y(pool.shape);
  real* out = y.mut();
  pool.each_window([&](Size i, Size plane, Size top, Size bottom, Size left, Size right) {
    real total = 0;
    for (Size r = top; r < bottom; r++)
      for (Size c = left; c < right; c++) total += in.data()[plane + r * pool.across.in + c];
    out[i] = total / static_cast<real>((bottom - top) * (right - left));
  });
  return op("mean_pool", std::move(y),
            {{x, [pool, shape = x.shape()](const Tensor& gradient) {
                Tensor g = gradient.compact(), dx(shape, 0);
                real* to = dx.mut();
                pool.each_window([&](Size i, Size plane, Size top, Size bottom, Size left, Size right) {
                  real part = g.data()[i] / static_cast<real>((bottom - top) * (right - left));
                  for (Size r = top; r < bottom; r++)
                    for (Size c = left; c < right; c++) to[plane + r * pool.across.in + c] += part;
                });
                return dx;
              }}});
}

}  // namespace HEED_NAMESPACE

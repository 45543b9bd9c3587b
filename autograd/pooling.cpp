// Pooling: each plane of each batch entry on its own. The windows that cover padding are cut to what lies inside.
#include <algorithm>
#include <utility>
#include <vector>

#include "autograd/ops.hpp"
#include "autograd/window.hpp"
#include "tensor/kernels.hpp"
#include "tensor/rows.hpp"

namespace HEED_NAMESPACE {

namespace {

struct Pool {
  Size planes;
  SlidingWindow down, across;
  std::vector<std::pair<Size, Size>> inside;  // by tap across: outputs for which it reads an element
  Shape shape;                                // of the result

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
    for (Size tap = 0; tap < across.taps; tap++) inside.push_back(across.inside(tap));
  }

  // Calls f(output, input) for every element under every window, tap by tap, so that windows side by side become vector
  // code. Outputs of one plane stay on one thread.
  template <class F>
  void each_element(const F& f) const {
    count_work(planes * down.out * across.out * down.taps * across.taps);
    Size work = down.out * across.out * down.taps * across.taps;
    parallel_for(planes, std::max<Size>(1, kernel::grain / work), [&](Size begin, Size end) {
      for (Size row = begin * down.out; row < end * down.out; row++)
        for (Size tap = 0; tap < down.taps; tap++) {
          Size in = down.at(row % down.out, tap);
          if (in >= 0 && in < down.in) one_row(row * across.out, (row / down.out * down.in + in) * across.in, f);
        }
    });
  }

  // How much one element counts in the mean of its window, for the windows of one plane.
  Tensor shares() const {
    auto covered = [](const SlidingWindow& window, Size i) {
      return std::min(window.in, window.at(i, window.taps)) - std::max<Size>(0, window.at(i, 0));
    };
    Tensor out({down.out, across.out});
    real* to = out.mut();
    for (Size i = 0; i < out.numel(); i++)
      to[i] = 1 / static_cast<real>(covered(down, i / across.out) * covered(across, i % across.out));
    return out;
  }

 private:
  template <class F>
  void one_row(Size output, Size input, const F& f) const {
    if (across.stride == 2 && across.taps == 2 && across.padding == 0) return pairs(output, input, across.out, f);
    for (Size tap = 0; tap < across.taps; tap++) {
      auto [first, last] = inside[static_cast<std::size_t>(tap)];
      for (Size j = first; j < last; j++) f(output + j, input + across.at(j, tap));
    }
  }

  // The usual window: both elements at once, so that whole vectors are read and written.
  template <class F>
  [[gnu::flatten]] static void pairs(Size output, Size input, Size count, F f) {
#pragma omp simd simdlen(8)
    for (Size j = 0; j < count; j++) {
      f(output + j, input + 2 * j);
      f(output + j, input + 2 * j + 1);
    }
  }
};

}  // namespace

Var max_pool(const Var& x, const Pooling& how) {
  Pool pool("max_pool", x, how);
  Tensor in = x.value().compact(), y(pool.shape, kernel::none);
  pool.each_element([out = y.mut(), from = in.data()](Size i, Size at) {
    bool larger = (from[at] > out[i]) | (from[at] != from[at]);
    out[i] = larger ? from[at] : out[i];
  });
  return op("max_pool", y, {{x, [in, y, pool](const Tensor& gradient) {
                               Tensor g = gradient.compact(), dx(in.shape(), 0);
                               std::vector<int> done(static_cast<std::size_t>(y.numel()));  // the first wins
                               pool.each_element([taken = done.data(), to = dx.mut(), from = in.data(), best = y.data(),
                                                  up = g.data()](Size i, Size at) {
                                 int same = (from[at] == best[i]) | ((from[at] != from[at]) & (best[i] != best[i]));
                                 int mine = same & ~taken[i];
                                 taken[i] |= same;
                                 to[at] += mine ? up[i] : 0;
                               });
                               return dx;
                             }}});
}

Var mean_pool(const Var& x, const Pooling& how) {
  Pool pool("mean_pool", x, how);
  Tensor in = x.value().compact(), y(pool.shape, 0), share = pool.shares();
  auto times = [](real value, real factor) { return value * factor; };
  pool.each_element([out = y.mut(), from = in.data()](Size i, Size at) { out[i] += from[at]; });
  return op("mean_pool", map(times, std::move(y), share),
            {{x, [=, shape = x.shape()](const Tensor& gradient) {
                Tensor g = map(times, gradient, share), dx(shape, 0);
                pool.each_element([to = dx.mut(), up = g.data()](Size i, Size at) { to[at] += up[i]; });
                return dx;
              }}});
}

}  // namespace HEED_NAMESPACE

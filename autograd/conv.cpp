// Convolutions. A convolution is a product of the kernels with columns, one for each output position, that
// hold what lies under the kernel there (Chellapilla, Puri, Simard 2006, "High performance convolutional neural
// networks for document processing"). Columns are made for a block of positions that fits a cache, and made again for
// the gradients: memory does not grow with the kernel. One axis is two, the first of length 1.
#include <algorithm>

#include "autograd/ops.hpp"
#include "autograd/window.hpp"
#include "tensor/gemm.hpp"
#include "tensor/kernels.hpp"

namespace HEED_NAMESPACE {

namespace {

struct Problem {
  Size batch, channels, filters, groups;  // channels and filters of one group
  SlidingWindow down, across;

  Size taps() const { return down.taps * across.taps; }
  Size area() const { return down.in * across.in; }
  Size positions() const { return down.out * across.out; }
  Size work() const { return batch * groups * filters * channels * taps() * positions(); }
  // The columns are the input itself.
  bool pointwise() const {
    return taps() == 1 && down.stride == 1 && across.stride == 1 && down.padding == 0 && across.padding == 0;
  }
};

// A stretch of channels and of positions at a time. Bounds depend on the problem alone, so that results do not depend
// on the number of threads.
struct Blocks {
  Size channels, positions, across, down;  // sizes, and how many of them

  Blocks(const Problem& p, Size channels_at_once)
      : channels(std::clamp<Size>(channels_at_once, 1, std::max<Size>(1, p.channels))),
        positions(std::min(p.positions(), std::max<Size>(64, (Size(1) << 16) / (channels * p.taps())))),
        across((p.positions() + positions - 1) / positions),
        down((p.channels + channels - 1) / channels) {}
};

// Calls f(column, offset, count) for the runs of positions [begin, end) where this tap reads elements: columns count
// from begin, the first reads plane[offset], each next one across.stride further.
template <class F>
void each_run(const Problem& p, Size tap, Size begin, Size end, const F& f) {
  Size tap_down = tap / p.across.taps, tap_across = tap % p.across.taps, wide = p.across.out;
  auto [lowest, highest] = p.across.inside(tap_across);
  for (Size row = begin / wide; row * wide < end; row++) {
    Size start = row * wide, from = p.down.at(row, tap_down);
    Size first = std::max(lowest, begin - start), last = std::min(highest, end - start);
    if (from >= 0 && from < p.down.in && first < last)
      f(start - begin + first, from * p.across.in + p.across.at(first, tap_across), last - first);
  }
}

// (channels taps, end - begin): what lies under the kernels at these positions, x the first channel's plane.
Matrix columns(const Problem& p, const real* x, Size channels, Size begin, Size end, real* out) {
  if (p.pointwise()) return {x + begin, p.area()};
  Size n = end - begin, step = p.across.stride;
  for (Size i = 0; i < channels * p.taps(); i++) {
    const real* plane = x + i / p.taps() * p.area();
    real* row = out + i * n;
    if (p.down.padding > 0 || p.across.padding > 0) std::fill_n(row, n, real(0));
    each_run(p, i % p.taps(), begin, end, [=](Size column, Size offset, Size count) {
      const real* from = plane + offset;
      real* to = row + column;
      if (step == 1) return void(std::copy_n(from, count, to));
      for (Size k = 0; k < count; k++) to[k] = from[k * step];
    });
  }
  return {out, n};
}

// The opposite: adds columns to the elements that they were copied from.
void add_columns(const Problem& p, const real* in, Size channels, Size begin, Size end, real* dx) {
  Size n = end - begin, step = p.across.stride;
  for (Size i = 0; i < channels * p.taps(); i++) {
    real* plane = dx + i / p.taps() * p.area();
    const real* row = in + i * n;
    each_run(p, i % p.taps(), begin, end, [=](Size column, Size offset, Size count) {
      const real* from = row + column;
      real* to = plane + offset;
      if (step == 1) {
#pragma omp simd
        for (Size k = 0; k < count; k++) to[k] += from[k];
      } else {
        for (Size k = 0; k < count; k++) to[k * step] += from[k];
      }
    });
  }
}

// Calls f(item, scratch) for all items; scratch holds the columns of one block.
template <class F>
void each_item(const Problem& p, const Blocks& blocks, Size items, const F& f) {
  count_work(p.work());
  Size each = std::max<Size>(1, p.work() / std::max<Size>(1, items));
  parallel_for(items, std::max<Size>(1, (Size(1) << 18) / each), [&](Size begin, Size end) {
    Tensor scratch({blocks.channels * p.taps() * blocks.positions});
    for (Size i = begin; i < end; i++) f(i, scratch.mut());
  });
}

Tensor forward(const Problem& p, const Tensor& x, const Tensor& w, const Tensor& b) {
  Tensor y({p.batch, p.groups * p.filters, p.positions()});
  real* out = y.mut();
  Size depth = p.channels * p.taps(), n = p.positions();
  Blocks blocks(p, p.channels);
  each_item(p, blocks, p.batch * p.groups * blocks.across, [&](Size item, real* scratch) {
    Size plane = item / blocks.across, group = plane % p.groups;
    Size begin = item % blocks.across * blocks.positions, end = std::min(n, begin + blocks.positions);
    real* to = out + plane * p.filters * n + begin;
    for (Size f = 0; f < p.filters && b.defined(); f++)
      std::fill_n(to + f * n, end - begin, b.data()[group * p.filters + f]);
    Matrix under = columns(p, x.data() + plane * p.channels * p.area(), p.channels, begin, end, scratch);
    gemm({w.data() + group * p.filters * depth, depth}, under, to, n, p.filters, end - begin, depth, 1,
         b.defined() ? real(1) : real(0));
  });
  return y;
}

// About 128 rows of columns at a time: enough for a product to be fast, and channels are what threads share.
Blocks for_gradients(const Problem& p) { return {p, 128 / p.taps()}; }

Tensor input_gradient(const Problem& p, const Tensor& w, const Tensor& g) {
  Tensor dx({p.batch, p.groups * p.channels, p.area()}, 0);
  real* out = dx.mut();
  Size depth = p.channels * p.taps(), n = p.positions();
  Blocks blocks = for_gradients(p);
  each_item(p, blocks, p.batch * p.groups * blocks.down, [&](Size item, real* scratch) {
    Size plane = item / blocks.down, first = item % blocks.down * blocks.channels;
    Size channels = std::min(blocks.channels, p.channels - first), rows = channels * p.taps();
    real* to = out + (plane * p.channels + first) * p.area();
    Matrix kernels{w.data() + (plane % p.groups * p.filters * p.channels + first) * p.taps(), depth, true};
    for (Size begin = 0; begin < n; begin += blocks.positions) {
      Size end = std::min(n, begin + blocks.positions);
      Matrix up{g.data() + plane * p.filters * n + begin, n};
      if (p.pointwise()) {
        gemm(kernels, up, to + begin, n, rows, end - begin, p.filters);
      } else {
        gemm(kernels, up, scratch, end - begin, rows, end - begin, p.filters);
        add_columns(p, scratch, channels, begin, end, to);
      }
    }
  });
  return dx;
}

Tensor kernel_gradient(const Problem& p, const Tensor& x, const Tensor& g) {
  Size depth = p.channels * p.taps(), n = p.positions(), filters = p.groups * p.filters;
  Blocks blocks = for_gradients(p);
  // With few channels, parts of the batch are summed apart, at most eight.
  Size parts = std::clamp<Size>(8 / std::max<Size>(1, p.groups * blocks.down), 1, std::max<Size>(1, p.batch));
  Size most = (p.batch + parts - 1) / parts;
  Tensor dw({parts, filters, depth}, 0);
  real* out = dw.mut();
  each_item(p, blocks, parts * p.groups * blocks.down, [&](Size item, real* scratch) {
    Size part = item / (p.groups * blocks.down), group = item / blocks.down % p.groups;
    Size first = item % blocks.down * blocks.channels;
    Size channels = std::min(blocks.channels, p.channels - first);
    real* to = out + (part * filters + group * p.filters) * depth + first * p.taps();
    for (Size b = part * most; b < std::min(p.batch, (part + 1) * most); b++)
      for (Size begin = 0; begin < n; begin += blocks.positions) {
        Size end = std::min(n, begin + blocks.positions), plane = b * p.groups + group;
        const real* from = x.data() + (plane * p.channels + first) * p.area();
        Matrix under = columns(p, from, channels, begin, end, scratch);
        gemm({g.data() + plane * p.filters * n + begin, n}, {under.data, under.stride, true}, to, depth, p.filters,
             channels * p.taps(), end - begin, 1, 1);
      }
  });
  int first[] = {0};
  return sum(dw, first);
}

Var convolution(const char* name, int axes, const Var& x, const Var& w, const Var& b, const Convolution& how) {
  check(x.rank() == axes + 2 && w.rank() == axes + 2, name, "expected ", axes + 2, " axes each, got ", x.shape(),
        " and kernels ", w.shape());
  check(how.groups > 0 && w.numel() > 0 && x.size(1) == w.size(1) * how.groups && w.size(0) % how.groups == 0, name,
        "input ", x.shape(), " and kernels ", w.shape(), " do not fit with ", how.groups,
        how.groups == 1 ? " group" : " groups");
  check(!b.defined() || b.shape() == Shape{w.size(0)}, name, "expected a bias of shape (", w.size(0), "), got ",
        b.defined() ? b.shape() : Shape{});
  auto axis = [&](int i) { return SlidingWindow(name, x.size(i), w.size(i), how.stride, how.padding, how.dilation); };
  Problem p{x.size(0), w.size(1), w.size(0) / how.groups, how.groups, axes == 2 ? axis(-2) : SlidingWindow(), axis(-1)};
  Tensor in = x.value().compact(), kernels = w.value().compact();
  Tensor y = forward(p, in, kernels, b.defined() ? b.value().compact() : Tensor());
  Shape shape = x.shape().with(1, w.size(0)).with(-1, p.across.out);
  if (axes == 2) shape = shape.with(-2, p.down.out);
  std::vector<Edge> edges{
      {x, [p, kernels,
           from = x.shape()](const Tensor& g) { return input_gradient(p, kernels, g.compact()).reshape(from); }},
      {w, [p, in, from = w.shape()](const Tensor& g) { return kernel_gradient(p, in, g.compact()).reshape(from); }}};
  if (b.defined())
    edges.push_back({b, [](const Tensor& g) {
                       int all_but_filters[] = {0, 2, 3};
                       return sum(g, std::span<const int>(all_but_filters, static_cast<std::size_t>(g.rank() - 1)));
                     }});
  return op(name, y.reshape(shape), std::move(edges));
}

}  // namespace

Var conv1d(const Var& x, const Var& w, const Var& b, const Convolution& how) {
  return convolution("conv1d", 1, x, w, b, how);
}
Var conv2d(const Var& x, const Var& w, const Var& b, const Convolution& how) {
  return convolution("conv2d", 2, x, w, b, how);
}

}  // namespace HEED_NAMESPACE

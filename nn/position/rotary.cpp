#include "nn/position/rotary.hpp"

#include <algorithm>
#include <numeric>

#include "nn/position/sinusoidal.hpp"
#include "tensor/kernels.hpp"

namespace HEED_NAMESPACE {

namespace {

// By value, see unit_run in tensor/kernels.hpp. direction: 1 forward, -1 back.
void turn_row(const real* x, const real* turns, real* y, Size width, real direction) {
#pragma omp simd
  for (Size i = 0; i < width / 2; i++) {
    real s = direction * turns[2 * i], c = turns[2 * i + 1], a = x[2 * i], b = x[2 * i + 1];
    y[2 * i] = a * c - b * s;
    y[2 * i + 1] = a * s + b * c;
  }
  if (width % 2) y[width - 1] = x[width - 1];
}

// Every row of x (..., N, d) turned by its row of the table (N, d), the sinusoidal positions.
Tensor turn(const Tensor& input, const Tensor& table, real direction) {
  Tensor x = input.strides()[-1] == 1 ? input : input.compact();
  // Rows are taken as they lie in memory, and laid down so: heads that were split by a view stay where merge_heads()
  // finds them.
  std::vector<int> order(static_cast<std::size_t>(x.rank())), back(order.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end() - 1, [&](int a, int b) { return x.strides()[a] > x.strides()[b]; });
  for (std::size_t i = 0; i < order.size(); i++) back[static_cast<std::size_t>(order[i])] = static_cast<int>(i);
  Tensor y(x.permute(order).shape());
  Shape rows = y.shape().erase(-1), steps = rows, turns = rows;
  for (int i = 0; i < rows.rank(); i++) {
    int axis = order[static_cast<std::size_t>(i)];
    steps[i] = x.strides()[axis];
    turns[i] = axis == x.rank() - 2 ? table.strides()[0] : 0;
  }
  kernel::Walk<2> walk(rows, {steps, turns});
  const real *from = x.data(), *angles = table.data();
  real* to = y.mut();
  Size width = x.size(-1);
  count_work(2 * x.numel());
  parallel_for(rows.numel(), kernel::grain / std::max<Size>(1, width), [&](Size begin, Size end) {
    walk.runs(begin, end, [&](Size at, const std::array<Size, 2>& offsets, Size count) {
      for (Size i = 0; i < count; i++)
        turn_row(from + offsets[0] + i * walk.step(0), angles + offsets[1] + i * walk.step(1), to + (at + i) * width,
                 width, direction);
    });
  });
  return y.permute(back);
}

}  // namespace

Var rotary(const Var& x, Size first) {
  check(x.rank() >= 2, "rotary", "expected (..., N, d), got ", x.shape());
  Tensor table = sinusoidal_positions(x.size(-2), x.size(-1), first);
  return op("rotary", turn(x.value(), table, 1), {{x, [table](const Tensor& grad) { return turn(grad, table, -1); }}});
}

}  // namespace HEED_NAMESPACE

// Looking things up by number. Ids are plain ints; the gradient of a lookup adds up in the row that was read.
#include "autograd/ops.hpp"
#include "tensor/kernels.hpp"

namespace HEED_NAMESPACE {

Var embedding(const Var& table, std::span<const int> ids, const Shape& shape, int padding) {
  check(table.rank() == 2, "embedding", "expected a table of shape (V, D), got ", table.shape());
  check(static_cast<Size>(ids.size()) == shape.numel(), "embedding", "shape ", shape, " needs ", shape.numel(),
        " ids, got ", ids.size());
  Size rows = table.size(0), d = table.size(1);
  Tensor from = table.value().compact(), y(shape.insert(-1, d));
  real* out = y.mut();
  count_work(y.numel());
  for (std::size_t i = 0; i < ids.size(); i++)
    check(ids[i] >= 0 && ids[i] < rows, "embedding", "id ", ids[i], " at position ", i, " is outside a table of ", rows,
          " rows");
  parallel_for(shape.numel(), std::max<Size>(1, kernel::grain / std::max<Size>(1, d)), [&](Size begin, Size end) {
    for (Size i = begin; i < end; i++) {
      int id = ids[static_cast<std::size_t>(i)];
      id == padding ? void(std::fill_n(out + i * d, d, real(0)))
                    : void(std::copy_n(from.data() + id * d, d, out + i * d));
    }
  });
  return op("embedding", std::move(y),
            {{table, [ids = std::vector<int>(ids.begin(), ids.end()), rows, d, padding](const Tensor& gradient) {
                Tensor g = gradient.compact(), dtable({rows, d}, 0);
                real* to = dtable.mut();
                count_work(g.numel());
                // Threads share columns: two ids may name one row.
                Size grain = std::max<Size>(16, kernel::grain / std::max<Size>(1, static_cast<Size>(ids.size())));
                parallel_for(d, grain, [&](Size begin, Size end) {
                  for (std::size_t i = 0; i < ids.size(); i++) {
                    if (ids[i] == padding) continue;
                    real* sum = to + ids[i] * d;
                    const real* part = g.data() + static_cast<Size>(i) * d;
#pragma omp simd
                    for (Size j = begin; j < end; j++) sum[j] += part[j];
                  }
                });
                return dtable;
              }}});
}

Var gather(const Var& x, std::span<const int> index) {
  Size n = x.rank() ? x.size(-1) : 0, rows = n ? x.numel() / n : 0;
  check(n > 0 && static_cast<Size>(index.size()) == rows, "gather", "expected one index a row of ", x.shape(), ", got ",
        index.size());
  Tensor in = x.value().compact(), y(x.shape().erase(-1));
  real* out = y.mut();
  count_work(rows);
  for (Size i = 0; i < rows; i++) {
    int at = index[static_cast<std::size_t>(i)];
    check(at >= 0 && at < n, "gather", "index ", at, " of row ", i, " is outside 0 to ", n - 1);
    out[i] = in.data()[i * n + at];
  }
  return op("gather", std::move(y),
            {{x, [index = std::vector<int>(index.begin(), index.end()), shape = x.shape(), n](const Tensor& gradient) {
                Tensor g = gradient.compact(), dx(shape, 0);
                real* to = dx.mut();
                for (Size i = 0; i < g.numel(); i++) to[i * n + index[static_cast<std::size_t>(i)]] = g.data()[i];
                count_work(g.numel());
                return dx;
              }}});
}

}  // namespace HEED_NAMESPACE

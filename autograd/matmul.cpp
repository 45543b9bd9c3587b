// Products. A batch times one matrix is one tall product: the batch is folded into the rows, forward and backward.
#include "autograd/ops.hpp"
#include "tensor/gemm.hpp"
#include "tensor/kernels.hpp"

namespace HEED_NAMESPACE {

namespace {
Tensor fold(const Tensor& x) { return x.reshape({x.shape().with(-1, 1).numel(), x.size(-1)}); }

// sum += a b, or = when there is none yet, as a tensor of that shape.
void add_product(Tensor& sum, const Tensor& a, const Tensor& b, const Shape& shape) {
  Tensor start = sum.defined() ? sum.reshape({a.size(0), b.size(1)}) : Tensor();
  sum = {};  // the product takes its memory
  sum = matmul(a, b, std::move(start)).reshape(shape);
}
}  // namespace

Var matmul(const Var& a, const Var& b) {
  if (b.rank() == 2 && a.rank() > 2) return linear(a, b);
  return op("matmul", matmul(a.value(), b.value()),
            {{a, [y = b.value()](const Tensor& g) { return matmul(g, y.transpose()); }},
             {b, [x = a.value()](const Tensor& g) { return matmul(x.transpose(), g); }}});
}

Var linear(const Var& x, const Var& w, const Var& b) {
  check(w.rank() == 2 && x.rank() >= 1 && x.size(-1) == w.size(0), "linear", "inner sizes differ: ", x.shape(), " x ",
        w.shape());
  check(!b.defined() || b.shape() == Shape{w.size(1)}, "linear", "expected a bias of shape (", w.size(1), "), got ",
        b.defined() ? b.shape() : Shape{});
  Tensor rows = fold(x.value());
  Tensor start = b.defined() ? b.value().expand({rows.size(0), w.size(1)}) : Tensor();
  Tensor y = matmul(rows, w.value(), std::move(start)).reshape(x.shape().with(-1, w.size(1)));
  std::vector<Edge> edges{{x,
                           {},
                           [w = w.value(), shape = x.shape()](const Tensor& g, Tensor& sum) {
                             add_product(sum, fold(g), w.transpose(), shape);
                           }},
                          {w, {}, [rows, shape = w.shape()](const Tensor& g, Tensor& sum) {
                             add_product(sum, rows.transpose(), fold(g), shape);
                           }}};
  if (b.defined()) edges.push_back({b, [](const Tensor& g) { return g; }});
  return op("linear", std::move(y), std::move(edges));
}

}  // namespace HEED_NAMESPACE

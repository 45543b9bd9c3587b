// Losses that need no row statistics; cross_entropy stands with its relatives in softmax.cpp.
#include <cmath>

#include "autograd/ops.hpp"
#include "tensor/kernels.hpp"
#include "tensor/math.hpp"

namespace HEED_NAMESPACE {

Var binary_cross_entropy(const Var& logits, const Tensor& targets) {
  check(targets.defined() && targets.shape() == logits.shape(), "binary_cross_entropy", "logits ", logits.shape(),
        " and targets ", targets.shape(), " differ");
  Tensor each = map([](real x, real t) { return (x > 0 ? x : 0) - x * t + std::log1p(std::exp(-std::abs(x))); },
                    logits.value(), targets);
  Var losses = op("binary_cross_entropy", std::move(each),
                  {{logits, [x = logits.value(), targets](const Tensor& grad) {
                      return map([](real g, real v, real t) { return g * (kernel::sigmoid(v) - t); }, grad, x, targets);
                    }}});
  return mean(losses);
}

Var mse(const Var& x, const Var& target) {
  check(x.shape() == target.shape(), "mse", "prediction ", x.shape(), " and target ", target.shape(), " differ");
  Var difference = x - target;
  return mean(difference * difference);
}

}  // namespace HEED_NAMESPACE

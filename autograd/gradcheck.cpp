#include "autograd/gradcheck.hpp"

#include <cmath>
#include <limits>

#include "tensor/kernels.hpp"
#include "tensor/rng.hpp"

namespace HEED_NAMESPACE {

namespace {
double dot(const Tensor& a, const Tensor& b) {
  std::vector<real> x = a.to_vector(), y = b.to_vector();
  double total = 0;
  for (std::size_t i = 0; i < x.size(); i++) total += static_cast<double>(x[i]) * static_cast<double>(y[i]);
  return total;
}
}  // namespace

double gradcheck(const std::function<Var(const std::vector<Var>&)>& f, const std::vector<Tensor>& inputs,
                 const GradCheck& options) {
  Rng rng(options.seed);
  std::vector<Var> leaves;
  for (const Tensor& input : inputs) leaves.push_back(Var::parameter(input));
  Var y = f(leaves);
  Tensor weights = rng.uniform(y.shape(), 1);
  y.backward(weights);

  double worst = 0;
  for (std::size_t i = 0; i < inputs.size(); i++) {
    Tensor direction = rng.uniform(inputs[i].shape(), 1);
    auto value_at = [&](double t) {
      std::vector<Var> moved(inputs.begin(), inputs.end());
      auto step = static_cast<real>(t);
      moved[i] = map([step](real x, real d) { return x + step * d; }, inputs[i], direction);
      return dot(f(moved).value(), weights);
    };
    double expected = (value_at(options.step) - value_at(-options.step)) / (2 * options.step);
    if (!leaves[i].grad().defined()) return std::numeric_limits<double>::infinity();
    double difference = std::abs(dot(leaves[i].grad(), direction) - expected) / std::max(1.0, std::abs(expected));
    worst = std::isnan(difference) ? std::numeric_limits<double>::infinity() : std::max(worst, difference);
  }
  return worst;
}

}  // namespace HEED_NAMESPACE

// average.hpp — a running average of the weights, often better than the last weights and nearly free.
#pragma once

#include <algorithm>
#include <vector>

#include "nn/module.hpp"
#include "nn/optim/optimizer.hpp"
#include "tensor/kernels.hpp"

namespace HEED_NAMESPACE {

/// Exponential moving average of parameters: a = d a + (1 - d) p with d = min(decay, (1 + t) / (10 + t)) at update t,
/// so that early weights are forgotten (Polyak, Juditsky 1992). swap() exchanges averages and weights: once before
/// evaluation, once after.
class WeightAverage {
 public:
  WeightAverage(std::vector<Parameter> parameters, double decay)
      : parameters_(distinct(std::move(parameters))), decay_(decay) {
    for (const Parameter& p : parameters_) averages_.push_back(p.var.value());
  }
  void update() {  ///< After each step of the optimizer.
    updates_++;
    double t = static_cast<double>(updates_);
    auto d = static_cast<real>(std::min(decay_, (1 + t) / (10 + t)));
    for (std::size_t i = 0; i < averages_.size(); i++)
      averages_[i] =
          map([d](real a, real p) { return d * a + (1 - d) * p; }, std::move(averages_[i]), parameters_[i].var.value());
  }
  void swap() {  ///< Exchanges parameters and averages.
    for (std::size_t i = 0; i < averages_.size(); i++) std::swap(averages_[i], parameters_[i].var.value());
  }
  /// What has to be saved to resume exactly, and its opposite. Throws Error when a name or shape does not fit.
  std::vector<NamedTensor> state() const {
    std::vector<NamedTensor> state{{"average.updates", Tensor::scalar(static_cast<real>(updates_))}};
    for (std::size_t i = 0; i < averages_.size(); i++)
      state.emplace_back("average." + parameters_[i].name, averages_[i]);
    return state;
  }
  void load_state(const std::vector<NamedTensor>& state) {  ///< Restores what state() gave.
    auto find = [&](const std::string& name, const Shape& shape) {
      return find_tensor("WeightAverage", state, "average." + name, shape);
    };
    Size updates = static_cast<Size>(find("updates", Shape{}).item());
    std::vector<Tensor> averages;
    for (const Parameter& p : parameters_) averages.push_back(find(p.name, p.var.shape()));
    updates_ = updates;
    averages_ = std::move(averages);
  }

 private:
  std::vector<Parameter> parameters_;
  std::vector<Tensor> averages_;
  double decay_;
  Size updates_ = 0;
};

}  // namespace HEED_NAMESPACE

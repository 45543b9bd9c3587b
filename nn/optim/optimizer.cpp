#include "nn/optim/optimizer.hpp"

#include <algorithm>
#include <cmath>

#include "tensor/kernels.hpp"

namespace HEED_NAMESPACE {

const Tensor& find_tensor(const char* who, const std::vector<NamedTensor>& state, const std::string& name,
                          const Shape& shape) {
  auto it = std::find_if(state.begin(), state.end(), [&](const NamedTensor& t) { return t.first == name; });
  check(it != state.end(), who, "the state has no \"", name, '"');
  check(it->second.shape() == shape, who, '"', name, "\" has shape ", it->second.shape(), ", expected ", shape);
  return it->second;
}

Optimizer::Optimizer(std::vector<Parameter> parameters, double learning_rate, std::vector<std::string> slots)
    : lr(learning_rate), parameters_(distinct(std::move(parameters))), slot_names_(std::move(slots)) {
  for (const Parameter& p : parameters_) {
    check(p.var.requires_grad(), "Optimizer", "\"", p.name, "\" is not a parameter");
    slots_.emplace_back(slot_names_.size(), Tensor::scalar(0).expand(p.var.shape()));
  }
  counts_.resize(parameters_.size());
}

void Optimizer::step() {
  bool any =
      std::any_of(parameters_.begin(), parameters_.end(), [](const Parameter& p) { return p.var.grad().defined(); });
  if (!any) return;
  steps_++;
  // One pass over all parameters, since most are small: pieces of them are what threads share.
  struct Piece {
    std::size_t update;
    Size begin, end;
  };
  std::vector<Update> updates;
  std::vector<Piece> pieces;
  Size elements = 0;
  for (std::size_t i = 0; i < parameters_.size(); i++) {
    Parameter& p = parameters_[i];
    if (!p.var.grad().defined()) continue;
    Update u{p.var.value().mut(),
             std::exchange(p.var.grad(), Tensor()).compact(),
             {},
             ++counts_[i],
             lr * p.lr_scale,
             p.decay};
    for (std::size_t k = 0; k < slots_[i].size(); k++) u.slots[k] = slots_[i][k].mut();
    for (Size begin = 0; begin < u.grad.numel(); begin += kernel::grain)
      pieces.push_back({updates.size(), begin, std::min(u.grad.numel(), begin + kernel::grain)});
    elements += u.grad.numel();
    updates.push_back(std::move(u));
  }
  count_work(elements);
  auto count = static_cast<Size>(pieces.size());
  parallel_for(count, elements < kernel::grain ? count : 1, [&](Size begin, Size end) {
    for (; begin < end; begin++) {
      const Piece& piece = pieces[static_cast<std::size_t>(begin)];
      update(updates[piece.update], piece.begin, piece.end);
    }
  });
}

void Optimizer::clear_gradients() {
  for (Parameter& p : parameters_) p.var.grad() = Tensor();
}

std::vector<NamedTensor> Optimizer::state() const {
  std::vector<NamedTensor> state{{"optimizer.steps", Tensor::scalar(static_cast<real>(steps_))}};
  for (std::size_t i = 0; i < parameters_.size(); i++) {
    state.emplace_back("optimizer.count." + parameters_[i].name, Tensor::scalar(static_cast<real>(counts_[i])));
    for (std::size_t k = 0; k < slot_names_.size(); k++)
      state.emplace_back("optimizer." + slot_names_[k] + "." + parameters_[i].name, slots_[i][k]);
  }
  return state;
}

void Optimizer::load_state(const std::vector<NamedTensor>& state) {
  auto find = [&](const std::string& name, const Shape& shape) {
    return find_tensor("Optimizer", state, "optimizer." + name, shape);
  };
  Size steps = static_cast<Size>(find("steps", Shape{}).item());
  std::vector<std::vector<Tensor>> slots = slots_;
  std::vector<Size> counts;
  for (std::size_t i = 0; i < parameters_.size(); i++) {
    counts.push_back(static_cast<Size>(find("count." + parameters_[i].name, Shape{}).item()));
    for (std::size_t k = 0; k < slot_names_.size(); k++)
      slots[i][k] = find(slot_names_[k] + "." + parameters_[i].name, parameters_[i].var.shape());
  }
  steps_ = steps;
  slots_ = std::move(slots);
  counts_ = std::move(counts);
}

Sgd::Sgd(std::vector<Parameter> parameters, SgdOptions options)
    : Optimizer(std::move(parameters), options.lr,
                options.momentum != 0 ? std::vector<std::string>{"v"} : std::vector<std::string>{}),
      options_(options) {}

void Sgd::update(const Update& u, Size begin, Size end) const {
  auto step = static_cast<real>(u.rate), mu = static_cast<real>(options_.momentum);
  auto lambda = static_cast<real>(u.decay ? options_.weight_decay : 0);
  real *p = u.value, *v = u.slots[0];
  const real* g = u.grad.data();
  bool nesterov = options_.nesterov;
#pragma omp simd
  for (Size i = begin; i < end; i++) {
    real d = g[i] + lambda * p[i];
    if (v) {
      v[i] = mu * v[i] + d;
      d = nesterov ? d + mu * v[i] : v[i];
    }
    p[i] -= step * d;
  }
}

Adam::Adam(std::vector<Parameter> parameters, AdamOptions options)
    : Optimizer(std::move(parameters), options.lr, {"m", "v"}), options_(options) {}

void Adam::update(const Update& u, Size begin, Size end) const {
  double t = static_cast<double>(u.count), lambda = u.decay ? options_.weight_decay : 0;
  auto b1 = static_cast<real>(options_.beta1), b2 = static_cast<real>(options_.beta2);
  auto rest1 = static_cast<real>(1 - options_.beta1), rest2 = static_cast<real>(1 - options_.beta2);
  auto root = static_cast<real>(1 / std::sqrt(1 - std::pow(options_.beta2, t))), eps = static_cast<real>(options_.eps);
  auto step = static_cast<real>(u.rate / (1 - std::pow(options_.beta1, t)));
  auto shrink = static_cast<real>(decoupled_ ? 1 - u.rate * lambda : 1);
  auto l2 = static_cast<real>(decoupled_ ? 0 : lambda);
  real *p = u.value, *m = u.slots[0], *v = u.slots[1];
  const real* g = u.grad.data();
#pragma omp simd
  for (Size i = begin; i < end; i++) {
    real d = g[i] + l2 * p[i];
    m[i] = b1 * m[i] + rest1 * d;
    v[i] = b2 * v[i] + rest2 * d * d;
    p[i] = p[i] * shrink - step * m[i] / (std::sqrt(v[i]) * root + eps);
  }
}

}  // namespace HEED_NAMESPACE

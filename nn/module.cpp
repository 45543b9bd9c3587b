#include "nn/module.hpp"

#include <algorithm>
#include <iomanip>

namespace HEED_NAMESPACE {

Size Module::parameter_count() const {
  Size total = 0;
  for (const Parameter& p : parameters_)
    if (p.lr_scale != 0) total += p.var.numel();
  return total;
}

Var Module::param(const std::string& name, Tensor value, bool decay) {
  add({name, Var::parameter(std::move(value)), decay});
  return parameters_.back().var;
}

void Module::add(Parameter parameter) {
  for (const Parameter& p : parameters_) {
    check(p.name != parameter.name, "Module", "two parameters are named \"", p.name, '"');
    if (p.var.same(parameter.var)) return;
  }
  parameters_.push_back(std::move(parameter));
}

std::vector<Parameter> distinct(std::vector<Parameter> parameters) {
  std::vector<Parameter> kept;
  for (Parameter& p : parameters) {
    auto same = [&](const Parameter& q) { return q.var.same(p.var); };
    if (std::any_of(kept.begin(), kept.end(), same)) continue;
    for (const Parameter& q : kept) check(q.name != p.name, "Module", "two parameters are named \"", p.name, '"');
    kept.push_back(std::move(p));
  }
  return kept;
}

std::string summary(const Module& module) {
  std::size_t width = 9;
  for (const Parameter& p : module.parameters()) width = std::max(width, p.name.size());
  std::ostringstream out;
  for (const Parameter& p : module.parameters())
    out << std::left << std::setw(static_cast<int>(width) + 2) << p.name << std::setw(16) << p.var.shape().str()
        << std::right << std::setw(12) << p.var.numel() << '\n';
  out << std::left << std::setw(static_cast<int>(width) + 18) << "total" << std::right << std::setw(12)
      << module.parameter_count() << '\n';
  return out.str();
}

}  // namespace HEED_NAMESPACE

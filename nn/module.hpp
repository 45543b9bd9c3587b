// module.hpp — a layer is a plain struct that names each of its parameters once.
//
//   struct Linear : Module {
//     Var w, b;
//     Linear(int in, int out, Rng& rng) : w(param("w", xavier_uniform({in, out}, rng))), b(param("b", Tensor({out},
//     0))) {} Var operator()(const Var& x) const { return linear(x, w, b); }
//   };
// The list holds handles, so modules copy, move and sit in vectors freely; copies share their parameters. Rule: never
// assign a new Var to a parameter member; write `w.value() = t`.
#pragma once

#include <string>
#include <vector>

#include "autograd/var.hpp"

namespace HEED_NAMESPACE {

/// A trainable array, its name in checkpoints, and how optimizers treat it. To form groups, edit these fields in the
/// list that parameters() returns before giving it to an optimizer.
struct Parameter {
  std::string name;     ///< dots between the names of layers
  Var var;              ///< the numbers, shared with the layer
  bool decay = true;    ///< whether weight decay applies; off for biases, norms and embeddings
  double lr_scale = 1;  ///< multiplies the learning rate; 0 for what is not learned, see Module::fixed()
};

/// Base of every layer and model: the list of its parameters.
struct Module {
  /// Every parameter once, in order of registration, even when it was registered under two names (tied weights).
  const std::vector<Parameter>& parameters() const { return parameters_; }
  /// Number of trainable numbers (not those of lr_scale 0).
  Size parameter_count() const;

 protected:
  /// Registers a parameter. By default weight decay applies to arrays of two axes and more.
  Var param(const std::string& name, Tensor value) {
    bool decay = value.rank() >= 2;
    return param(name, std::move(value), decay);
  }
  Var param(const std::string& name, Tensor value, bool decay);  ///< `decay`: whether weight decay applies

  /// Registers numbers that are saved with the model and not learned: lr_scale is 0, and a layer uses them detached, so
  /// that they get no gradient and no optimizer touches them.
  Var fixed(const std::string& name, Tensor value) {
    add({name, Var::parameter(std::move(value)), false, 0});
    return parameters_.back().var;
  }

  /// Registers a child's parameters as `name.<their name>` and returns the child. Throws Error when a name is taken.
  template <class M>
  M sub(const std::string& name, M child) {
    for (const Parameter& p : child.parameters()) add({name + "." + p.name, p.var, p.decay, p.lr_scale});
    return child;
  }
  /// The same under the child's own names, for a layer that is nothing but a wrapper.
  void adopt(const Module& child) {
    for (const Parameter& p : child.parameters()) add(p);
  }

 private:
  void add(Parameter parameter);
  std::vector<Parameter> parameters_;
};

/// The same list with every variable once, the first name kept. Throws Error when two variables share a name.
std::vector<Parameter> distinct(std::vector<Parameter> parameters);

/// A table of names, shapes and counts, with the total; what `summary(model)` prints at the start of a run.
std::string summary(const Module& module);

/// Throws Error unless x is (B, N, D) and not empty.
inline void check_sequence(const char* name, const Var& x) {
  check(x.rank() == 3 && x.size(1) > 0, name, "expected (B, N, D) with N > 0, got ", x.shape());
}

/// The same of x (B, Nq, D) and a memory (B, Nk, D).
inline void check_sequences(const char* name, const Var& x, const Var& memory) {
  check_sequence(name, x);
  check(memory.rank() == 3 && memory.size(1) > 0 && memory.size(0) == x.size(0), name, "expected a memory of shape (",
        x.size(0), ", N, D) with N > 0, got ", memory.shape());
}

}  // namespace HEED_NAMESPACE

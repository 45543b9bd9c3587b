// optimizer.hpp — updates parameters from their gradients: what SGD and Adam have in common.
//
// step() applies the gradients and clears them, so several backward() calls before one step() add up. A parameter
// without a gradient is left alone, down to the bit: no decay, no movement of its moments. Parameters listed twice are
// updated once.
#pragma once

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "nn/module.hpp"

namespace HEED_NAMESPACE {

/// A tensor and the name it has in a checkpoint.
using NamedTensor = std::pair<std::string, Tensor>;

/// The tensor of that name. Throws Error, naming `who` asks, when there is none or it has another shape.
const Tensor& find_tensor(const char* who, const std::vector<NamedTensor>& state, const std::string& name,
                          const Shape& shape);

/// Base of the optimizers.
class Optimizer {
 public:
  virtual ~Optimizer() = default;

  /// One update with the learning rate `lr`, then the gradients are cleared. Does nothing, and does not count, when no
  /// parameter has a gradient.
  void step();
  /// Drops the gradients without an update.
  void clear_gradients();

  const std::vector<Parameter>& parameters() const { return parameters_; }  ///< in the order given, tied ones once
  /// Updates made so far.
  Size steps() const { return steps_; }
  /// Everything that has to be saved to resume exactly: moments and the step count.
  std::vector<NamedTensor> state() const;
  /// Restores what state() gave. Throws Error when a name or shape does not fit.
  void load_state(const std::vector<NamedTensor>& state);

  double lr;  ///< learning rate of the next step; schedules overwrite it

 protected:
  Optimizer(std::vector<Parameter> parameters, double learning_rate, std::vector<std::string> slots);
  /// A parameter and what a step needs of it. `slots` are its state, in the order of the names given to the
  /// constructor. `count`: how many updates it has had, this one included.
  struct Update {
    real* value;                 ///< to be moved
    Tensor grad;                 ///< compact
    std::array<real*, 2> slots;  ///< as many as were named; null else
    Size count;                  ///< updates of this parameter so far, this one included
    double rate;                 ///< learning rate, lr_scale included
    bool decay;                  ///< whether weight decay applies
  };
  /// Updates elements [begin, end) of a parameter; called from several threads.
  virtual void update(const Update& u, Size begin, Size end) const = 0;

 private:
  std::vector<Parameter> parameters_;
  std::vector<std::string> slot_names_;
  std::vector<std::vector<Tensor>> slots_;  // [parameter][slot], zeros at first
  std::vector<Size> counts_;                // [parameter]: one that gets its first gradient late starts afresh then
  Size steps_ = 0;
};

struct SgdOptions {         ///< Choices for Sgd.
  double lr = 0.1;          ///< learning rate
  double momentum = 0;      ///< share of v that is kept
  bool nesterov = false;    ///< looks one step ahead
  double weight_decay = 0;  ///< λ p added to the gradient, before momentum
};

/// v = momentum v + g, p -= lr v; Nesterov: p -= lr (g + momentum v).
class Sgd : public Optimizer {
 public:
  explicit Sgd(std::vector<Parameter> parameters, SgdOptions options = {});

 private:
  void update(const Update& u, Size begin, Size end) const override;
  SgdOptions options_;
};

struct AdamOptions {                  ///< Choices for Adam and AdamW.
  double lr = 1e-3;                   ///< learning rate
  double beta1 = 0.9, beta2 = 0.999;  ///< shares of m and v that are kept
  double eps = 1e-8;                  ///< outside the root
  double weight_decay = 0;            ///< Adam: λ p added to the gradient; AdamW: p *= 1 - lr λ first
};

/// p -= lr (m / (1 - β1^t)) / (√(v / (1 - β2^t)) + eps) with running means m of g and v of g² (Kingma, Ba 2014, arXiv
/// 1412.6980). Every element moves while its moments last, also rows of embeddings that a batch did not touch.
class Adam : public Optimizer {
 public:
  explicit Adam(std::vector<Parameter> parameters, AdamOptions options = {});

 protected:
  void update(const Update& u, Size begin, Size end) const override;
  AdamOptions options_;     ///< as given
  bool decoupled_ = false;  ///< weight decay apart from the gradient
};

/// Adam with decoupled weight decay, by default 0.01 on everything but biases, norms and embeddings (Loshchilov, Hutter
/// 2017, arXiv 1711.05101).
class AdamW : public Adam {
 public:
  explicit AdamW(std::vector<Parameter> parameters, AdamOptions options = {.weight_decay = 0.01})
      : Adam(std::move(parameters), options) {
    decoupled_ = true;
  }
};

}  // namespace HEED_NAMESPACE

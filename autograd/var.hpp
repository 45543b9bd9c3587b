// var.hpp — a value that remembers how it was computed, and the backward pass over that memory.
//
// A Tensor is a value, a Var is an identity: copies are the same variable. Graphs are built by running code, belong to
// one thread, and are freed while backward() walks them. The graph holds a number only if a pull saved it. Pulls
// capture Tensors only, so no cycle can keep a node alive, and a later write to a value copies it (Tensor::mut): the
// gradient is always that of the numbers that were used. The price: gradients are Tensors, there are no second
// derivatives.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "tensor/tensor.hpp"

namespace HEED_NAMESPACE {

class Var;
struct Node;

/// Gradient of the loss with respect to one input, given that with respect to the output. It may be larger than the
/// input along axes that were broadcast: the engine sums it down.
using Pull = std::function<Tensor(const Tensor& gradient)>;
/// The same, added to what is there: `sum` is the input's gradient so far, undefined at first. For products, which add
/// at no cost.
using PullInto = std::function<void(const Tensor& gradient, Tensor& sum)>;
/// The same for all inputs of an operation at once, in their order; an undefined Tensor means none.
using PullAll = std::function<std::vector<Tensor>(const Tensor& gradient)>;

/// A differentiable value.
class Var {
 public:
  /// Undefined: stands for "none" in optional arguments.
  Var() = default;
  /// A constant: a value through which no gradient flows.
  Var(Tensor value);  // NOLINT(google-explicit-constructor): inputs and targets need no wrapping
  /// A leaf that collects a gradient: what layers register as parameters, and inputs whose gradient is wanted.
  static Var parameter(Tensor value);

  bool defined() const { return state_ != nullptr; }  ///< false for Var()
  /// True when both are the same variable (tied weights).
  bool same(const Var& other) const { return state_ == other.state_; }
  const Tensor& value() const;  ///< the numbers; throws Error when undefined
  /// The value, to overwrite (optimizers, initialisers). A graph that still needs the old numbers keeps them.
  Tensor& value();
  const Shape& shape() const { return value().shape(); }  ///< sizes of the axes
  int rank() const { return shape().rank(); }             ///< number of axes
  Size size(int axis) const { return shape()[axis]; }     ///< size of an axis, -1 is the last
  Size numel() const { return shape().numel(); }          ///< number of elements
  /// The only element. Throws Error unless there is exactly one.
  real item() const { return value().item(); }

  /// Whether a gradient flows to this value.
  bool requires_grad() const;
  /// Gradient collected by backward(); undefined before, and for everything but parameters afterwards.
  const Tensor& grad() const;
  Tensor& grad();  ///< the same, to write
  /// The same numbers as a constant: cuts the graph.
  Var detach() const { return Var(value()); }

  /// Adds d(this)/d(parameter) to the gradient of every parameter this was computed from, and frees the graph.
  /// `seed` is the gradient of this value itself, by default 1 for a single number. Throws Error when this is a
  /// constant, when it has several elements and no seed is given, and when an earlier backward() has freed part of the
  /// graph. No recursion: a chain of a million operations is fine.
  void backward(const Tensor& seed = {}) const;

  /// The graph behind the value; empty for constants.
  std::shared_ptr<Node> node() const;

 private:
  friend Var record(const char* name, Tensor value, std::shared_ptr<Node> node);
  struct State;
  std::shared_ptr<State> state_;
};

/// A step of the graph: how a gradient goes on from a value to what it was computed from. Layers and users need only
/// Var.
struct Node {
  struct Edge {                   ///< An input, and how the gradient goes on to it.
    std::shared_ptr<Node> input;  ///< the node of the input; null for constants
    Pull pull;                    ///< empty when `into` does it, or pull_all for all inputs
    PullInto into;                ///< used when `pull` is empty
  };
  const char* op;             ///< name of the operation, in messages
  Shape shape;                ///< of the value
  Tensor grad;                ///< gradient so far; undefined at first
  std::uint64_t id;           ///< inputs are always older than outputs
  std::uint64_t visited = 0;  ///< the last backward pass that came by
  bool freed = false;         ///< an earlier backward() has passed
  std::vector<Edge> edges;    ///< empty for parameters; no input for constants
  PullAll pull_all;           ///< gradients of all edges at once, when they share work

  Node(const char* name, const Shape& value_shape);  ///< a node without edges
  Node(const Node&) = delete;
  Node& operator=(const Node&) = delete;
  ~Node();
};

/// One input of an operation and how the gradient gets back to it.
struct Edge {
  Var input;           ///< what the operation was applied to
  Pull pull;           ///< gradient of the output to that of the input
  PullInto into = {};  ///< used instead of `pull` when given
};

/// Records an operation: its name, its value, and one pull an input. Edges whose input needs no gradient are dropped
/// with all that their pull saved; under Eval nothing is recorded.
Var op(const char* name, Tensor value, std::vector<Edge> edges);
/// The same for operations whose gradients share their work.
Var op(const char* name, Tensor value, const std::vector<Var>& inputs, PullAll pull);

/// While one lives, operations of this thread record nothing and dropout passes through: evaluation, prediction.
class Eval {
 public:
  Eval() { depth()++; }
  ~Eval() { depth()--; }
  Eval(const Eval&) = delete;
  Eval& operator=(const Eval&) = delete;
  static bool on() { return depth() > 0; }  ///< whether one lives in this thread

 private:
  static int& depth();
};

/// Nodes alive in the program: a training loop must not let it grow.
Size live_nodes();

}  // namespace HEED_NAMESPACE

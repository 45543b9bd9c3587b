#include "autograd/var.hpp"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>

#include "tensor/kernels.hpp"

namespace HEED_NAMESPACE {

struct Var::State {
  Tensor value;
  std::shared_ptr<Node> node;
};

namespace {

std::atomic<std::uint64_t> created{0};
std::atomic<std::uint64_t> passes{0};
std::atomic<Size> alive{0};

// HEED_CHECK_NAN=1 stops at the operation that first makes a number that is not finite.
bool check_nan() {
  static const bool on = [] {
    const char* text = std::getenv("HEED_CHECK_NAN");
    return text && *text && std::strcmp(text, "0") != 0;
  }();
  return on;
}

// Hands over the gradient of one input: summed to its shape, checked, and added to what is there.
void accumulate(Node& input, Tensor grad, const char* op) {
  if (!grad.defined()) return;
  bool fits = grad.rank() >= input.shape.rank();
  for (int axis = -1; fits && axis >= -input.shape.rank(); axis--)
    fits = input.shape[axis] == grad.size(axis) || input.shape[axis] == 1;
  check(fits, op, "gradient of shape ", grad.shape(), " for an input of shape ", input.shape);
  grad = sum_to(grad, input.shape);
  check(!check_nan() || all_finite(grad), op, "the gradient is not finite (HEED_CHECK_NAN)");
  if (input.grad.defined())
    add_into(input.grad, grad);
  else
    input.grad = std::move(grad);
}

}  // namespace

Var::Var(Tensor value) : state_(std::make_shared<State>(State{std::move(value), nullptr})) {}

Var Var::parameter(Tensor value) {
  check(value.defined(), "Var::parameter", "the tensor is undefined");
  Var out(std::move(value));
  out.state_->node = std::make_shared<Node>("parameter", out.shape());
  return out;
}

const Tensor& Var::value() const {
  check(defined(), "Var::value", "the variable is undefined");
  return state_->value;
}
Tensor& Var::value() { return const_cast<Tensor&>(std::as_const(*this).value()); }

const Tensor& Var::grad() const {
  check(requires_grad(), "Var::grad", "the variable is a constant");
  return state_->node->grad;
}
Tensor& Var::grad() { return const_cast<Tensor&>(std::as_const(*this).grad()); }

bool Var::requires_grad() const { return state_ && state_->node; }
std::shared_ptr<Node> Var::node() const { return state_ ? state_->node : nullptr; }

Node::Node(const char* name, const Shape& value_shape) : op(name), shape(value_shape), id(++created) { alive++; }

Node::~Node() {
  alive--;
  // A chain of nodes that only each other hold would be destroyed recursively; unlink it into a list instead.
  std::vector<std::shared_ptr<Node>> doomed;
  auto unlink = [&doomed](std::vector<Edge>& list) {
    for (Edge& edge : list)
      if (edge.input.use_count() == 1) doomed.push_back(std::move(edge.input));
  };
  unlink(edges);
  while (!doomed.empty()) {
    std::shared_ptr<Node> node = std::move(doomed.back());
    doomed.pop_back();
    unlink(node->edges);
  }
}

int& Eval::depth() {
  thread_local int depth = 0;
  return depth;
}

Size live_nodes() { return alive; }

Var record(const char* name, Tensor value, std::shared_ptr<Node> node) {
  check(!check_nan() || all_finite(value), name, "the result is not finite (HEED_CHECK_NAN)");
  Var out(std::move(value));
  out.state_->node = std::move(node);
  return out;
}

Var op(const char* name, Tensor value, std::vector<Edge> edges) {
  std::shared_ptr<Node> node;
  if (!Eval::on())
    for (Edge& edge : edges) {
      if (!edge.input.requires_grad()) continue;
      if (!node) node = std::make_shared<Node>(name, value.shape());
      node->edges.push_back({edge.input.node(), std::move(edge.pull), std::move(edge.into)});
    }
  return record(name, std::move(value), std::move(node));
}

Var op(const char* name, Tensor value, const std::vector<Var>& inputs, PullAll pull) {
  std::shared_ptr<Node> node;
  auto wants = [](const Var& x) { return x.requires_grad(); };
  if (!Eval::on() && std::any_of(inputs.begin(), inputs.end(), wants)) {
    node = std::make_shared<Node>(name, value.shape());
    for (const Var& input : inputs) node->edges.push_back({input.node(), {}, {}});
    node->pull_all = std::move(pull);
  }
  return record(name, std::move(value), std::move(node));
}

void Var::backward(const Tensor& seed) const {
  check(requires_grad(), "backward", "no gradient flows to this value: it is a constant, or was computed under Eval");
  check(seed.defined() || numel() == 1, "backward", "a value of shape ", shape(), " needs a seed gradient");
  check(!seed.defined() || seed.shape() == shape(), "backward", "the seed has shape ", seed.shape(), ", the value ",
        shape());

  // Everything reachable, oldest first: inputs are older than outputs, so the reverse of this order is topological.
  std::vector<std::shared_ptr<Node>> order, stack{node()};
  const std::uint64_t pass = ++passes;
  while (!stack.empty()) {
    std::shared_ptr<Node> node = std::move(stack.back());
    stack.pop_back();
    if (node->visited == pass) continue;
    node->visited = pass;
    check(!node->freed, "backward", "the graph at \"", node->op,
          "\" was freed by an earlier backward(); compute the value again, or detach() what is carried over");
    for (const Node::Edge& edge : node->edges)
      if (edge.input) stack.push_back(edge.input);
    order.push_back(std::move(node));
  }
  std::sort(order.begin(), order.end(), [](const auto& a, const auto& b) { return a->id < b->id; });

  accumulate(*state_->node, seed.defined() ? seed : Tensor(shape(), 1), "backward");
  for (; !order.empty(); order.pop_back()) {
    Node& node = *order.back();
    if (node.edges.empty()) continue;  // a parameter keeps its gradient
    std::vector<Node::Edge> edges = std::move(node.edges);
    PullAll pull_all = std::move(node.pull_all);
    Tensor grad = std::move(node.grad);
    node.freed = true;
    if (!grad.defined()) continue;
    if (pull_all) {
      std::vector<Tensor> grads = pull_all(grad);
      for (std::size_t i = 0; i < edges.size(); i++)
        if (edges[i].input) accumulate(*edges[i].input, std::move(grads.at(i)), node.op);
    } else {
      for (Node::Edge& edge : edges) {
        Tensor part;
        if (edge.into) {
          part = std::move(edge.input->grad);
          std::exchange(edge.into, nullptr)(grad, part);
        } else {
          part = std::exchange(edge.pull, nullptr)(grad);
        }
        accumulate(*edge.input, std::move(part), node.op);
      }
    }
  }
}

}  // namespace HEED_NAMESPACE

// value.hpp — a number that remembers how it was computed: differentiation in reverse, for single numbers.
#pragma once

#include <cmath>
#include <functional>
#include <memory>
#include <unordered_set>
#include <utility>
#include <vector>

namespace scalar {

// [node]
struct Node {
  double value = 0;
  double gradient = 0;                             // d(result) / d(value), so far
  std::vector<std::shared_ptr<Node>> inputs = {};  // what it was computed from
  std::function<void(const Node&)> push = {};      // adds to the inputs' gradients what this one's gradient is to them
};

class Value {
 public:
  Value(double value = 0) : node(std::make_shared<Node>(Node{value})) {}  // NOLINT(google-explicit-constructor)
  Value(double value, std::vector<std::shared_ptr<Node>> inputs, std::function<void(const Node&)> push)
      : node(std::make_shared<Node>(Node{value, 0, std::move(inputs), std::move(push)})) {}
  double value() const { return node->value; }
  double gradient() const { return node->gradient; }
  void backward() const;

  std::shared_ptr<Node> node;
};
// [/node]

// [operations]
inline Value operator+(const Value& a, const Value& b) {
  return {a.value() + b.value(), {a.node, b.node}, [](const Node& y) {
            y.inputs[0]->gradient += y.gradient;
            y.inputs[1]->gradient += y.gradient;
          }};
}

inline Value operator*(const Value& a, const Value& b) {
  return {a.value() * b.value(), {a.node, b.node}, [](const Node& y) {
            double at_a = y.inputs[0]->value, at_b = y.inputs[1]->value;
            y.inputs[0]->gradient += y.gradient * at_b;
            y.inputs[1]->gradient += y.gradient * at_a;
          }};
}

inline Value tanh(const Value& x) {
  return {std::tanh(x.value()), {x.node}, [](const Node& y) {
            y.inputs[0]->gradient += y.gradient * (1 - y.value * y.value);
          }};
}
// [/operations]

inline Value operator-(const Value& a, const Value& b) { return a + b * Value(-1); }

// [order]
// The nodes below `node`, each once and after all of its inputs.
inline void in_order(const std::shared_ptr<Node>& node, std::unordered_set<Node*>& seen, std::vector<Node*>& order) {
  if (!seen.insert(node.get()).second) return;
  for (const std::shared_ptr<Node>& input : node->inputs) in_order(input, seen, order);
  order.push_back(node.get());
}

inline void Value::backward() const {
  std::unordered_set<Node*> seen;
  std::vector<Node*> order;
  in_order(node, seen, order);
  for (Node* n : order) n->gradient = 0;
  node->gradient = 1;
  for (auto n = order.rbegin(); n != order.rend(); ++n)
    if ((*n)->push) (*n)->push(**n);
}
// [/order]

}  // namespace scalar

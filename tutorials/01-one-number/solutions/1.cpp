#include "tutorials/01-one-number/value.hpp"

using scalar::Node;
using scalar::Value;

inline Value exp(const Value& x) {
  return {std::exp(x.value()), {x.node}, [](const Node& y) { y.inputs[0]->gradient += y.gradient * y.value; }};
}

inline Value reciprocal(const Value& x) {
  return {1 / x.value(), {x.node}, [](const Node& y) { y.inputs[0]->gradient -= y.gradient * y.value * y.value; }};
}

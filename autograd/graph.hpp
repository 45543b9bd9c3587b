// graph.hpp — the graph behind a value, to look at.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "autograd/var.hpp"

namespace HEED_NAMESPACE {

/// Parameters by name, for the labels of a graph.
using NamedVars = std::vector<std::pair<std::string, Var>>;

/// What made a value: an operation, or nothing, for a parameter.
struct GraphStep {
  std::string name;                 ///< of the operation or the parameter
  Shape shape;                      ///< of the value
  bool parameter;                   ///< whether gradients are collected here
  std::vector<std::size_t> inputs;  ///< steps whose values went in, by index; constants leave none
};

/// The steps behind `x` in order of creation, its own last; parameters have the names given, else that of their kind.
/// Empty for a constant; after backward(), which frees the graph, the last step alone. O(steps), without recursion.
std::vector<GraphStep> graph_steps(const Var& x, const NamedVars& names = {});

/// The same in the language of Graphviz, to be drawn by `dot -Tsvg`: parameters are boxes, arrows go with the values.
std::string graph_dot(const Var& x, const NamedVars& names = {});

}  // namespace HEED_NAMESPACE

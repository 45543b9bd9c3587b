#include "autograd/graph.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <sstream>

namespace HEED_NAMESPACE {

std::vector<GraphStep> graph_steps(const Var& x, const NamedVars& names) {
  std::vector<const Node*> nodes, open{x.node().get()};
  std::set<const Node*> seen{nullptr};
  while (!open.empty()) {
    const Node* node = open.back();
    open.pop_back();
    if (!seen.insert(node).second) continue;
    nodes.push_back(node);
    for (const Node::Edge& edge : node->edges) open.push_back(edge.input.get());
  }
  std::sort(nodes.begin(), nodes.end(), [](const Node* a, const Node* b) { return a->id < b->id; });

  std::map<const Node*, std::string> name_of;
  for (const auto& [name, var] : names) name_of.emplace(var.node().get(), name);
  std::map<const Node*, std::size_t> index_of;
  std::vector<GraphStep> steps;
  for (const Node* node : nodes) {
    index_of[node] = steps.size();
    auto name = name_of.find(node);
    GraphStep step{name == name_of.end() ? node->op : name->second, node->shape, node->edges.empty(), {}};
    for (const Node::Edge& edge : node->edges)
      if (edge.input) step.inputs.push_back(index_of.at(edge.input.get()));
    steps.push_back(std::move(step));
  }
  return steps;
}

std::string graph_dot(const Var& x, const NamedVars& names) {
  std::ostringstream out;
  out << "digraph {\n";
  std::vector<GraphStep> steps = graph_steps(x, names);
  for (std::size_t i = 0; i < steps.size(); i++) {
    std::string name;
    for (char c : steps[i].name) name += c == '"' || c == '\\' ? std::string{'\\', c} : std::string{c};
    out << "  " << i << " [label=\"" << name << "\\n"
        << steps[i].shape << '"' << (steps[i].parameter ? ", shape=box" : "") << "];\n";
    for (std::size_t input : steps[i].inputs) out << "  " << input << " -> " << i << ";\n";
  }
  out << "}\n";
  return out.str();
}

}  // namespace HEED_NAMESPACE

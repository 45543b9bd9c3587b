#include "models/data/graph_files.hpp"

#include <algorithm>

#include "models/data/labels.hpp"
#include "models/data/table.hpp"

namespace HEED_NAMESPACE {

ExampleSet read_graph(const std::string& nodes, const std::string& edges, bool directed,
                      const std::vector<std::string>& classes) {
  constexpr std::size_t most_nodes = 1000000, most_edges = 20000000;
  ExampleSet set;
  set.task = "graph", set.answer = Answer::each, set.edge_types = 1;
  Labels labels(classes);
  Example graph;
  each_row(nodes, [&](const std::vector<float>& numbers, std::string_view label) {
    if (graph.targets.empty()) set.width = static_cast<Size>(numbers.size());
    if (numbers.empty() || static_cast<Size>(numbers.size()) != set.width)
      fault("expected ", std::max<Size>(1, set.width), " numbers and a label, found ", numbers.size(), " numbers");
    if (graph.targets.size() == most_nodes) fault("more than ", most_nodes, " nodes");
    graph.features.insert(graph.features.end(), numbers.begin(), numbers.end());
    graph.targets.push_back(label == "?" ? -1 : labels.id(label));
  });
  if (graph.targets.empty()) throw DataError("heed: " + nodes + ": no node in it");
  auto last = static_cast<int>(graph.targets.size()) - 1;
  each_line(edges, [&](std::string_view line, std::size_t number) {
    if (number == 1 && is_header(line)) return;
    GraphEdge edge{};
    edge.from = read_integer(take_cell(line, ','), 0, last, "from");
    edge.to = read_integer(take_cell(line, ','), 0, last, "to");
    if (!line.empty()) edge.type = read_integer(line, 0, 999, "type");
    if (graph.edges.size() + 2 > most_edges) fault("more than ", most_edges, " edges");
    set.edge_types = std::max<Size>(set.edge_types, edge.type + 1);
    graph.edges.push_back(edge);
    if (!directed && edge.from != edge.to) graph.edges.push_back({edge.to, edge.from, edge.type});
  });
  set.items.push_back(std::move(graph));
  labels.finish(set);
  return set;
}

ExampleSet read_molecules(const std::string& path, const std::vector<std::string>& classes) {
  ExampleSet set = molecule_set({});
  set.task = "molecules";
  Labels labels(classes);
  each_line(path, [&](std::string_view line, std::size_t) {
    set.items.push_back(read_smiles(take_cell(line, '\t')));
    set.items.back().targets = {labels.id(line)};
  });
  labels.finish(set);
  return set;
}

}  // namespace HEED_NAMESPACE

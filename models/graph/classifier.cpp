#include "models/graph/classifier.hpp"

namespace HEED_NAMESPACE {

BatchEdges join_edges(const ExampleBatch& batch, int loop) {
  int n = static_cast<int>(batch.length), first = 0;
  Size nodes = batch.size * batch.length;
  std::vector<Edges::Pair> pairs;
  for (const std::vector<GraphEdge>& edges : batch.edges) {
    for (const GraphEdge& e : edges) pairs.push_back({first + e.to, first + e.from});
    first += n;
  }
  for (int i = 0; i < first; i++) pairs.push_back({i, i});
  BatchEdges joined{Edges(nodes, nodes, pairs), {}};
  joined.types.assign(static_cast<std::size_t>(joined.edges.count()), 0);
  auto set_type = [&](int to, int from, int type) {
    joined.types[static_cast<std::size_t>(joined.edges.find(to, from))] = type;
  };
  for (int i = 0; i < first; i++) set_type(i, i, loop);
  first = 0;
  for (const std::vector<GraphEdge>& edges : batch.edges) {
    for (const GraphEdge& e : edges) set_type(first + e.to, first + e.from, e.type);
    first += n;
  }
  return joined;
}

GraphBlock::GraphBlock(const ExampleSet& set, const Settings& s, Rng& rng)
    : norm1(sub("norm1", LayerNorm(s.size("dim")))),
      attention(
          sub("attention", GraphAttention(s.size("dim"), s.size("heads"), rng, {.edge_types = set.edge_types + 1}))),
      norm2(sub("norm2", LayerNorm(s.size("dim")))),
      feedforward(sub("feedforward",
                      FeedForward(s.size("dim"), s.size("hidden"), rng, Activation::gelu, s.number("dropout")))) {}

GraphClassifier::GraphClassifier(const ExampleSet& set, const Settings& s, Rng& rng)
    : dim(s.size("dim")),
      loop(static_cast<int>(set.edge_types)),
      vectors(sub("vectors", ItemVectors(set, dim, rng))),
      head(sub("head", ClassHead(set, s, rng))) {
  Size heads = s.size("heads");
  check(dim % heads == 0, "graph", heads, " heads do not divide ", dim);
  for (Size i = 0; i < s.size("layers"); i++) {
    std::string name = std::to_string(i);
    if (s.word("model") == "gat")
      gat.push_back(sub(name, Gat(dim, dim / heads, heads, rng)));
    else
      blocks.push_back(sub(name, GraphBlock(set, s, rng)));
  }
}

Var GraphClassifier::operator()(const ExampleBatch& batch) const {
  BatchEdges graph = join_edges(batch, loop);
  Var x = reshape(vectors(batch), {1, batch.size * batch.length, dim});
  for (const Gat& layer : gat) x = elu(layer(x, graph.edges));
  for (const GraphBlock& block : blocks) x = block(x, graph);
  return head(reshape(x, {batch.size, batch.length, dim}), batch.padding);
}

}  // namespace HEED_NAMESPACE

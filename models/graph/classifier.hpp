// classifier.hpp — classes of nodes, or of whole graphs such as molecules: who is joined to whom decides who is heard.
#pragma once

#include "models/classify/classifier.hpp"
#include "nn/attention/graph.hpp"

namespace HEED_NAMESPACE {

/// The edges of a batch as those of one graph that falls apart, node i of item b being b N + i, and the type of each.
struct BatchEdges {
  Edges edges;
  std::vector<int> types;
};
/// Every node hears itself too, by an edge of type `loop`: among the weights of a softmax a kind of bond shows only
/// beside others. Of edges between the same nodes the last counts.
BatchEdges join_edges(const ExampleBatch& batch, int loop);

/// x += attention along edges (norm x), x += feedforward(norm x).
struct GraphBlock : Module {
  LayerNorm norm1;
  GraphAttention attention;
  LayerNorm norm2;
  FeedForward feedforward;
  GraphBlock(const ExampleSet& set, const Settings& s, Rng& rng);
  Var operator()(const Var& x, const BatchEdges& graph) const {
    Var y = x + attention(norm1(x), graph.edges, graph.types);
    return y + feedforward(norm2(y));
  }
};

/// Vectors of nodes, layers along the edges, classes of nodes or of the graph: blocks of dot-product attention with a
/// score for each type of edge, or GAT.
struct GraphClassifier : Module {
  Size dim;
  int loop;
  ItemVectors vectors;
  std::vector<Gat> gat;            // or
  std::vector<GraphBlock> blocks;  // either is empty
  ClassHead head;
  GraphClassifier(const ExampleSet& set, const Settings& s, Rng& rng);
  Var operator()(const ExampleBatch& batch) const;
};

}  // namespace HEED_NAMESPACE

// graph.hpp — attention on graphs: only nodes joined by an edge look at each other.
#pragma once

#include "nn/attention/attention.hpp"
#include "nn/attention/edges.hpp"
#include "nn/linear.hpp"

namespace HEED_NAMESPACE {

struct GraphEdgesOptions {  ///< Choices for graph_edges().
  bool undirected = true;   ///< every pair counts in both directions
  bool self_loops = false;  ///< every node also receives from itself
};

/// Edges of a graph from pairs (receiver, sender). Throws Error for a node outside [0, nodes).
inline Edges graph_edges(Size nodes, std::vector<Edges::Pair> pairs, GraphEdgesOptions options = {}) {
  if (options.undirected)
    for (std::size_t i = 0, n = pairs.size(); i < n; i++) pairs.push_back({pairs[i].key, pairs[i].query});
  if (options.self_loops)
    for (int i = 0; i < static_cast<int>(nodes); i++) pairs.push_back({i, i});
  return Edges(nodes, nodes, pairs);
}

struct GraphAttentionOptions {  ///< Choices for GraphAttention.
  Size edge_types = 0;          ///< kinds of edges, each with a learned score for each head; 0: edges have no kind
  bool bias = true;             ///< biases on q, k, v and o
};

/// Multi-head attention along edges: node i looks at the nodes j it receives from, with scores q_i · k_j / √d +
/// β_h[type], β initially 0. x (B, N, D) with one graph for the batch, or (N, D); several graphs are one graph that
/// falls apart. A node without edges gets o's bias alone. O(N D² + E D) time, O(N D + H E) memory. After Veličković et
/// al. 2017, arXiv 1710.10903, with the scores of Vaswani et al. 2017, arXiv 1706.03762.
struct GraphAttention : Module {
  Size heads;         ///< H
  Linear q, k, v, o;  ///< (D) -> (D) each
  Var types;          ///< (edge types, H)
  GraphAttention(Size dim, Size head_count, Rng& rng, GraphAttentionOptions options = {})
      : heads(head_count),
        q(sub("q", Linear(dim, dim, rng, {options.bias}))),
        k(sub("k", Linear(dim, dim, rng, {options.bias}))),
        v(sub("v", Linear(dim, dim, rng, {options.bias}))),
        o(sub("o", Linear(dim, dim, rng, {options.bias}))),
        types(options.edge_types ? param("types", Tensor({options.edge_types, heads}, 0), false) : Var()) {
    check(heads > 0 && dim % heads == 0, "GraphAttention", heads, " heads do not divide ", dim);
  }

  /// `type` holds the kind of each edge, in the order of `edges`, when the layer has kinds. Throws Error when it is
  /// missing or a number is outside [0, edge_types).
  Var operator()(const Var& x, const Edges& edges, std::span<const int> type = {}) const {
    check((x.rank() == 3 || x.rank() == 2) && x.size(-2) == edges.queries(), "GraphAttention",
          "expected (B, N, D) with N = ", edges.queries(), " nodes, got ", x.shape());
    if (x.rank() == 2) return reshape((*this)(reshape(x, {1, x.size(0), x.size(1)}), edges, type), x.shape());
    check(static_cast<Size>(type.size()) == (types.defined() ? edges.count() : 0), "GraphAttention", "got ",
          type.size(), " types for ", edges.count(), " edges",
          types.defined() ? "" : "; the layer was made without edge_types");
    Size width = x.size(2) / heads;
    real scale = static_cast<real>(1 / std::sqrt(static_cast<double>(width)));
    Var scores = edge_scores(split_heads(q(x), heads), split_heads(k(x), heads), edges, scale);
    if (types.defined()) scores = scores + transpose(embedding(types, type, {edges.count()}));
    return o(merge_heads(edge_sum(edge_softmax(scores, edges), split_heads(v(x), heads), edges)));
  }
};

struct GatOptions {        ///< Choices for Gat.
  bool average = false;    ///< mean of the heads instead of joining them: the output layer's form
  bool bias = true;        ///< added to the result
  real slope = real(0.2);  ///< of the leaky ReLU
};

/// Graph attention network layer: z = x W; e_ij = LeakyReLU(a1 · z_i + a2 · z_j) over the edges j -> i, softmax over j;
/// head h = Σ_j α_ij z_j. Give it edges with self loops, as the paper's neighbourhoods have. (N, D) or (B, N, D) ->
/// (..., H d), or (..., d) when averaging; no activation. The term a1 · z_i is the same for all j, so all nodes rank
/// their neighbours alike ("static attention"). O(N D H d + E H d) time, O(N H d + H E) memory. Veličković et al. 2017,
/// arXiv 1710.10903.
struct Gat : Module {
  Size heads;               ///< H
  GatOptions options;       ///< as given
  Linear w;                 ///< W, (D) -> (H d)
  Var receiver, sender, b;  ///< a1 and a2 (H, d)
  Gat(Size dim, Size head_dim, Size head_count, Rng& rng, GatOptions choice = {})
      : heads(head_count),
        options(choice),
        w(sub("w", Linear(dim, head_count * head_dim, rng, {.bias = false}))),
        receiver(param("receiver", xavier_uniform({heads, head_dim}, rng))),
        sender(param("sender", xavier_uniform({heads, head_dim}, rng))),
        b(choice.bias ? param("b", Tensor({choice.average ? head_dim : heads * head_dim}, 0)) : Var()) {}

  Var operator()(const Var& x, const Edges& edges) const {
    check((x.rank() == 3 || x.rank() == 2) && x.size(-2) == edges.queries(), "Gat",
          "expected (B, N, D) with N = ", edges.queries(), " nodes, got ", x.shape());
    if (x.rank() == 2) {
      Var y = (*this)(reshape(x, {1, x.size(0), x.size(1)}), edges);
      return reshape(y, {y.size(1), y.size(2)});
    }
    Size batch = x.size(0), n = x.size(1), d = receiver.size(1);
    Var z = reshape(w(x), {batch, n, heads, d});
    // One number a node and head, (B N, H), carried to the edges of every batch entry.
    auto on_edges = [&](const Var& a, const std::vector<int>& node) {
      Var score = reshape(sum(z * a, {-1}), {batch * n, heads});
      std::vector<int> ids;
      ids.reserve(node.size() * static_cast<std::size_t>(batch));
      for (Size i = 0; i < batch; i++)
        for (int id : node) ids.push_back(id + static_cast<int>(i * n));
      return transpose(embedding(score, ids, {batch, edges.count()}));
    };
    Var scores = leaky_relu(on_edges(receiver, edges.query_of()) + on_edges(sender, edges.key_of()), options.slope);
    Var y = edge_sum(edge_softmax(scores, edges), permute(z, {0, 2, 1, 3}), edges);  // (B, H, N, d)
    y = options.average ? mean(y, {1}) : merge_heads(y);
    return b.defined() ? y + b : y;
  }
};

}  // namespace HEED_NAMESPACE

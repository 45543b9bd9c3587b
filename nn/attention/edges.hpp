// edges.hpp — attention along listed pairs: time and memory in proportion to their number, whatever N² is.
//
// Three operations on numbers that sit on the edges, (B, H, E): scores, softmax over each query's edges, weighted sums
// of values. Graph attention and GAT (graph.hpp) are made of them, and attention() uses them for scattered patterns.
#pragma once

#include <utility>

#include "autograd/ops.hpp"
#include "nn/attention/pattern.hpp"

namespace HEED_NAMESPACE {

/// Pairs (query, key), each once, in the order of queries and then keys. Cheap to copy.
class Edges {
 public:
  struct Pair {      ///< Two ends of an edge.
    int query, key;  ///< numbers from 0; the query receives from the key
  };
  /// From any list; repeated pairs count once. Throws Error when an end is outside [0, queries) or [0, keys). O(E + N).
  Edges(Size queries, Size keys, std::span<const Pair> pairs);

  Size queries() const { return static_cast<Size>(data_->first.size()) - 1; }      ///< number that receive
  Size keys() const { return static_cast<Size>(data_->first_of_key.size()) - 1; }  ///< number that send
  Size count() const { return static_cast<Size>(data_->key.size()); }              ///< number of edges, E
  /// The ends of each edge, in order.
  const std::vector<int>& query_of() const { return data_->query; }
  const std::vector<int>& key_of() const { return data_->key; }  ///< by edge, (E)
  /// Index of the first edge of a query; first(queries()) is the number of edges.
  Size first(Size query) const { return data_->first[static_cast<std::size_t>(query)]; }
  /// The edges of a key stand at in_edges()[first_in(key)] and following.
  Size first_in(Size key) const { return data_->first_of_key[static_cast<std::size_t>(key)]; }
  const std::vector<int>& in_edges() const { return data_->in_edges; }  ///< edges in the order of their keys, (E)
  /// Index of a pair; -1 when it is not there. O(log of the query's edges).
  Size find(Size query, Size key) const;
  /// The same cells for attention layers. Positions are node numbers: queries() must equal keys().
  Pattern pattern() const;

 private:
  struct Data {
    std::vector<int> query, key, in_edges;
    std::vector<Size> first, first_of_key;
  };
  std::shared_ptr<const Data> data_;
};

/// scale q_i · k_j for each edge: (B, H, Nq, d), (B, H, Nk, d) -> (B, H, E). O(B H E d).
Var edge_scores(const Var& q, const Var& k, const Edges& edges, real scale = 1);

/// Softmax over the kept edges of each query: (B, H, E) -> (B, H, E). `keep` broadcasts to it. A query with nothing
/// kept has zeros. O(B H E).
Var edge_softmax(const Var& scores, const Edges& edges, const Mask& keep = {});

/// Σ over a query's edges of weight × value of the key: (B, H, E), (B, H, Nk, d) -> (B, H, Nq, d), laid out as (B, Nq,
/// H, d). A query without edges gets zeros. O(B H E d).
Var edge_sum(const Var& weights, const Var& v, const Edges& edges);

}  // namespace HEED_NAMESPACE

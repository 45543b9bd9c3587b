#include <utility>
#include <vector>

// Attention on a graph: edges (receiver, sender) with a score each. The result holds a weight for each edge: a softmax
// over the edges of the same receiver. Scores of 800 must do no harm, and a node without edges is no error.
std::vector<double> edge_softmax(int nodes, const std::vector<std::pair<int, int>>& edges,
                                 const std::vector<double>& scores) {
  (void)nodes, (void)scores;
  return std::vector<double>(edges.size());  // TODO
}

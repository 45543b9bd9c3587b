#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

std::vector<double> edge_softmax(int nodes, const std::vector<std::pair<int, int>>& edges,
                                 const std::vector<double>& scores) {
  auto count = static_cast<std::size_t>(nodes);
  std::vector<double> largest(count, -std::numeric_limits<double>::infinity()), total(count), weights;
  auto receiver = [&](std::size_t e) { return static_cast<std::size_t>(edges[e].first); };
  for (std::size_t e = 0; e < edges.size(); e++) largest[receiver(e)] = std::max(largest[receiver(e)], scores[e]);
  for (std::size_t e = 0; e < edges.size(); e++) {
    weights.push_back(std::exp(scores[e] - largest[receiver(e)]));
    total[receiver(e)] += weights[e];
  }
  for (std::size_t e = 0; e < edges.size(); e++) weights[e] /= total[receiver(e)];
  return weights;
}

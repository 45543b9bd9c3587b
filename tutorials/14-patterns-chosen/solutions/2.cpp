#include <algorithm>
#include <queue>
#include <vector>

// Breadth first from every position; the farthest distance of all.
int layers_to_mix(const std::vector<std::vector<bool>>& keep) {
  std::size_t n = keep.size();
  int most = 1;
  for (std::size_t start = 0; start < n; start++) {
    std::vector<int> distance(n, -1);
    std::queue<std::size_t> next({start});
    distance[start] = 0;
    while (!next.empty()) {
      std::size_t i = next.front();
      next.pop();
      for (std::size_t j = 0; j < n; j++)
        if (keep[i][j] && distance[j] < 0) distance[j] = distance[i] + 1, next.push(j);
    }
    for (int steps : distance) {
      if (steps < 0) return 0;
      most = std::max(most, steps);
    }
  }
  return most;
}

#include <vector>

inline std::vector<std::vector<double>> embedding_backward(const std::vector<int>& ids,
                                                           const std::vector<std::vector<double>>& g, int size,
                                                           int dim) {
  std::vector<std::vector<double>> table(static_cast<std::size_t>(size),
                                         std::vector<double>(static_cast<std::size_t>(dim)));
  for (std::size_t i = 0; i < ids.size(); i++)
    for (std::size_t d = 0; d < g[i].size(); d++) table[static_cast<std::size_t>(ids[i])][d] += g[i][d];
  return table;
}

// Exercise 2: the gradient of an embedding.
#include <vector>

// Rows ids[0], ids[1], ... of a table (size, dim) were read; g[i] is the gradient of the i-th row that was read. The
// gradient of the table, row by row.
inline std::vector<std::vector<double>> embedding_backward(const std::vector<int>& ids,
                                                           const std::vector<std::vector<double>>& g, int size,
                                                           int dim) {
  return {};  // TODO
}

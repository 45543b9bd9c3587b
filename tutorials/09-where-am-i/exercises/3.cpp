// Exercise 09.3: the gradient of learned positions.
#include <cstddef>
#include <vector>

using Rows = std::vector<std::vector<double>>;  // one vector a place

// The table has `places` rows of `dim` numbers, and row i was added to place i of every sentence. gradients[s] holds
// what the loss says to each place of sentence s; sentences differ in length. Returns the gradient of the table.
Rows table_gradient(const std::vector<Rows>& gradients, std::size_t places, std::size_t dim) {
  Rows table(places, std::vector<double>(dim, 0));
  // TODO
  (void)gradients;
  return table;
}

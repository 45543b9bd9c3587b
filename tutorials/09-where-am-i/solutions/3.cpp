// Exercise 09.3: a row of the table gets the sum of what was said to its place, wherever there is one.
#include <cstddef>
#include <vector>

using Rows = std::vector<std::vector<double>>;

Rows table_gradient(const std::vector<Rows>& gradients, std::size_t places, std::size_t dim) {
  Rows table(places, std::vector<double>(dim, 0));
  for (const Rows& sentence : gradients)
    for (std::size_t i = 0; i < sentence.size(); i++)
      for (std::size_t c = 0; c < dim; c++) table[i][c] += sentence[i][c];
  return table;
}

// Exercise 08.3: how far a head looks.
#include <cstddef>
#include <vector>

double mean_distance(const std::vector<std::vector<double>>& weights) {
  double sum = 0;
  for (std::size_t i = 0; i < weights.size(); i++)
    for (std::size_t j = 0; j < weights[i].size(); j++)
      sum += weights[i][j] * static_cast<double>(i < j ? j - i : i - j);
  return sum / static_cast<double>(weights.size());
}

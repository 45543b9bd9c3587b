// Exercise 05.2: hard attention.
#include <cstddef>
#include <vector>

int look_at(const std::vector<double>& scores, const std::vector<bool>& real_place) {
  int best = -1;
  for (std::size_t j = 0; j < scores.size(); j++)
    if (real_place[j] && (best < 0 || scores[j] > scores[static_cast<std::size_t>(best)])) best = static_cast<int>(j);
  return best;
}

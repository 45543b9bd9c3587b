#include <algorithm>
#include <numeric>
#include <vector>

std::vector<int> largest(const std::vector<double>& scores, int k) {
  std::vector<int> places(scores.size());
  std::iota(places.begin(), places.end(), 0);
  std::stable_sort(places.begin(), places.end(), [&](int a, int b) {
    return scores[static_cast<std::size_t>(a)] > scores[static_cast<std::size_t>(b)];
  });
  if (static_cast<std::size_t>(k) < places.size()) places.resize(static_cast<std::size_t>(k));
  return places;
}

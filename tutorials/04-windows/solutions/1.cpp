#include <vector>

inline int smallest_reach(const std::vector<int>& places, double percent) {
  if (places.empty()) return -1;
  for (int reach = 0;; reach++) {
    double held = 0;
    for (int place : places) held += place <= reach;
    if (100 * held >= percent * static_cast<double>(places.size())) return reach;
  }
}

inline long parameters(long words, long dim, long reach, long hidden, long tags) {
  return words * dim + (2 * reach + 1) * dim * hidden + hidden + hidden * tags + tags;
}

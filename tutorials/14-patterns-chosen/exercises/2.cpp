#include <vector>

// The fewest layers after which every position has heard of every other; 0 when that never comes. keep[i][j]: in one
// layer i hears from j; from itself always.
int layers_to_mix(const std::vector<std::vector<bool>>& keep) {
  (void)keep;
  return -1;  // TODO
}

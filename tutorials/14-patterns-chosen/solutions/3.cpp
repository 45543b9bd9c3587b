#include <algorithm>
#include <cstdlib>
#include <vector>

bool keeps(int i, int j, int w, const std::vector<int>& global) {
  auto is_global = [&](int p) { return std::find(global.begin(), global.end(), p) != global.end(); };
  return std::abs(i - j) <= w || is_global(i) || is_global(j);
}

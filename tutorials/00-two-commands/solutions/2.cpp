#include <algorithm>
#include <map>
#include <string>
#include <vector>

struct Tagged {
  std::string word, tag;
};

inline int best_guess(const std::vector<Tagged>& text) {
  std::map<std::string, std::map<std::string, int>> counts;
  for (const Tagged& t : text) counts[t.word][t.tag]++;
  int right = 0;
  for (const auto& [word, tags] : counts) {
    int most = 0;
    for (const auto& [tag, count] : tags) most = std::max(most, count);
    right += most;
  }
  return right;
}

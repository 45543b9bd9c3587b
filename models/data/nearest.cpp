#include "models/data/nearest.hpp"

#include <algorithm>
#include <utility>

namespace heed {

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1), row(b.size() + 1), next(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); j++) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); i++) {
    next[0] = i;
    for (std::size_t j = 1; j <= b.size(); j++) {
      next[j] = std::min({row[j] + 1, next[j - 1] + 1, row[j - 1] + (a[i - 1] != b[j - 1])});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        next[j] = std::min(next[j], before[j - 2] + 1);
    }
    before = std::exchange(row, std::exchange(next, before));
  }
  return row[b.size()];
}

std::string nearest(std::string_view word, const std::vector<std::string>& names) {
  constexpr std::size_t longest = 64;  // what is longer is no slip of the finger
  if (word.empty() || word.size() > longest) return "";
  std::string best;
  std::size_t least = std::max<std::size_t>(1, word.size() / 3) + 1;
  for (const std::string& name : names) {
    std::size_t distance = word.size() > 2 && name.starts_with(word) ? 0 : edit_distance(word, name);
    if (distance >= least) continue;
    least = distance;
    best = name;
  }
  return best;
}

std::string did_you_mean(std::string_view word, const std::vector<std::string>& names) {
  std::string name = nearest(word, names);
  return name.empty() ? "" : "; did you mean " + name + "?";
}

}  // namespace heed

// Exercise 07.3: of the copies of a word all get one tag, at best the most frequent of theirs.
#include <algorithm>
#include <cstddef>
#include <map>
#include <string>
#include <vector>

std::size_t surely_wrong(const std::vector<std::string>& words, const std::vector<std::string>& tags) {
  std::map<std::string, std::map<std::string, std::size_t>> counts;
  for (std::size_t i = 0; i < words.size(); i++) counts[words[i]][tags[i]]++;
  std::size_t wrong = 0;
  for (const auto& [word, of] : counts) {
    std::size_t all = 0, most = 0;
    for (const auto& [tag, count] : of) all += count, most = std::max(most, count);
    wrong += all - most;
  }
  return wrong;
}

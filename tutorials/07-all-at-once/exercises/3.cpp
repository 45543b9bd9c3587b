// Exercise 07.3: what no model without order can get right.
#include <cstddef>
#include <string>
#include <vector>

// Counts the words of the sentence that every model must tag wrong that gives equal words equal tags.
std::size_t surely_wrong(const std::vector<std::string>& words, const std::vector<std::string>& tags) {
  // TODO
  return words.size() + tags.size();
}

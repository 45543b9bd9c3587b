// Exercise 1: how good a tagger is.
#include <string>
#include <vector>

// The share of tags that are right, in percent; 0 when there are none. Both lists are equally long.
inline double accuracy(const std::vector<std::string>& gold, const std::vector<std::string>& predicted) {
  return -1;  // TODO
}

// The same over those places only where `asked` is true.
inline double accuracy(const std::vector<std::string>& gold, const std::vector<std::string>& predicted,
                       const std::vector<bool>& asked) {
  return -1;  // TODO
}

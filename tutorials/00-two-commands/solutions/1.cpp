#include <string>
#include <vector>

inline double accuracy(const std::vector<std::string>& gold, const std::vector<std::string>& predicted,
                       const std::vector<bool>& asked) {
  int right = 0, all = 0;
  for (std::size_t i = 0; i < gold.size(); i++) {
    right += asked[i] && gold[i] == predicted[i];
    all += asked[i];
  }
  return all ? 100. * right / all : 0;
}

inline double accuracy(const std::vector<std::string>& gold, const std::vector<std::string>& predicted) {
  return accuracy(gold, predicted, std::vector<bool>(gold.size(), true));
}

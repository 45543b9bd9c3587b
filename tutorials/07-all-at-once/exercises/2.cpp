// Exercise 07.2: softmax over the real keys of a row.
#include <vector>

// keep[j] says whether key j is real. Padded keys get weight 0; a row without any real key is all 0.
std::vector<double> masked_softmax(const std::vector<double>& scores, const std::vector<bool>& keep) {
  std::vector<double> weight(scores.size(), 0);
  // TODO
  return weight;
}

// Exercise 05.1: soft attention to numbers.
#include <vector>

// The mixture of the values, in proportion to softmax of the scores.
double context(const std::vector<double>& scores, const std::vector<double>& values) {
  // TODO
  (void)scores, (void)values;
  return 0;
}

// Its derivative by every score.
std::vector<double> slopes(const std::vector<double>& scores, const std::vector<double>& values) {
  // TODO
  (void)values;
  return std::vector<double>(scores.size(), 0);
}

// Exercise 06.2: the way back through softmax, s (g - <g, s>).
#include <cstddef>
#include <vector>

std::vector<double> softmax_backward(const std::vector<double>& weight, const std::vector<double>& dweight) {
  std::vector<double> dalpha(weight.size());
  double mean = 0;
  for (std::size_t j = 0; j < weight.size(); j++) mean += weight[j] * dweight[j];
  for (std::size_t j = 0; j < weight.size(); j++) dalpha[j] = weight[j] * (dweight[j] - mean);
  return dalpha;
}

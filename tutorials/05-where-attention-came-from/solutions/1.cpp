// Exercise 05.1: soft attention to numbers. A score should rise when its value is above the mixture.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

std::vector<double> shares(const std::vector<double>& scores) {
  double top = *std::max_element(scores.begin(), scores.end()), total = 0;
  std::vector<double> share;
  for (double s : scores) share.push_back(std::exp(s - top)), total += share.back();
  for (double& s : share) s /= total;
  return share;
}

double context(const std::vector<double>& scores, const std::vector<double>& values) {
  std::vector<double> share = shares(scores);
  double sum = 0;
  for (std::size_t j = 0; j < values.size(); j++) sum += share[j] * values[j];
  return sum;
}

std::vector<double> slopes(const std::vector<double>& scores, const std::vector<double>& values) {
  std::vector<double> result = shares(scores);
  double mixture = context(scores, values);
  for (std::size_t j = 0; j < values.size(); j++) result[j] *= values[j] - mixture;
  return result;
}

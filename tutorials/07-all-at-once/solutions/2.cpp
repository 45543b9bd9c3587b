// Exercise 07.2: softmax over the real keys of a row. Only their maximum is taken out, so nothing overflows.
#include <cmath>
#include <cstddef>
#include <vector>

std::vector<double> masked_softmax(const std::vector<double>& scores, const std::vector<bool>& keep) {
  std::vector<double> weight(scores.size(), 0);
  double top = 0, total = 0;
  bool any = false;
  for (std::size_t j = 0; j < scores.size(); j++)
    if (keep[j] && (!any || scores[j] > top)) top = scores[j], any = true;
  for (std::size_t j = 0; j < scores.size(); j++)
    if (keep[j]) total += weight[j] = std::exp(scores[j] - top);
  if (any)
    for (double& w : weight) w /= total;
  return weight;
}

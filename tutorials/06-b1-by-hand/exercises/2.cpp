// Exercise 06.2: the way back through softmax.
#include <vector>

// Takes the weights that softmax gave and the gradients of the loss by them; returns those by the scores.
std::vector<double> softmax_backward(const std::vector<double>& weight, const std::vector<double>& dweight) {
  std::vector<double> dalpha(weight.size(), 0);
  // TODO: a score should rise if its weight does more good than the weights do on average.
  (void)dweight;
  return dalpha;
}

// Exercise 06.3: the additive score and its gradients.
#include <vector>

// The score of a key for a query: w . tanh(q + k). All three have the same width.
double additive_score(const std::vector<double>& q, const std::vector<double>& k, const std::vector<double>& w) {
  // TODO
  (void)q, (void)k, (void)w;
  return 0;
}

// The gradients of the loss, given that by the score.
struct AdditiveGradients {
  std::vector<double> dq, dk, dw;
};

AdditiveGradients additive_backward(const std::vector<double>& q, const std::vector<double>& k,
                                    const std::vector<double>& w, double dalpha) {
  AdditiveGradients d{std::vector<double>(q.size()), std::vector<double>(q.size()), std::vector<double>(q.size())};
  // TODO
  (void)k, (void)w, (void)dalpha;
  return d;
}

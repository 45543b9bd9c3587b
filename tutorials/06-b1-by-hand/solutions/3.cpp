// Exercise 06.3: the additive score and its gradients. Query and key enter only as their sum, so they share theirs.
#include <cmath>
#include <cstddef>
#include <vector>

double additive_score(const std::vector<double>& q, const std::vector<double>& k, const std::vector<double>& w) {
  double alpha = 0;
  for (std::size_t c = 0; c < q.size(); c++) alpha += w[c] * std::tanh(q[c] + k[c]);
  return alpha;
}

struct AdditiveGradients {
  std::vector<double> dq, dk, dw;
};

AdditiveGradients additive_backward(const std::vector<double>& q, const std::vector<double>& k,
                                    const std::vector<double>& w, double dalpha) {
  AdditiveGradients d;
  for (std::size_t c = 0; c < q.size(); c++) {
    double t = std::tanh(q[c] + k[c]);
    d.dw.push_back(dalpha * t);
    d.dq.push_back(dalpha * w[c] * (1 - t * t));
  }
  d.dk = d.dq;
  return d;
}

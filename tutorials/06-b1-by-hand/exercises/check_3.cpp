#include <doctest/doctest.h>

#include <cmath>

#include "tensor/rng.hpp"
#include EXERCISE

TEST_CASE("06.3: the additive score and its gradients") {
  heed::Rng rng(1);
  std::vector<double> q, k, w;
  for (int c = 0; c < 6; c++) q.push_back(rng.normal()), k.push_back(rng.normal()), w.push_back(rng.normal());
  double expected = 0;
  for (std::size_t c = 0; c < 6; c++) expected += w[c] * std::tanh(q[c] + k[c]);
  CHECK(std::abs(additive_score(q, k, w) - expected) < 1e-12);

  AdditiveGradients d = additive_backward(q, k, w, 0.7);
  REQUIRE(d.dq.size() == 6);
  REQUIRE(d.dk.size() == 6);
  REQUIRE(d.dw.size() == 6);
  auto slope = [&](std::vector<double>& x, std::size_t c) {  // of 0.7 times the score
    auto score = [&](double shift) {
      x[c] += shift;
      double sum = 0;
      for (std::size_t i = 0; i < 6; i++) sum += w[i] * std::tanh(q[i] + k[i]);
      x[c] -= shift;
      return sum;
    };
    return 0.7 * (score(1e-5) - score(-1e-5)) / 2e-5;
  };
  for (std::size_t c = 0; c < 6; c++) {
    CHECK(std::abs(d.dq[c] - slope(q, c)) < 1e-8);
    CHECK(std::abs(d.dk[c] - slope(k, c)) < 1e-8);
    CHECK(std::abs(d.dw[c] - slope(w, c)) < 1e-8);
  }
}

#include <doctest/doctest.h>

#include <cmath>

#include "heed.hpp"
#include EXERCISE

using namespace heed;

namespace {
// Sum of g times the outputs, in double.
double loss(const std::vector<double>& q, const std::vector<double>& k, const std::vector<double>& v,
            const std::vector<double>& g, std::size_t n, std::size_t d, std::size_t e) {
  double sum = 0;
  for (std::size_t i = 0; i < n; i++) {
    std::vector<double> weight(n);
    double total = 0;
    for (std::size_t j = 0; j < n; j++) {
      double alpha = 0;
      for (std::size_t c = 0; c < d; c++) alpha += q[i * d + c] * k[j * d + c];
      total += weight[j] = std::exp(alpha / std::sqrt(static_cast<double>(d)));
    }
    for (std::size_t j = 0; j < n; j++)
      for (std::size_t c = 0; c < e; c++) sum += weight[j] / total * v[j * e + c] * g[i * e + c];
  }
  return sum;
}
}  // namespace

TEST_CASE("07.1: gradients of queries, keys and values") {
  Rng rng(1);
  for (Size n : {1, 3, 7}) {
    Size d = 4, e = 3;
    Tensor q = rng.normal({n, d}, 1), k = rng.normal({n, d}, 1), v = rng.normal({n, e}, 1), g = rng.normal({n, e}, 1);
    AttentionGradients found = attention_backward(q, k, v, g);
    auto numbers = [](const Tensor& x) {
      std::vector<real> from = x.to_vector();
      return std::vector<double>(from.begin(), from.end());
    };
    std::vector<double> in[] = {numbers(q), numbers(k), numbers(v)}, up = numbers(g);
    const Var* gradients[] = {&found.dq, &found.dk, &found.dv};
    for (int which = 0; which < 3; which++) {
      REQUIRE(gradients[which]->shape() == (which < 2 ? Shape{n, d} : Shape{n, e}));
      std::vector<double> ours = numbers(gradients[which]->value());
      for (std::size_t i = 0; i < ours.size(); i++) {
        auto at = [&](double shift) {
          in[which][i] += shift;
          double value = loss(in[0], in[1], in[2], up, static_cast<std::size_t>(n), 4, 3);
          in[which][i] -= shift;
          return value;
        };
        CHECK(std::abs(ours[i] - (at(1e-5) - at(-1e-5)) / 2e-5) < 1e-5);
      }
    }
  }
}

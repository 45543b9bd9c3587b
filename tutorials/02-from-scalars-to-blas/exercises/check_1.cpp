#include EXERCISE

#include <doctest/doctest.h>

#include "tensor/rng.hpp"

namespace {

using Numbers = std::vector<double>;

// Σ dy ⊙ (x w + b): its gradients are those that are asked for.
double result(const Numbers& x, const Numbers& w, const Numbers& b, const Numbers& dy, std::size_t N, std::size_t I,
              std::size_t O) {
  double sum = 0;
  for (std::size_t n = 0; n < N; n++)
    for (std::size_t o = 0; o < O; o++) {
      double y = b[o];
      for (std::size_t i = 0; i < I; i++) y += x[n * I + i] * w[i * O + o];
      sum += y * dy[n * O + o];
    }
  return sum;
}

void check_shape(std::size_t N, std::size_t I, std::size_t O) {
  heed::Rng rng(7);
  Numbers x(N * I), w(I * O), b(O), dy(N * O);
  for (Numbers* v : {&x, &w, &b, &dy})
    for (double& e : *v) e = rng.normal();
  Gradients g = linear_backward(x, w, dy, N, I, O);
  auto nudge = [&](Numbers& v, const Numbers& gradient) {
    REQUIRE(gradient.size() == v.size());
    for (std::size_t k = 0; k < v.size(); k++) {
      double here = v[k];
      v[k] = here + 0.5;
      double above = result(x, w, b, dy, N, I, O);
      v[k] = here - 0.5;
      double below = result(x, w, b, dy, N, I, O);
      v[k] = here;
      CHECK(gradient[k] == doctest::Approx(above - below));
    }
  };
  nudge(x, g.x);
  nudge(w, g.w);
  nudge(b, g.b);
}

}  // namespace

TEST_CASE("gradients of a linear layer") {
  check_shape(1, 1, 1);
  check_shape(4, 3, 2);
  check_shape(1, 5, 2);
  check_shape(3, 1, 4);
}

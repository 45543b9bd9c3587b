#include EXERCISE

#include <doctest/doctest.h>

namespace {

template <class F>
void check_gradient(const F& f, double at) {
  const double step = 1e-5;
  Value x = at, y = f(x);
  y.backward();
  double nudged = (f(Value(at + step)).value() - f(Value(at - step)).value()) / (2 * step);
  CHECK(x.gradient() == doctest::Approx(nudged).epsilon(1e-6));
}

}  // namespace

TEST_CASE("exp") {
  for (double at : {-2., -0.5, 0., 1., 3.}) {
    CHECK(exp(Value(at)).value() == doctest::Approx(std::exp(at)));
    check_gradient([](const Value& x) { return exp(x); }, at);
    check_gradient([](const Value& x) { return exp(x) * x + exp(x * x); }, at / 2);
  }
}

TEST_CASE("reciprocal") {
  for (double at : {-2., -0.5, 0.25, 1., 3.}) {
    CHECK(reciprocal(Value(at)).value() == doctest::Approx(1 / at));
    check_gradient([](const Value& x) { return reciprocal(x); }, at);
    check_gradient([](const Value& x) { return x * reciprocal(x * x) + reciprocal(x); }, at);
  }
}

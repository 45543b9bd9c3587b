#include EXERCISE

#include <doctest/doctest.h>

#include <cmath>

TEST_CASE("nudge finds the derivative with respect to each input") {
  auto f = [](const std::vector<double>& x) { return x[0] * x[0] * x[1] + std::sin(x[1]); };
  CHECK(nudge(f, {3, 2}, 0, 1e-5) == doctest::Approx(12).epsilon(1e-6));
  CHECK(nudge(f, {3, 2}, 1, 1e-5) == doctest::Approx(9 + std::cos(2.)).epsilon(1e-6));
}

TEST_CASE("nudge is central: exact for squares, whatever the step") {
  auto square = [](const std::vector<double>& x) { return x[0] * x[0]; };
  CHECK(nudge(square, {3}, 0, 0.5) == doctest::Approx(6));
}

TEST_CASE("evaluations") {
  CHECK(evaluations(1) == 2);
  CHECK(evaluations(105) == 210);
}

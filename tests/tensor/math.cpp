// Tests of tensor/math.hpp: the approximations in float against libm in double, in both builds.
#include "tensor/math.hpp"

#include "tests/check.hpp"

using namespace heed;
using namespace heed::testing;

namespace {

constexpr float float_infinity = std::numeric_limits<float>::infinity();

// Greatest |f(x) - expected(x)| / |expected(x)| over `count` floats in [low, high].
template <class F, class G>
double worst_relative(double low, double high, int count, const F& f, const G& expected) {
  double worst = 0;
  for (int i = 0; i <= count; i++) {
    auto x = static_cast<float>(low + (high - low) * i / count);
    double right = expected(static_cast<double>(x)), got = static_cast<double>(f(x));
    if (right == got) continue;
    double error = std::abs(got - right) / std::abs(right);
    worst = error > worst || std::isnan(error) ? error : worst;
  }
  return worst;
}

double cdf(double x) { return 0.5 * std::erfc(-x / std::sqrt(2.0)); }
double logistic(double x) { return 1 / (1 + std::exp(-x)); }

const auto exp_f = [](float x) { return kernel::exp(x); };
const auto tanh_f = [](float x) { return kernel::tanh(x); };
const auto cdf_f = [](float x) { return kernel::normal_cdf(x); };
const auto sigmoid_f = [](float x) { return kernel::sigmoid(x); };

}  // namespace

TEST_CASE("math functions: exp in float") {
  auto right = [](double x) { return std::exp(x); };
  CHECK(worst_relative(-87, 88.7, 1'000'000, exp_f, right) < 1.1e-7);
  CHECK(worst_relative(-1, 1, 1'000'000, exp_f, right) < 1.1e-7);
  CHECK(kernel::exp(0.0f) == 1);
  CHECK(kernel::exp(-0.0f) == 1);
  for (float x : {88.8f, 89.5f, 100.0f, 1e30f, float_infinity}) CHECK(std::isinf(kernel::exp(x)));
  for (float x : {-87.1f, -104.0f, -1e30f, -float_infinity}) CHECK(kernel::exp(x) == 0);  // no denormal numbers
  // Where numbers would become denormal it gives 0.
  for (float x = -103.5f; x < -87; x += 0.01f)
    CHECK(std::abs(static_cast<double>(kernel::exp(x)) - std::exp(static_cast<double>(x))) < 1.7e-38);
}

TEST_CASE("math functions: tanh in float") {
  auto right = [](double x) { return std::tanh(x); };
  CHECK(worst_relative(-10, 10, 1'000'000, tanh_f, right) < 3e-7);
  CHECK(worst_relative(-0.7, 0.7, 1'000'000, tanh_f, right) < 3e-7);
  CHECK(worst_relative(-1e-6, 1e-6, 1'000, tanh_f, right) < 2e-7);
  CHECK(kernel::tanh(0.0f) == 0);
  for (float x : {20.0f, 100.0f, 1e30f, float_infinity}) {
    CHECK(kernel::tanh(x) == 1);
    CHECK(kernel::tanh(-x) == -1);
  }
}

TEST_CASE("math functions: the normal distribution function in float") {
  // The tail keeps its digits until e^(-x^2/2) itself, of an x^2 in float, loses them.
  CHECK(worst_relative(-4, 8, 1'000'000, cdf_f, cdf) < 1.5e-6);
  CHECK(worst_relative(-12, -4, 1'000'000, cdf_f, cdf) < 1e-5);
  CHECK(kernel::normal_cdf(0.0f) == doctest::Approx(0.5).epsilon(1e-6));
  CHECK(kernel::normal_cdf(float_infinity) == 1);
  CHECK(kernel::normal_cdf(-float_infinity) == 0);
  CHECK(kernel::normal_cdf(1e30f) == 1);
  CHECK(kernel::normal_cdf(-1e30f) == 0);
}

TEST_CASE("math functions: sigmoid and log in float") {
  CHECK(worst_relative(-85, 30, 1'000'000, sigmoid_f, logistic) < 4e-7);
  CHECK(kernel::sigmoid(0.0f) == 0.5f);
  CHECK(kernel::sigmoid(float_infinity) == 1);
  CHECK(kernel::sigmoid(-float_infinity) == 0);
  CHECK(kernel::sigmoid(1e30f) == 1);
  CHECK(kernel::sigmoid(-1e30f) == 0);
  CHECK(worst_relative(
            1e-3, 0.9, 10'000, [](float x) { return kernel::log(x); }, [](double x) { return std::log(x); }) < 2e-7);
  CHECK(kernel::log(0.0f) == -float_infinity);
}

TEST_CASE("math functions: in double") {
  int wrong = 0;
  for (double x = -35; x < 35; x += 0.01)
    wrong += kernel::exp(x) != std::exp(x) || kernel::tanh(x) != std::tanh(x) ||
             !close(kernel::normal_cdf(x) / cdf(x), 1, 1e-12) || !close(kernel::sigmoid(x) / logistic(x), 1, 1e-14);
  CHECK(wrong == 0);
  CHECK(kernel::sigmoid(1000.0) == 1);
  CHECK(kernel::sigmoid(-1000.0) == 0);
}

TEST_CASE("math functions: NaN in, NaN out") {
  float x = std::numeric_limits<float>::quiet_NaN();
  CHECK(std::isnan(kernel::exp(x)));
  CHECK(std::isnan(kernel::tanh(x)));
  CHECK(std::isnan(kernel::log(x)));
  CHECK(std::isnan(kernel::normal_cdf(x)));
  CHECK(std::isnan(kernel::sigmoid(x)));
  CHECK(std::isnan(kernel::exp(not_a_number)));
  CHECK(std::isnan(kernel::sigmoid(not_a_number)));
}

TEST_CASE("math functions: vector code gives what single calls give") {
  Tensor x({1003});
  real* values = x.mut();
  for (Size i = 0; i < x.numel(); i++) values[i] = static_cast<real>(-100 + 0.2 * static_cast<double>(i));
  values[7] = static_cast<real>(not_a_number);
  values[8] = static_cast<real>(-infinity);
  Tensor y = map([](real v) { return kernel::exp(v); }, x), z = map([](real v) { return kernel::tanh(v); }, x);
  for (Size i = 0; i < x.numel(); i++) {
    Tensor alone = x.slice(0, i, i + 1);
    CHECK(close(y.slice(0, i, i + 1), map([](real v) { return kernel::exp(v); }, alone), tight, 1e-44));
    CHECK(close(z.slice(0, i, i + 1), map([](real v) { return kernel::tanh(v); }, alone)));
  }
}

// Compiled without contraction of multiply and add, so that every compiler rounds alike.
#include "tensor/rng.hpp"

#include <cmath>

namespace HEED_NAMESPACE {

namespace {

// Natural logarithm by the series of atanh: exact to about 1e-16, and alike on every machine, which libm's is not.
double portable_log(double x) {
  int exponent;
  double m = std::frexp(x, &exponent);
  if (m < 0.7071067811865476) m *= 2, exponent--;
  double z = (m - 1) / (m + 1), square = z * z, sum = 0;
  for (int k = 23; k >= 1; k -= 2) sum = sum * square + 1.0 / k;
  return 2 * z * sum + exponent * 0.6931471805599453;
}

template <std::size_t n>
double polynomial(const double (&c)[n], double x) {
  double y = c[n - 1];
  for (std::size_t i = n - 1; i-- > 0;) y = y * x + c[i];
  return y;
}

// The inverse of the normal distribution function at p in (0, 1): three rational pieces, AS 241's PPND16.
double normal_quantile(double p) {
  static constexpr double a[] = {3.3871328727963666080e0, 1.3314166789178437745e2, 1.9715909503065514427e3,
                                 1.3731693765509461125e4, 4.5921953931549871457e4, 6.7265770927008700853e4,
                                 3.3430575583588128105e4, 2.5090809287301226727e3};
  static constexpr double b[] = {1.0,
                                 4.2313330701600911252e1,
                                 6.8718700749205790830e2,
                                 5.3941960214247511077e3,
                                 2.1213794301586595867e4,
                                 3.9307895800092710610e4,
                                 2.8729085735721942674e4,
                                 5.2264952788528545610e3};
  static constexpr double c[] = {1.42343711074968357734e0,  4.63033784615654529590e0, 5.76949722146069140550e0,
                                 3.64784832476320460504e0,  1.27045825245236838258e0, 2.41780725177450611770e-1,
                                 2.27238449892691845833e-2, 7.74545014278341407640e-4};
  static constexpr double d[] = {1.0,
                                 2.05319162663775882187e0,
                                 1.67638483018380384940e0,
                                 6.89767334985100004550e-1,
                                 1.48103976427480074590e-1,
                                 1.51986665636164571966e-2,
                                 5.47593808499534494600e-4,
                                 1.05075007164441684324e-9};
  static constexpr double e[] = {6.65790464350110377720e0,  5.46378491116411436990e0,  1.78482653991729133580e0,
                                 2.96560571828504891230e-1, 2.65321895265761230930e-2, 1.24266094738807843860e-3,
                                 2.71155556874348757815e-5, 2.01033439929228813265e-7};
  static constexpr double f[] = {1.0,
                                 5.99832206555887937690e-1,
                                 1.36929880922735805310e-1,
                                 1.48753612908506148525e-2,
                                 7.86869131145613259100e-4,
                                 1.84631831751005468180e-5,
                                 1.42151175831644588870e-7,
                                 2.04426310338993978564e-15};
  double q = p - 0.5;
  if (std::abs(q) <= 0.425) {
    double r = 0.180625 - q * q;
    return q * polynomial(a, r) / polynomial(b, r);
  }
  double r = std::sqrt(-portable_log(q < 0 ? p : 1 - p));
  double x = r <= 5 ? polynomial(c, r - 1.6) / polynomial(d, r - 1.6) : polynomial(e, r - 5) / polynomial(f, r - 5);
  return q < 0 ? -x : x;
}

template <class F>
Tensor filled(const Shape& shape, F draw) {
  Tensor out(shape);
  real* values = out.mut();
  for (Size i = 0; i < out.numel(); i++) values[i] = static_cast<real>(draw());
  return out;
}

}  // namespace

std::uint64_t Rng::bits() {
  std::uint64_t z = state_ += 0x9e3779b97f4a7c15;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

double Rng::normal() { return normal_quantile((static_cast<double>(bits() >> 12) + 0.5) * 0x1p-52); }

Size Rng::below(Size n) {
  check(n > 0, "Rng::below", "expected a positive bound, got ", n);
  // The product's high half is uniform up to a bias below n / 2^64.
  __extension__ using Wide = unsigned __int128;
  return static_cast<Size>((static_cast<Wide>(bits()) * static_cast<Wide>(n)) >> 64);
}

Tensor Rng::uniform(const Shape& shape, double bound) {
  return filled(shape, [&] { return (2 * uniform() - 1) * bound; });
}

Tensor Rng::normal(const Shape& shape, double deviation) {
  return filled(shape, [&] { return normal() * deviation; });
}

}  // namespace HEED_NAMESPACE

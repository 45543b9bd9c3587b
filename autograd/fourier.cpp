// The discrete Fourier transform over positions, of any number of them in O(n log n), as products with small matrices:
// lengths are split into factors (Cooley, Tukey 1965), so the arithmetic is BLAS's, and one with a large prime factor
// becomes a convolution of a length that splits (Bluestein 1970). All channels of all sequences ride along in each
// product. Over channels it is one product, unless they are many.
#include <bit>
#include <cmath>
#include <numbers>

#include "autograd/ops.hpp"
#include "tensor/gemm.hpp"
#include "tensor/kernels.hpp"

namespace HEED_NAMESPACE {

namespace {

// Complex numbers are two planes, (2, n, m): n is transformed, m are independent. A single plane is a real input.

// e^(-2πi power(j) / period) for j below n, (2, n). Powers are reduced first: large angles lose digits.
template <class F>
Tensor roots(Size n, Size period, const F& power) {
  Tensor w({2, n});
  real* to = w.mut();
  for (Size j = 0; j < n; j++) {
    double angle = 2 * std::numbers::pi * static_cast<double>(power(j) % period) / static_cast<double>(period);
    to[j] = static_cast<real>(std::cos(angle));
    to[n + j] = static_cast<real>(-std::sin(angle));
  }
  return w;
}

// The transform of length n on [real; imaginary], (2n, 2n).
Tensor matrix(Size n) {
  Tensor w = roots(n, n, [](Size j) { return j; }), out({2 * n, 2 * n});
  real* to = out.mut();
  for (Size j = 0; j < n; j++)
    for (Size k = 0; k < n; k++) {
      real re = w.data()[j * k % n], im = w.data()[n + j * k % n];
      to[j * 2 * n + k] = to[(n + j) * 2 * n + n + k] = re;
      to[j * 2 * n + n + k] = -im;
      to[(n + j) * 2 * n + k] = im;
    }
  return out;
}

// y[k, j] = z[j, k] w[j, k]: (2, a, b, m) and (2, a b) -> (2, b, a, m).
Tensor turned(const Tensor& z, const Tensor& w) {
  Size a = z.size(1), b = z.size(2), m = z.size(3), plane = a * b * m;
  Tensor y({2, b, a, m});
  const real *from = z.data(), *turn = w.data();
  real* to = y.mut();
  count_work(4 * plane);
  parallel_for(a * b, std::max<Size>(1, kernel::grain / std::max<Size>(1, m)), [=](Size begin, Size end) {
    for (Size row = begin; row < end; row++) {
      Size at = row % a * b + row / a;
      const real *x = from + at * m, re = turn[at], im = turn[a * b + at];
      real* out = to + row * m;
#pragma omp simd
      for (Size i = 0; i < m; i++) {
        out[i] = x[i] * re - x[plane + i] * im;
        out[plane + i] = x[i] * im + x[plane + i] * re;
      }
    }
  });
  return y;
}

Tensor conjugate(const Tensor& z) {
  return map([](real v, real sign) { return v * sign; }, z, Tensor({2, 1, 1}, std::vector<real>{1, -1}));
}

// The factor to split off: the largest up to 8, which cost the least, else the smallest.
Size factor(Size n) {
  for (Size a = 8; a > 1; a--)
    if (n % a == 0) return a;
  for (Size a = 11; a * a <= n; a += 2)
    if (n % a == 0) return a;
  return n;
}

Tensor bluestein(Tensor z);

// Σ_j z_j e^(-2πi j k / n): (1 or 2, n, m) -> (2, n, m). With n = a b, j = b j1 + j2 and k = k1 + a k2 that is a
// transform of length a over j1, a turn by e^(-2πi j2 k1 / n), and one of length b over j2; k2, k1 is then row-major.
// What a step no longer needs is let go before the next.
Tensor dft(Tensor z) {
  constexpr Size product = 64;  // prime factors up to here are multiplied out
  Size parts = z.size(0), n = z.size(1), m = z.size(2), a = factor(n), b = n / a;
  if (a > product) return bluestein(std::move(z));
  z = matmul(matrix(a).slice(1, 0, parts * a), z.reshape({parts * a, b * m}));
  if (b == 1) return z.reshape({2, n, m});
  z = turned(z.reshape({2, a, b, m}), roots(n, n, [b](Size i) { return i / b * (i % b); })).reshape({2, b, a * m});
  return dft(std::move(z)).reshape({2, n, m});
}

// With j k = (j² + k² - (k - j)²) / 2 the transform is a convolution, here of a length that is a power of two.
Tensor bluestein(Tensor z) {
  Size n = z.size(1), m = z.size(2), length = static_cast<Size>(std::bit_ceil(static_cast<std::size_t>(2 * n - 1)));
  Tensor chirp = roots(n, 2 * n, [n](Size j) { return j * j % (2 * n); });
  auto times = [](const Tensor& x, const Tensor& w) {
    return turned(x.reshape({2, 1, x.size(1), x.size(2)}), w).reshape(x.shape());
  };
  Tensor kernel({2, length, 1}, 0), padded({2, length, m}, 0);
  real* to = kernel.mut();
  for (Size part = 0; part < 2; part++)
    for (Size j = 0; j < n; j++) {
      real w = chirp.data()[part * n + j];
      to[part * length + j] = to[part * length + (length - j) % length] = part ? -w : w;
    }
  Tensor planes[] = {z, Tensor(z.shape(), 0)};
  paste(padded, 1, 0, times(z.size(0) == 1 ? concat(planes, 0) : z.compact(), chirp));
  z = planes[0] = planes[1] = Tensor();
  z = times(dft(std::move(padded)), dft(kernel).reshape({2, length}));
  z = dft(conjugate(z));  // the inverse, but for conjugation and length
  auto share = static_cast<real>(1 / static_cast<double>(length));
  return times(map([share](real v) { return v * share; }, conjugate(z.slice(1, 0, n))), chirp);
}

// The transform over d channels of real numbers, as a product, and of its columns only those up to d / 2: (2, d, d/2 +
// 1).
Tensor channels(Size d) {
  Size half = d / 2 + 1;
  Tensor w = roots(d, d, [](Size j) { return j; }), out({2, d, half});
  real* to = out.mut();
  for (Size part = 0; part < 2; part++)
    for (Size j = 0; j < d; j++)
      for (Size k = 0; k < half; k++) *to++ = w.data()[part * d + j * k % d];
  return out;
}

// The real part y of a transform of real numbers has y[n, d] = y[-n, -d], so half of the columns tell the others.
Tensor mix(const Tensor& x) {
  Size batch = x.size(0), n = x.size(1), d = x.size(2), half = d / 2 + 1;
  constexpr Size product = 512;  // channels up to here are multiplied out
  Tensor z = d <= product ? matmul(x.reshape({1, batch * n, d}), channels(d))
                          : dft(x.permute({2, 0, 1}).reshape({1, d, batch * n})).slice(1, 0, half).permute({0, 2, 1});
  z = z.reshape({2, batch, n, half});
  z = dft(z.permute({0, 2, 1, 3}).reshape({2, n, batch * half}));
  Tensor y(x.shape());
  const real* from = z.data();
  real* to = y.mut();
  count_work(y.numel());
  parallel_for(batch * n, std::max<Size>(1, kernel::grain / d), [=](Size begin, Size end) {
    for (Size row = begin; row < end; row++) {
      Size b = row / n, i = row % n;
      const real *same = from + (i * batch + b) * half, *opposite = from + ((n - i) % n * batch + b) * half;
      real* out = to + row * d;
      std::copy_n(same, half, out);
      for (Size k = half; k < d; k++) out[k] = opposite[d - k];
    }
  });
  return y;
}

}  // namespace

Var fourier_mix(const Var& x) {
  check(x.rank() == 3 && x.numel() > 0, "fourier_mix", "expected (B, N, D), none of them 0, got ", x.shape());
  return op("fourier_mix", mix(x.value()), {{x, [](const Tensor& g) { return mix(g); }}});
}

}  // namespace HEED_NAMESPACE

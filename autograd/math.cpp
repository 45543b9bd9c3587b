// Elementwise operations: value, then one pull an input. Broadcasting is undone by the engine.
#include "tensor/math.hpp"
#include "tensor/rows.hpp"

#include <cmath>
#include <limits>

#include "autograd/ops.hpp"
#include "tensor/kernels.hpp"

namespace HEED_NAMESPACE {

namespace {
Tensor times(const Tensor& a, const Tensor& b) {
  return map([](real x, real y) { return x * y; }, a, b);
}
Tensor same(const Tensor& grad) { return grad; }
Tensor negated(const Tensor& grad) {
  return map([](real x) { return -x; }, grad);
}
}  // namespace

Var operator+(const Var& a, const Var& b) {
  return op("add", map([](real x, real y) { return x + y; }, a.value(), b.value()), {{a, same}, {b, same}});
}

Var operator-(const Var& a, const Var& b) {
  return op("sub", map([](real x, real y) { return x - y; }, a.value(), b.value()), {{a, same}, {b, negated}});
}

Var operator*(const Var& a, const Var& b) {
  return op("mul", times(a.value(), b.value()),
            {{a, [y = b.value()](const Tensor& grad) { return times(grad, y); }},
             {b, [x = a.value()](const Tensor& grad) { return times(grad, x); }}});
}

Var operator/(const Var& a, const Var& b) {
  Tensor quotient = map([](real x, real y) { return x / y; }, a.value(), b.value());
  return op("div", quotient,
            {{a, [y = b.value()](const Tensor& grad) { return map([](real g, real v) { return g / v; }, grad, y); }},
             {b, [y = b.value(), quotient](const Tensor& grad) {
                return map([](real g, real v, real q) { return -g * q / v; }, grad, y, quotient);
              }}});
}

Var operator+(const Var& a, real b) {
  return op("add", map([b](real x) { return x + b; }, a.value()), {{a, same}});
}
Var operator-(const Var& a, real b) { return a + -b; }
Var operator*(const Var& a, real b) {
  auto scale = [b](const Tensor& t) { return map([b](real x) { return x * b; }, t); };
  return op("mul", scale(a.value()), {{a, scale}});
}
Var operator/(const Var& a, real b) { return a * (1 / b); }
Var operator+(real a, const Var& b) { return b + a; }
Var operator-(real a, const Var& b) { return -b + a; }
Var operator*(real a, const Var& b) { return b * a; }
Var operator/(real a, const Var& b) { return pow(b, -1) * a; }
Var operator-(const Var& x) { return op("neg", negated(x.value()), {{x, negated}}); }

Var pow(const Var& x, real exponent) {
  return op("pow", map([exponent](real v) { return std::pow(v, exponent); }, x.value()),
            {{x, [x = x.value(), exponent](const Tensor& grad) {
                return map([exponent](real g, real v) { return g * exponent * std::pow(v, exponent - 1); }, grad, x);
              }}});
}

Var exp(const Var& x) {
  Tensor y = map([](real v) { return kernel::exp(v); }, x.value());
  return op("exp", y, {{x, [y](const Tensor& grad) { return times(grad, y); }}});
}

Var log(const Var& x) {
  return op("log", map([](real v) { return kernel::log(v); }, x.value()),
            {{x, [x = x.value()](const Tensor& grad) { return map([](real g, real v) { return g / v; }, grad, x); }}});
}

Var sqrt(const Var& x) {
  Tensor y = map([](real v) { return std::sqrt(v); }, x.value());
  return op("sqrt", y, {{x, [y](const Tensor& grad) {
                           return map([](real g, real root) { return root == 0 ? 0 : g / (2 * root); }, grad, y);
                         }}});
}

Var tanh(const Var& x) {
  Tensor y = map([](real v) { return kernel::tanh(v); }, x.value());
  return op("tanh", y,
            {{x, [y](const Tensor& grad) { return map([](real g, real v) { return g * (1 - v * v); }, grad, y); }}});
}

Var sigmoid(const Var& x) {
  Tensor y = map([](real v) { return kernel::sigmoid(v); }, x.value());
  return op("sigmoid", y,
            {{x, [y](const Tensor& grad) { return map([](real g, real v) { return g * v * (1 - v); }, grad, y); }}});
}

Var relu(const Var& x) {
  Tensor y = map([](real v) { return v < 0 ? 0 : v; }, x.value());  // NaN passes
  return op("relu", y,
            {{x, [y](const Tensor& grad) { return map([](real g, real v) { return v > 0 ? g : 0; }, grad, y); }}});
}

Var leaky_relu(const Var& x, real slope) {
  Tensor y = map([slope](real v) { return v < 0 ? slope * v : v; }, x.value());
  return op("leaky_relu", y, {{x, [x = x.value(), slope](const Tensor& grad) {
                                 return map([slope](real g, real v) { return v > 0 ? g : slope * g; }, grad, x);
                               }}});
}

Var elu(const Var& x) {
  // Near 0, e^x - 1 as a difference would lose digits; the series is exact to rounding there.
  auto below = [](real v) {
    real series = v * (1 + v / 2 * (1 + v / 3 * (1 + v / 4 * (1 + v / 5))));
    real difference = kernel::exp(v) - 1;
    constexpr real near = sizeof(real) == 8 ? real(1e-3) : real(0.05);
    return v > -near ? series : difference;
  };
  Tensor y = map([below](real v) { return v < 0 ? below(v) : v; }, x.value());
  return op(
      "elu", y,
      {{x, [y](const Tensor& grad) { return map([](real g, real v) { return v > 0 ? g : g * (v + 1); }, grad, y); }}});
}

Var softplus(const Var& x) {
  Tensor y = map([](real v) { return (v > 0 ? v : 0) + std::log1p(std::exp(-std::abs(v))); }, x.value());
  return op("softplus", y, {{x, [x = x.value()](const Tensor& grad) {
                               return map([](real g, real v) { return g * kernel::sigmoid(v); }, grad, x);
                             }}});
}

Var gelu(const Var& x, Gelu form) {
  constexpr real root = real(0.7978845608028654), cubic = real(0.044715);  // √(2/π)
  if (form == Gelu::tanh) {
    Tensor y =
        map([](real v) { return real(0.5) * v * (1 + kernel::tanh(root * (v + cubic * v * v * v))); }, x.value());
    return op("gelu", std::move(y), {{x, [x = x.value()](const Tensor& grad) {
                                        return map(
                                            [](real g, real v) {
                                              real t = kernel::tanh(root * (v + cubic * v * v * v));
                                              real slope = root * (1 + 3 * cubic * v * v);
                                              real bend = 1 - t * t;  // 0 far out, where the slope may be infinite
                                              return g * real(0.5) * (1 + t + (bend == 0 ? 0 : v * bend * slope));
                                            },
                                            grad, x);
                                      }}});
  }
  Tensor y = map([](real v) { return v * kernel::normal_cdf(v); }, x.value());
  return op("gelu", std::move(y), {{x, [x = x.value()](const Tensor& grad) {
                                      constexpr real density = real(0.3989422804014327);  // 1/√(2π)
                                      return map(
                                          [](real g, real v) {
                                            real bell = kernel::bell(v);
                                            return g * (kernel::normal_cdf(v, bell) + v * density * bell);
                                          },
                                          grad, x);
                                    }}});
}

namespace {
// The mask as 0 and 1, in its own shape; broadcasting does the rest.
Tensor as_numbers(const Mask& mask) {
  return Tensor(mask.shape(), std::vector<real>(mask.data(), mask.data() + mask.numel()));
}
}  // namespace

Var where(const Mask& keep, const Var& a, const Var& b) {
  check(keep.defined(), "where", "the mask is undefined");
  Tensor k = as_numbers(keep);
  // A gradient that is not chosen is 0 by selection, not by multiplication: 0 times NaN would be NaN.
  return op("where", map([](real c, real x, real y) { return c != 0 ? x : y; }, k, a.value(), b.value()),
            {{a, [k](const Tensor& grad) { return map([](real g, real c) { return c != 0 ? g : 0; }, grad, k); }},
             {b, [k](const Tensor& grad) { return map([](real g, real c) { return c != 0 ? 0 : g; }, grad, k); }}});
}

Var masked_fill(const Var& x, const Mask& keep, real value) {
  return keep.defined() ? where(keep, x, Tensor::scalar(value)) : x;
}

namespace {
Tensor drop(const Tensor& x, double p, std::uint32_t key) {
  Tensor in = x.compact(), out(x.shape());
  auto threshold = static_cast<std::uint32_t>(p * 0x1p32);
  auto scale = static_cast<real>(1 / (1 - p));
  const real* from = in.data();
  real* to = out.mut();
  count_work(x.numel());
  constexpr Size block = kernel::grain;
  parallel_for((x.numel() + block - 1) / block, 1, [&](Size begin, Size end) {
    for (Size b = begin; b < end; b++) {
      auto count = static_cast<int>(std::min(block, x.numel() - b * block));
      kernel::drop_row(from + b * block, to + b * block, static_cast<std::uint32_t>(b * block), count, key, threshold,
                       scale);
    }
  });
  return out;
}
}  // namespace

Var dropout(const Var& x, double p, Rng& rng) {
  check(p >= 0 && p < 1, "dropout", "expected a probability in [0, 1), got ", p);
  if (p == 0 || Eval::on()) return x;
  auto key = static_cast<std::uint32_t>(rng.bits() >> 32);
  return op("dropout", drop(x.value(), p, key), {{x, [p, key](const Tensor& grad) { return drop(grad, p, key); }}});
}

}  // namespace HEED_NAMESPACE

// gradients.hpp — what every differentiable operation has to pass.
#pragma once

#include "autograd/gradcheck.hpp"
#include "autograd/ops.hpp"
#include "tests/check.hpp"

namespace HEED_NAMESPACE::testing {

using Function = std::function<Var(const std::vector<Var>&)>;

constexpr double gradient_tolerance = tolerance(1e-8, 2e-3);

/// Checks the gradients of f at `inputs`: as they are; with inputs and with upstream gradient transposed and cut out of
/// NaN in memory; with a stretched upstream gradient; with each input constant in turn. The value must not depend on
/// the layout.
inline void check_gradients(const Function& f, const std::vector<Tensor>& inputs) {
  CHECK(gradcheck(f, inputs) < gradient_tolerance);
  std::vector<Tensor> reversed, sliced;
  for (const Tensor& x : inputs) {
    reversed.push_back(reversed_layout(x));
    sliced.push_back(sliced_layout(x));
  }
  auto value = [&](const std::vector<Tensor>& at) { return f(std::vector<Var>(at.begin(), at.end())).value(); };
  CHECK(close(value(reversed), value(inputs)));
  CHECK(close(value(sliced), value(inputs)));
  CHECK(gradcheck(f, reversed) < gradient_tolerance);
  CHECK(gradcheck(f, sliced) < gradient_tolerance);
  auto backward_with = [&](const Tensor& seed) {
    std::vector<Var> leaves;
    for (const Tensor& x : inputs) leaves.push_back(Var::parameter(x));
    f(leaves).backward(seed);
    std::vector<Tensor> out;
    for (const Var& leaf : leaves) out.push_back(leaf.grad());
    return out;
  };
  Rng rng(5);
  Tensor seed = random(rng, value(inputs).shape());
  Tensor stretched = Tensor(Shape{}, real(0.5)).expand(seed.shape());
  std::vector<Tensor> expected = backward_with(seed), flat = backward_with(stretched.compact());
  std::vector<Tensor> by_reversed = backward_with(reversed_layout(seed)),
                      by_sliced = backward_with(sliced_layout(seed));
  std::vector<Tensor> by_stretched = backward_with(stretched);
  for (std::size_t i = 0; i < inputs.size(); i++) {
    CAPTURE(i);
    CHECK(close(by_reversed[i], expected[i], tight * 10));
    CHECK(close(by_sliced[i], expected[i], tight * 10));
    CHECK(close(by_stretched[i], flat[i], tight * 10));
    if (inputs.size() == 1) continue;
    // The others must get the same gradient when this one is constant, and it none.
    std::vector<Var> leaves;
    for (std::size_t k = 0; k < inputs.size(); k++)
      leaves.push_back(k == i ? Var(inputs[k]) : Var::parameter(inputs[k]));
    f(leaves).backward(seed);
    CHECK_FALSE(leaves[i].requires_grad());
    for (std::size_t k = 0; k < inputs.size(); k++)
      if (k != i) CHECK(close(leaves[k].grad(), expected[k], tight * 10));
  }
}

/// The same for a function of two arrays of one shape, and with one variable given twice.
inline void check_binary(const Function& f, const Tensor& a, const Tensor& b) {
  check_gradients(f, {a, b});
  CHECK(gradcheck([&](const std::vector<Var>& v) { return f({v[0], v[0]}); }, {a}) < gradient_tolerance);
}

/// Gradient of sum(y * weights) with respect to x, y = f(x).
inline Tensor gradient(const std::function<Var(const Var&)>& f, const Tensor& x, const Tensor& seed = {}) {
  Var leaf = Var::parameter(x);
  f(leaf).backward(seed);
  return leaf.grad();
}

}  // namespace HEED_NAMESPACE::testing

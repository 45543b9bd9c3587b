// Tests of nn/optim/clip.hpp.
#include "nn/optim/clip.hpp"

#include "nn/optim/optimizer.hpp"
#include "tests/check.hpp"

using namespace heed;
using namespace heed::testing;

namespace {
Parameter leaf(const std::string& name, const Tensor& gradient) {
  Parameter p{name, Var::parameter(Tensor(gradient.shape(), 1))};
  p.var.grad() = gradient;
  return p;
}
}  // namespace

TEST_CASE("clip: scales by c / (norm + 1e-6) when the norm of all gradients together is larger, and reports it") {
  std::vector<Parameter> all{leaf("a", array({2}, {3, 0})), leaf("b", array({1, 1}, {-4}))};
  GradientNorm result = clip_gradients(all, 1);
  CHECK(close(result.norm, 5));
  CHECK(result.not_finite.empty());
  CHECK(close(all[0].var.grad(), array({2}, {3 / 5.000001, 0})));
  CHECK(close(all[1].var.grad(), array({1, 1}, {-4 / 5.000001})));
}

TEST_CASE("clip: leaves smaller gradients alone to the bit") {
  Tensor gradient = array({2}, {0.3, 0.4});
  std::vector<Parameter> all{leaf("a", gradient)};
  CHECK(close(clip_gradients(all, 1).norm, 0.5));
  CHECK(same_bits(all[0].var.grad(), gradient));
}

TEST_CASE("fault 27: clipping passes parameters without gradient over") {
  std::vector<Parameter> all{leaf("a", array({2}, {3, 4})), {"b", Var::parameter(Tensor({2}, 1))}};
  CHECK(close(clip_gradients(all, 100).norm, 5));
  CHECK_FALSE(all[1].var.grad().defined());
  CHECK(clip_gradients({all[1]}, 1).norm == 0);
  CHECK(clip_gradients({}, 1).norm == 0);
}

TEST_CASE("fault 7: gradients of zero stay zero") {
  std::vector<Parameter> all{leaf("a", Tensor({3}, 0))};
  CHECK(clip_gradients(all, 1e-3).norm == 0);
  CHECK(same_bits(all[0].var.grad(), Tensor({3}, 0)));
}

TEST_CASE("fault 71: a norm that is not finite is reported by name, the step skipped, and the next one works") {
  for (double bad : {infinity, -infinity, not_a_number}) {
    std::vector<Parameter> all{leaf("fine", Tensor({1}, 1)), leaf("bad", array({2}, {bad, 1})),
                               leaf("also", array({1}, {bad}))};
    Adam adam(all, {.lr = 0.1});
    GradientNorm result = clip_gradients(all, 1);
    CHECK_FALSE(std::isfinite(result.norm));
    CHECK(std::isinf(result.norm) == std::isinf(bad));
    CHECK(result.not_finite == "bad");
    adam.step();
    CHECK(adam.steps() == 0);
    for (const Parameter& p : all) CHECK(same_bits(p.var.value(), Tensor(p.var.shape(), 1)));
    for (Parameter& p : all) p.var.grad() = Tensor(p.var.shape(), 1);
    CHECK(clip_gradients(all, 1).not_finite.empty());
    adam.step();
    for (const Parameter& p : all) CHECK(all_finite(p.var.value()));
    CHECK(close(all[0].var.value(), Tensor({1}, real(0.9)), 1e-5));
  }
}

TEST_CASE("clip: gradients whose squares overflow are clipped or reported, never silently made zero") {
  double large = tolerance(1e154, 1e30);
  std::vector<Parameter> all{leaf("a", array({1}, {large})), leaf("b", array({1}, {large}))};
  GradientNorm result = clip_gradients(all, 1);
  bool clipped =
      all[0].var.grad().defined() && close(static_cast<double>(all[0].var.grad().item()), std::sqrt(0.5), 1e-5);
  CHECK((clipped || !result.not_finite.empty()));
}

TEST_CASE("fault 75: a parameter listed twice counts once and is scaled once") {
  Parameter p = leaf("w", array({2}, {3, 4}));
  CHECK(close(clip_gradients({p, {"again", p.var}}, 1).norm, 5));
  CHECK(close(p.var.grad(), array({2}, {0.6, 0.8}), 1e-6));
}

TEST_CASE("clip: gradients that are views, large ones, and any number of threads") {
  std::vector<Parameter> view{leaf("a", Tensor({1}, 2).expand({3, 3}))};
  CHECK(close(clip_gradients(view, 3).norm, 6));
  CHECK(close(view[0].var.grad(), Tensor({3, 3}, 1), 1e-6));
  Rng rng(1);
  Tensor g = random(rng, {300, 301});
  double exact = 0;
  for (real x : g.to_vector()) exact += static_cast<double>(x) * static_cast<double>(x);
  double norms[3];
  for (int n = 1; n <= 3; n++) norms[n - 1] = with_threads(n, [&] { return clip_gradients({leaf("a", g)}, 1).norm; });
  CHECK(close(norms[0], std::sqrt(exact), 1e-12));
  CHECK(norms[0] == norms[1]);
  CHECK(norms[0] == norms[2]);
}

TEST_CASE("clip: a limit that is not positive is refused") {
  for (double bad : {0.0, -1.0, not_a_number}) CHECK_THROWS_AS(clip_gradients({}, bad), Error);
}

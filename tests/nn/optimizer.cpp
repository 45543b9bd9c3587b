// Tests of nn/optim/optimizer.hpp: the formulas, who moves and who does not, state.
#include "nn/optim/optimizer.hpp"

#include <functional>
#include <memory>

#include "nn/embedding.hpp"
#include "nn/encoder.hpp"
#include "tests/check.hpp"

using namespace heed;
using namespace heed::testing;

namespace {

Parameter leaf(const std::string& name, const Tensor& value, bool decay = true, double lr_scale = 1) {
  return {name, Var::parameter(value), decay, lr_scale};
}
void give(Parameter& p, const Tensor& gradient) { p.var.grad() = gradient; }

using Maker = std::function<std::unique_ptr<Optimizer>(const std::vector<Parameter>&)>;
template <class O, class Options>
Maker maker(Options options) {
  return [options](const std::vector<Parameter>& parameters) { return std::make_unique<O>(parameters, options); };
}
const std::vector<std::pair<const char*, Maker>> all_kinds = {
    {"SGD", maker<Sgd>(SgdOptions{.lr = 0.1, .weight_decay = 0.1})},
    {"momentum", maker<Sgd>(SgdOptions{.lr = 0.1, .momentum = 0.9, .weight_decay = 0.1})},
    {"Nesterov", maker<Sgd>(SgdOptions{.lr = 0.1, .momentum = 0.9, .nesterov = true, .weight_decay = 0.1})},
    {"Adam", maker<Adam>(AdamOptions{.lr = 0.1, .weight_decay = 0.1})},
    {"AdamW", maker<AdamW>(AdamOptions{.lr = 0.1, .weight_decay = 0.1})}};

/// The values of one number p along `steps` updates with gradients 1, -0.5, 0.25, 1, ...
template <class F>
void against(const Maker& make, const F& by_hand) {
  Parameter p = leaf("p", Tensor({1}, real(0.7)));
  std::unique_ptr<Optimizer> optimizer = make({p});
  double value = static_cast<double>(real(0.7));
  for (int t = 1; t <= 12; t++) {
    double g = t % 3 == 1 ? 1 : (t % 3 == 2 ? -0.5 : 0.25);
    give(p, array({1}, {g}));
    optimizer->step();
    value = by_hand(value, g, t);
    CHECK(close(static_cast<double>(p.var.item()), value, tolerance(1e-13, 1e-5)));
    CHECK_FALSE(p.var.grad().defined());
    CHECK(optimizer->steps() == t);
  }
}

}  // namespace

TEST_CASE("optimizer: SGD, momentum and Nesterov by their formulas") {
  for (double mu : {0.0, 0.9})
    for (bool nesterov : {false, true})
      for (double decay : {0.0, 0.3}) {
        double v = 0;
        against(maker<Sgd>(SgdOptions{.lr = 0.1, .momentum = mu, .nesterov = nesterov, .weight_decay = decay}),
                [&](double p, double g, int) {
                  g += decay * p;
                  v = mu * v + g;
                  return p - 0.1 * (nesterov ? g + mu * v : v);
                });
      }
}

TEST_CASE("optimizer: Adam with decay in the gradient, AdamW with decay of the weight first") {
  for (bool decoupled : {false, true})
    for (double decay : {0.0, 0.3}) {
      AdamOptions o{.lr = 0.1, .beta1 = 0.8, .beta2 = 0.95, .eps = 0.01, .weight_decay = decay};
      double m = 0, v = 0;
      against(decoupled ? maker<AdamW>(o) : maker<Adam>(o), [&](double p, double g, int t) {
        if (decoupled)
          p *= 1 - o.lr * decay;
        else
          g += decay * p;
        m = o.beta1 * m + (1 - o.beta1) * g;
        v = o.beta2 * v + (1 - o.beta2) * g * g;
        return p - o.lr * (m / (1 - std::pow(o.beta1, t))) / (std::sqrt(v / (1 - std::pow(o.beta2, t))) + o.eps);
      });
    }
}

TEST_CASE("fault 65: Adam corrects its bias, so the first steps are lr long") {
  Parameter p = leaf("w", Tensor({1}, 0));
  Adam adam({p}, {.lr = 0.1});
  for (double expected : {-0.099999998, -0.199999996, -0.299999994}) {
    give(p, array({1}, {0.5}));
    adam.step();
    CHECK(close(static_cast<double>(p.var.item()), expected, tolerance(1e-9, 1e-6)));
  }
}

TEST_CASE("optimizer: a parameter that gets its first gradient late moves by lr, as if it had waited") {
  Parameter a = leaf("a", Tensor({1}, 0)), late = leaf("late", Tensor({1}, 0));
  Adam adam({a, late}, {.lr = 0.1});
  for (int t = 0; t < 50; t++) {
    give(a, array({1}, {0.5}));
    adam.step();
  }
  give(late, array({1}, {0.5}));
  adam.step();
  CHECK(close(static_cast<double>(late.var.item()), -0.1, 1e-5));
}

TEST_CASE("fault 27: a parameter without gradient is left alone to the bit, whatever the optimizer") {
  for (const auto& kind : all_kinds) {
    const char* name = kind.first;
    const auto& make = kind.second;
    CAPTURE(name);
    Parameter a = leaf("a", array({2}, {1, 2})), b = leaf("b", array({3}, {1, -0.3, 7}));
    Tensor before = b.var.value();
    std::unique_ptr<Optimizer> optimizer = make({a, b});
    for (int t = 0; t < 10; t++) {
      give(a, array({2}, {3, 4}));
      optimizer->step();
    }
    CHECK(same_bits(b.var.value(), before));
    CHECK(a.var.value().at({0}) < 1);
  }
}

TEST_CASE("optimizer: without any gradient step() does nothing and does not count") {
  for (const auto& kind : all_kinds) {
    const char* name = kind.first;
    const auto& make = kind.second;
    CAPTURE(name);
    Parameter a = leaf("a", Tensor({2}, 1));
    std::unique_ptr<Optimizer> optimizer = make({a});
    optimizer->step();
    CHECK(optimizer->steps() == 0);
    give(a, Tensor({2}, 1));
    optimizer->clear_gradients();
    CHECK_FALSE(a.var.grad().defined());
    optimizer->step();
    CHECK(optimizer->steps() == 0);
    CHECK(same_bits(a.var.value(), Tensor({2}, 1)));
  }
}

TEST_CASE("fault 69: AdamW leaves biases, norms and embeddings undecayed, and its decay is decoupled") {
  Rng rng(1);
  Encoder encoder(8, rng);
  struct Model : Module {
    explicit Model(const Encoder& e, Rng& r) {
      sub("encoder", e);
      sub("words", Embedding(5, 8, r));
    }
  } model(encoder, rng);
  for (Parameter p : model.parameters()) {
    p.var.value() = Tensor(p.var.shape(), 1);
    p.var.grad() = Tensor(p.var.shape(), 0);
  }
  AdamW adam(model.parameters(), {.lr = 0.1, .weight_decay = 0.1});
  adam.step();
  for (const Parameter& p : model.parameters()) {
    CAPTURE(p.name);
    bool matrix = p.name.ends_with(".w");
    CHECK(close(p.var.value(), Tensor(p.var.shape(), matrix ? real(0.99) : 1), matrix ? tight : 0, 0));
  }
  Parameter p = leaf("p", Tensor({1}, 1));
  give(p, Tensor({1}, 0));
  AdamW usual({p});
  usual.step();
  CHECK(close(static_cast<double>(p.var.item()), 1 - 1e-3 * 0.01, 1e-7));
}

TEST_CASE("fault 75: a parameter listed twice moves once and has one state") {
  for (const auto& kind : all_kinds) {
    const char* name = kind.first;
    const auto& make = kind.second;
    CAPTURE(name);
    Parameter once = leaf("w", Tensor({1}, 1)), twice = leaf("w", Tensor({1}, 1));
    std::unique_ptr<Optimizer> a = make({once}), b = make({twice, {"again", twice.var}});
    CHECK(b->parameters().size() == 1);
    CHECK(a->state().size() == b->state().size());
    for (int t = 0; t < 3; t++) {
      give(once, Tensor({1}, real(0.5)));
      give(twice, Tensor({1}, real(0.5)));
      a->step();
      b->step();
    }
    CHECK(same_bits(once.var.value(), twice.var.value()));
  }
  Parameter w = leaf("w", Tensor({1}, 1));
  Sgd sgd({w, w}, {.lr = 0.1});
  (w.var * real(0.2) + w.var * real(0.3)).backward(Tensor({1}, 1));
  sgd.step();
  CHECK(close(static_cast<double>(w.var.item()), 0.95));
}

TEST_CASE("optimizer: lr is read at each step, multiplied by a parameter's own scale; decay by group") {
  Parameter a = leaf("a", Tensor({1}, 1)), slow = leaf("slow", Tensor({1}, 1), true, 0.1),
            frozen = leaf("frozen", Tensor({1}, 1), true, 0), bias = leaf("bias", Tensor({1}, 1), false);
  std::vector<Parameter> all{a, slow, frozen, bias};
  auto step = [&](Optimizer& optimizer, double gradient) {
    for (Parameter& p : all) p.var.value() = Tensor({1}, 1), give(p, array({1}, {gradient}));
    optimizer.step();
    return std::vector<double>{1 - static_cast<double>(a.var.item()), 1 - static_cast<double>(slow.var.item()),
                               1 - static_cast<double>(frozen.var.item()), 1 - static_cast<double>(bias.var.item())};
  };
  auto is = [](const std::vector<double>& got, const std::vector<double>& expected) {
    for (std::size_t i = 0; i < 4; i++) CHECK(close(got[i], expected[i], tolerance(1e-9, 1e-6)));
  };
  Sgd sgd(all, {.lr = 0.1, .weight_decay = 0.5});
  is(step(sgd, 1), {0.15, 0.015, 0, 0.1});
  sgd.lr = 0.01;
  is(step(sgd, 1), {0.015, 0.0015, 0, 0.01});
  AdamW adam(all, {.lr = 0.1, .weight_decay = 0.5});
  is(step(adam, 0), {0.05, 0.005, 0, 0});
  adam.lr = 0;
  is(step(adam, 1), {0, 0, 0, 0});
}

TEST_CASE("optimizer: several backward passes before a step add up") {
  Parameter p = leaf("p", array({2}, {1, 2}));
  Sgd sgd({p}, {.lr = 0.1});
  for (int pass = 0; pass < 3; pass++) sum(p.var * p.var).backward();
  sgd.step();
  CHECK(close(p.var.value(), array({2}, {0.4, 0.8})));
}

TEST_CASE("optimizer: gradients that are views, and values that others hold") {
  for (const auto& kind : all_kinds) {
    const char* name = kind.first;
    const auto& make = kind.second;
    CAPTURE(name);
    Tensor start = iota({2, 3}), gradient = array({2, 3}, {1, 2, 1, 2, 1, 2});
    Parameter a = leaf("a", start), b = leaf("b", start.compact());
    std::unique_ptr<Optimizer> first = make({a}), second = make({b});
    give(a, array({2}, {1, 2}).reshape({1, 2}).expand({3, 2}).reshape({2, 3}));
    give(b, gradient);
    first->step();
    second->step();
    CHECK(same_bits(a.var.value(), b.var.value()));
    give(a, Tensor({1}, 2).expand({2, 3}));
    give(b, Tensor({2, 3}, 2));
    first->step();
    second->step();
    CHECK(same_bits(a.var.value(), b.var.value()));
    CHECK(same_bits(start, iota({2, 3})));
  }
}

TEST_CASE("optimizer: what is no parameter is refused") {
  CHECK_THROWS_WITH_AS(Sgd({{"x", Var(Tensor({1}, 1))}}), "heed: Optimizer: \"x\" is not a parameter", Error);
}

TEST_CASE("optimizer: state() goes into a fresh one and both go on with the same bits") {
  for (const auto& kind : all_kinds) {
    const char* name = kind.first;
    const auto& make = kind.second;
    CAPTURE(name);
    Parameter a = leaf("a", Tensor({3}, 1)), b = leaf("b", Tensor({3}, 1));
    Rng rng(2);
    std::unique_ptr<Optimizer> first = make({a}), second = make({b});
    for (int t = 0; t < 5; t++) give(a, random(rng, {3})), first->step();
    b.var.value() = a.var.value();
    std::vector<NamedTensor> state = first->state();
    for (NamedTensor& t : state)
      if (t.first.ends_with(".a")) t.first.back() = 'b';
    second->load_state(state);
    CHECK(second->steps() == 5);
    for (int t = 0; t < 5; t++) {
      Tensor g = random(rng, {3});
      give(a, g), give(b, g);
      first->step();
      second->step();
    }
    CHECK(same_bits(a.var.value(), b.var.value()));
  }
}

TEST_CASE("optimizer: a state that lacks a name or has another shape is refused and changes nothing") {
  Parameter p = leaf("p", Tensor({2}, 1));
  Adam adam({p});
  give(p, Tensor({2}, 1));
  adam.step();
  std::vector<NamedTensor> good = adam.state();
  REQUIRE(good.size() == 4);
  Adam fresh({p});
  for (std::size_t i = 0; i < 4; i++) {
    std::vector<NamedTensor> bad = good;
    bad.erase(bad.begin() + static_cast<std::ptrdiff_t>(i));
    CHECK_THROWS_AS(fresh.load_state(bad), Error);
    bad = good;
    bad[i].second = Tensor({5}, 1);
    CHECK_THROWS_AS(fresh.load_state(bad), Error);
    CHECK(fresh.steps() == 0);
    CHECK(same_bits(fresh.state()[2].second, Tensor({2}, 0)));
  }
  CHECK_THROWS_WITH_AS(fresh.load_state({}), "heed: Optimizer: the state has no \"optimizer.steps\"", Error);
  fresh.load_state(good);
  CHECK(fresh.steps() == 1);
}

TEST_CASE("optimizer: two parameters of one name are refused, since their states could not be told apart") {
  Parameter a = leaf("w", Tensor({1}, 0)), b = leaf("w", Tensor({1}, 0));
  CHECK_THROWS_AS(Adam({a, b}), Error);
}

// Tests of nn/feedforward.hpp and nn/dropout.hpp: activations, the block's network, perceptrons, dropout.
#include "nn/feedforward.hpp"

#include "nn/optim/optimizer.hpp"
#include "tests/nn/layers.hpp"

using namespace heed;
using namespace heed::testing;

namespace {
constexpr Activation all_kinds[] = {Activation::identity,  Activation::relu, Activation::gelu,
                                    Activation::gelu_tanh, Activation::tanh, Activation::sigmoid};
}

TEST_CASE("feedforward: the activation that was named is applied") {
  Tensor x = array({3}, {-1, 0.5, 2});
  auto is = [&](Activation kind, const std::vector<double>& values) {
    CHECK(close(activate(kind, x).value(), array({3}, values), tolerance(1e-7, 1e-6)));
  };
  is(Activation::identity, {-1, 0.5, 2});
  is(Activation::relu, {0, 0.5, 2});
  is(Activation::gelu, {-0.15865525, 0.34573123, 1.95449974});
  is(Activation::gelu_tanh, {-0.15880801, 0.34571401, 1.95459769});
  is(Activation::tanh, {-0.76159416, 0.46211716, 0.96402758});
  is(Activation::sigmoid, {0.26894142, 0.62245933, 0.88079708});
}

TEST_CASE("feedforward: act(x W1 + b1) W2 + b2 with every activation, and gradients") {
  for (Activation kind : all_kinds) {
    CAPTURE(static_cast<int>(kind));
    Rng rng(1);
    FeedForward layer(4, 7, rng, kind);
    randomise(layer.parameters());
    CHECK(layer.parameter_count() == 4 * 7 + 7 + 7 * 4 + 4);
    Tensor x = random(rng, {2, 3, 4});
    Var expected = linear(activate(kind, linear(x, layer.in.w, layer.in.b)), layer.out.w, layer.out.b);
    CHECK(same_bits(layer(x).value(), expected.value()));
    CHECK(layer_gradcheck([&](const Vars& v) { return layer(v[0]); }, {x}, layer.parameters()) <
          (kind == Activation::relu && !is_double ? 2e-2 : gradient_tolerance));
  }
  Rng rng(2);
  FeedForward usual(2, 3, rng);
  CHECK(usual.activation == Activation::gelu);
  CHECK(usual.parameters()[0].name == "in.w");
  CHECK(usual.parameters()[3].name == "out.b");
}

TEST_CASE("feedforward: dropout falls between activation and second matrix; gradients follow the pattern") {
  Rng rng(3);
  FeedForward layer(4, 50, rng, Activation::sigmoid, 0.4);
  randomise(layer.parameters());
  Tensor x = random(rng, {2, 4});
  auto fixed = [&](const Vars& v) {
    rng.set_state(77);
    return layer(v[0]);
  };
  Tensor y = fixed({x}).value();
  Rng same(77);
  Var hidden = dropout(sigmoid(layer.in(x)), 0.4, same);
  CHECK(close(y, layer.out(hidden).value()));
  int zeros = 0;
  for (real h : hidden.value().to_vector()) zeros += h == 0;
  CHECK(zeros > 15);
  CHECK(zeros < 65);
  CHECK(layer_gradcheck(fixed, {x}, layer.parameters()) < gradient_tolerance);
}

TEST_CASE("fault 63: dropout is off under Eval, and there draws nothing from the generator") {
  Rng rng(4);
  Dropout drop(0.5, rng);
  FeedForward layer(4, 8, rng, Activation::gelu, 0.5);
  Tensor x = random(rng, {3, 4});
  FeedForward without = layer;
  without.drop.p = 0;
  {
    Eval eval;
    std::uint64_t state = rng.state();
    CHECK(same_bits(drop(x).value(), x));
    CHECK(same_bits(layer(x).value(), layer(x).value()));
    CHECK(same_bits(layer(x).value(), without(x).value()));
    CHECK(rng.state() == state);
  }
  CHECK_FALSE(same_bits(layer(x).value(), layer(x).value()));
  CHECK_FALSE(same_bits(drop(x).value(), x));
}

TEST_CASE("fault 63: the mean over dropout patterns is what Eval gives") {
  Rng rng(5);
  Dropout drop(0.5, rng);
  Linear layer(8, 2, rng);
  Tensor x = random(rng, {1, 8}, 0.5, 1.5);
  layer.w.value() = random(rng, {8, 2}, 0.5, 1);
  Tensor expected = layer(x).value(), total({1, 2}, 0);
  for (int run = 0; run < 10000; run++) add_into(total, layer(drop(x)).value());
  CHECK(close(map([](real t) { return t / 10000; }, total), expected, 0.02, 0));
}

TEST_CASE("feedforward: dropout rates outside [0, 1) are refused") {
  Rng rng(6);
  for (double bad : {-0.1, 1.0, 1.5, not_a_number}) CHECK_THROWS_AS(Dropout(bad, rng), Error);
  CHECK_THROWS_AS(FeedForward(2, 2, rng, Activation::relu, 1), Error);
}

TEST_CASE("feedforward: a perceptron has the activation between its layers and nowhere else") {
  Rng rng(7);
  Mlp net({3, 5, 4, 2}, rng, Activation::tanh);
  randomise(net.parameters());
  Tensor x = random(rng, {2, 6, 3});
  Var expected = net.layers[2](tanh(net.layers[1](tanh(net.layers[0](x)))));
  CHECK(same_bits(net(x).value(), expected.value()));
  CHECK(layer_gradcheck([&](const Vars& v) { return net(v[0]); }, {x}, net.parameters()) < gradient_tolerance);
  CHECK(Mlp({3, 2}, rng).parameter_count() == 8);
  CHECK_THROWS_WITH_AS(Mlp({3}, rng), "heed: Mlp: expected at least an input and an output size, got 1", Error);
}

TEST_CASE("feedforward: a perceptron learns XOR, a linear layer cannot") {
  Rng rng(8);
  Mlp net({2, 8, 2}, rng, Activation::tanh), line({2, 2}, rng);
  Adam adam(net.parameters(), {.lr = 0.05}), adam_line(line.parameters(), {.lr = 0.05});
  Tensor x = array({4, 2}, {0, 0, 0, 1, 1, 0, 1, 1});
  std::vector<int> targets{0, 1, 1, 0};
  for (int step = 0; step < 200; step++) {
    cross_entropy(net(x), targets).backward();
    cross_entropy(line(x), targets).backward();
    adam.step();
    adam_line.step();
  }
  CHECK(cross_entropy(net(x), targets).item() < real(0.05));
  CHECK(cross_entropy(line(x), targets).item() > real(0.69));
}

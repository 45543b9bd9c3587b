// Tests of nn/position/floater.hpp: positions from learned dynamics.
#include "nn/position/floater.hpp"

#include "nn/encoder.hpp"
#include "tests/autograd/gradients.hpp"
#include "tests/golden.hpp"
#include "tests/nn/layers.hpp"

using namespace heed;
using namespace heed::testing;

namespace {

/// The same solver out of plain operations: start (R, D) -> (R, length, D).
Var step_by_step(const Vars& v, Size length, const FloaterOptions& options) {
  Var state = v[0];
  auto slope = [&](double time, const Var& p) {
    auto with_time = [&](const Var& x) {
      return options.autonomous ? x : concat({x, Tensor({x.size(0), 1}, static_cast<real>(time))}, 1);
    };
    return linear(with_time(activate(options.activation, linear(with_time(p), v[1], v[2]))), v[3], v[4]);
  };
  double h = options.step / options.substeps, time = 0;
  auto half = static_cast<real>(h / 2);
  Vars rows{state};
  for (Size i = 1; i < length; i++) {
    for (int s = 0; s < options.substeps; s++, time += h) {
      Var k1 = slope(time, state), k2 = slope(time + h / 2, state + half * k1);
      Var k3 = slope(time + h / 2, state + half * k2), k4 = slope(time + h, state + 2 * half * k3);
      state = state + (k1 + real(2) * k2 + real(2) * k3 + k4) * static_cast<real>(h / 6);
    }
    rows.push_back(state);
  }
  return stack(rows, 1);
}

Var fused(const Vars& v, Size length, const FloaterOptions& options) {
  return floater(v[0], v[1], v[2], v[3], v[4], length, options);
}

/// p(0), W1, b1, W2, b2.
std::vector<Tensor> numbers(Rng& rng, Size rows, Size dim, bool autonomous) {
  Size in = dim + !autonomous;
  return {random(rng, {rows, dim}), random(rng, {in, dim}), random(rng, {dim}), random(rng, {in, dim}),
          random(rng, {dim})};
}

const FloaterOptions variants[] = {
    {},
    {.step = 0.5, .substeps = 1},
    {.step = 0.01, .substeps = 5, .activation = Activation::relu},
    {.step = 0.3, .substeps = 3, .autonomous = true},
};

}  // namespace

TEST_CASE("floater: the solver from plain operations, values and gradients of p(0), W1, b1, W2, b2") {
  Rng rng(1);
  for (const FloaterOptions& options : variants)
    for (Size length : {Size(1), Size(2), Size(7)})
      for (Size rows : {Size(1), Size(6)}) {
        CAPTURE(length);
        std::vector<Tensor> inputs = numbers(rng, rows, 5, options.autonomous);
        Tensor seed = random(rng, {rows, length, 5});
        auto run = [&](Var (*f)(const Vars&, Size, const FloaterOptions&)) {
          Vars leaves;
          for (const Tensor& x : inputs) leaves.push_back(Var::parameter(x));
          Var y = f(leaves, length, options);
          y.backward(seed);
          std::vector<Tensor> out{y.value()};
          for (std::size_t i = 0; i < leaves.size(); i++)
            out.push_back(leaves[i].grad().defined() ? leaves[i].grad() : Tensor(inputs[i].shape(), 0));
          return out;
        };
        std::vector<Tensor> a = run(fused), b = run(step_by_step);
        for (std::size_t i = 0; i < a.size(); i++) {
          CAPTURE(i);
          CHECK(close(a[i], b[i], tolerance(1e-12, 1e-4)));
        }
      }
}

TEST_CASE("floater: gradients, in any layout") {
  Rng rng(2);
  for (const FloaterOptions& options : variants)
    check_gradients([&](const Vars& v) { return fused(v, 6, options); }, numbers(rng, 2, 4, options.autonomous));
}

TEST_CASE("floater: fourth order, on an equation whose answer is known") {
  // W1 = 0, b1 = 0: h = [0; t] W2 = t w, so p(t) = p(0) + w t²/2, which the solver gets exactly.
  Tensor zero({2, 1}, 0), none({1}, 0), start({1, 1}, 3), w2 = array({2, 1}, {0, 4});
  Tensor p = floater(start, zero, none, w2, none, 9).value();
  for (Size i = 0; i < 9; i++) {
    double t = 0.1 * static_cast<double>(i);
    CHECK(close(static_cast<double>(p.at({0, i, 0})), 3 + 2 * t * t, tight * 10));
  }
  // dp/dt = tanh(p): sinh p = e^t sinh p(0). Half the step, a sixteenth of the error.
  if (!is_double) return;
  Tensor one({1, 1}, 1), half({1, 1}, real(0.5));
  auto error = [&](int substeps) {
    FloaterOptions options{.step = 1, .substeps = substeps, .autonomous = true};
    double end = static_cast<double>(floater(half, one, none, one, none, 3, options).value().at({0, 2, 0}));
    return std::abs(end - std::asinh(std::exp(2) * std::sinh(0.5)));
  };
  CHECK(error(4) / error(8) > 13);
  CHECK(error(4) / error(8) < 19);
}

TEST_CASE("floater: positions of a longer table begin like those of a shorter one; autonomous ones flow on") {
  Rng rng(3);
  FloaterPositions timed(6, rng), free(6, rng, {.autonomous = true});
  CHECK(same_bits(timed.table(50).value().slice(1, 0, 20), timed.table(20).value()));
  CHECK(timed.table(20).shape() == Shape{1, 20, 6});
  // Without time, starting at position 5 continues the same curve.
  Tensor whole = free.table(12).value();
  Tensor later =
      floater(whole.slice(1, 5, 6).reshape({1, 6}), free.w1, free.b1, free.w2, free.b2, 7, free.options).value();
  CHECK(close(later, whole.slice(1, 5, 12), tolerance(1e-13, 1e-5)));
}

TEST_CASE("floater: memory is that of the table, however many stages") {
  Rng rng(4);
  auto peak = [&](Size n, int substeps) {
    FloaterPositions layer(16, rng, {.substeps = substeps});
    reset_counters();
    Size before = counters().live_bytes;
    layer.table(n).backward(Tensor({1, n, 16}, 1));
    return static_cast<double>(counters().peak_bytes - before) / static_cast<double>(sizeof(real));
  };
  double one = peak(1024, 2), two = peak(2048, 2);
  CHECK(two / one < 2.2);
  CHECK(one < 4 * 1024 * 16);
  CHECK(peak(1024, 8) - one < 32 * 1024);
}

TEST_CASE("floater: parameters and start, on the input and per layer") {
  Rng rng(5);
  FloaterPositions input(6, rng), layers(6, rng, {.autonomous = true}, 4);
  std::vector<std::string> names;
  for (const Parameter& p : input.parameters()) names.push_back(p.name);
  CHECK(names == std::vector<std::string>{"start", "w1", "b1", "w2", "b2"});
  CHECK_FALSE(input.parameters()[0].decay);
  CHECK(input.parameter_count() == 6 + 2 * 7 * 6 + 2 * 6);
  CHECK(layers.start.shape() == Shape{4, 3, 6});
  CHECK(layers.parameter_count() == 4 * 3 * 6 + 2 * 6 * 6 + 2 * 6);
  CHECK(layers.table(9).shape() == Shape{4, 3, 9, 6});
  for (real p : layers.start.value().to_vector()) CHECK(std::abs(static_cast<double>(p)) <= std::sqrt(6.0 / 7));
  CHECK(input.options.step == 0.1);
  CHECK(input.options.substeps == 2);
  Tensor x = random(rng, {2, 5, 6});
  CHECK(close(input(x).value(), (Var(x) + input.table(5)).value()));
  CHECK(layer_gradcheck([&](const Vars& v) { return input(v[0]); }, {x}, input.parameters()) < gradient_tolerance);
}

TEST_CASE("floater: with a residual, the difference to the sinusoids is learned") {
  Rng rng(6);
  FloaterPositions layer(5, rng, {.residual_sinusoid = true});
  for (Parameter p : layer.parameters()) p.var.value() = Tensor(p.var.shape(), 0);
  CHECK(same_bits(layer.table(8).value().reshape({8, 5}), sinusoidal_positions(8, 5)));
  randomise(layer.parameters());
  Tensor x = random(rng, {1, 4, 5});
  CHECK(layer_gradcheck([&](const Vars& v) { return layer(v[0]); }, {x}, layer.parameters()) < gradient_tolerance);
}

TEST_CASE("floater: in an encoder, biases of every layer's q, k and v; parameters get gradients through all of them") {
  Rng rng(7);
  EncoderOptions options{.layers = 2, .heads = 2, .hidden = 9};
  options.floater = FloaterOptions{.residual_sinusoid = true};
  Encoder encoder(6, rng, options);
  CHECK(encoder.floater[0].start.shape() == Shape{2, 3, 6});
  randomise(encoder.parameters());
  Tensor x = random(rng, {2, 5, 6});
  Tensor table = encoder.floater[0].table(5).value();
  Var y = x;
  for (Size i = 0; i < 2; i++) {
    const EncoderBlock& block = encoder.blocks[static_cast<std::size_t>(i)];
    const MultiHeadAttention& m = block.attention[0];
    auto part = [&](Size which) { return table.slice(0, i, i + 1).slice(1, which, which + 1).reshape({5, 6}); };
    Var n = block.norm1(y);
    Var each =
        attention(split_heads(m.q(n) + part(0), 2), split_heads(m.k(n) + part(1), 2), split_heads(m.v(n) + part(2), 2));
    y = y + m.o(merge_heads(each));
    y = y + block.feedforward(block.norm2(y));
  }
  CHECK(close(encoder(x).value(), encoder.last[0](y).value(), tolerance(1e-13, 1e-5)));
  CHECK(layer_gradcheck([&](const Vars& v) { return encoder(v[0]); }, {x}, encoder.parameters()) < gradient_tolerance);
}

TEST_CASE("floater: wrong arguments are refused") {
  Rng rng(8);
  std::vector<Tensor> n = numbers(rng, 1, 4, false);
  Vars v(n.begin(), n.end());
  CHECK_THROWS_WITH_AS(fused(v, 0, {}), "heed: floater: expected a length and substeps above 0, got 0 and 2", Error);
  CHECK_THROWS_AS(fused(v, 3, {.substeps = 0}), Error);
  CHECK_THROWS_WITH_AS(fused(v, 3, {.autonomous = true}),
                       "heed: floater: expected W1 and W2 of shape (4, 4), got (5, 4) and (5, 4)", Error);
  CHECK_THROWS_AS(fused(v, 3, {.activation = Activation::gelu}), Error);
  CHECK_THROWS_AS(floater(v[0], v[1], Tensor({3}, 0), v[3], v[4], 3), Error);
  CHECK_THROWS_AS(floater(Tensor({0, 4}), v[1], v[2], v[3], v[4], 3), Error);
  FloaterPositions layers(4, rng, {}, 2), input(4, rng);
  CHECK_THROWS_AS(layers(Tensor({1, 3, 4}, 0)), Error);
  CHECK_THROWS_AS(input(Tensor({1, 0, 4}, 0)), Error);
}

TEST_CASE("golden: FLOATER by the plain solver in PyTorch") {
  Golden golden("positions.txt");
  for (const std::string name : {"floater", "floater_relu", "floater_autonomous"}) {
    FloaterOptions options = variants[name == "floater" ? 0 : name == "floater_relu" ? 2 : 3];
    check_golden(golden, name, {"start", "w1", "b1", "w2", "b2"}, [&](const Vars& v) { return fused(v, 6, options); });
  }
}

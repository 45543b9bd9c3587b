// Tests of nn/recurrent.hpp: against PyTorch and against the formulas written out with small operations.
#include "nn/recurrent.hpp"

#include "tensor/counters.hpp"
#include "tests/golden.hpp"
#include "tests/nn/layers.hpp"

using namespace heed;
using namespace heed::testing;

namespace {

/// The formulas, one small operation after the other: one step of x (B, D).
RecurrentState by_hand(const Recurrent& layer, const Var& x, const RecurrentState& s) {
  Size n = layer.hidden;
  Var in = linear(x, layer.w_ih, layer.b_ih), back = linear(s.h, layer.w_hh, layer.b_hh), both = in + back;
  auto part = [n](const Var& v, Size i) { return slice(v, -1, i * n, (i + 1) * n); };
  if (layer.cell == Cell::rnn) return {tanh(both), {}};
  if (layer.cell == Cell::lstm) {
    Var c = sigmoid(part(both, 1)) * s.c + sigmoid(part(both, 0)) * tanh(part(both, 2));
    return {sigmoid(part(both, 3)) * tanh(c), c};
  }
  Var z = sigmoid(part(both, 1)), now = tanh(part(in, 2) + sigmoid(part(both, 0)) * part(back, 2));
  return {(1 - z) * now + z * s.h, {}};
}

/// The whole sequence likewise; lengths[b] real positions.
RecurrentOutput by_hand(const Recurrent& layer, const Var& x, const std::vector<int>& lengths, RecurrentState s) {
  Size batch = x.size(0), steps = x.size(1);
  std::vector<Var> y(static_cast<std::size_t>(steps));
  for (Size i = 0; i < steps; i++) {
    Size t = layer.reverse ? steps - 1 - i : i;
    std::vector<std::uint8_t> real_rows;
    for (int length : lengths) real_rows.push_back(t < length);
    Mask keep({batch, 1}, real_rows);
    RecurrentState next = by_hand(layer, reshape(slice(x, 1, t, t + 1), {batch, x.size(2)}), s);
    s.h = where(keep, next.h, s.h);
    if (next.c.defined()) s.c = where(keep, next.c, s.c);
    y[static_cast<std::size_t>(t)] = masked_fill(next.h, keep, 0);
  }
  return {stack(y, 1), s};
}

std::vector<Recurrent> all_layers(Size dim, Size hidden, Rng& rng) {
  std::vector<Recurrent> layers;
  for (Cell cell : {Cell::rnn, Cell::lstm, Cell::gru})
    for (bool reverse : {false, true})
      for (bool bias : {true, false}) {
        layers.emplace_back(cell, dim, hidden, rng, RecurrentOptions{.bias = bias, .reverse = reverse});
        randomise(layers.back().parameters());
      }
  return layers;
}

/// Everything that run() gives, in one array (B, N + states, H).
Var everything(const RecurrentOutput& out) {
  std::vector<Var> parts{out.y};
  for (const Var& state : {out.last.h, out.last.c})
    if (state.defined()) parts.push_back(reshape(state, state.shape().insert(1, 1)));
  return concat(parts, 1);
}

RecurrentState random_state(const Recurrent& layer, Size batch, Rng& rng) {
  auto numbers = [&] { return Var::parameter(random(rng, {batch, layer.hidden})); };
  return {numbers(), layer.cell == Cell::lstm ? numbers() : Var()};
}

}  // namespace

TEST_CASE("recurrent: outputs, last states and all gradients are those of the formulas") {
  Rng rng(1);
  for (const Recurrent& layer : all_layers(4, 3, rng))
    for (const std::vector<int>& lengths : {std::vector<int>{5, 5, 5}, {5, 2, 0}, {1, 1, 1}, {0, 0, 0}}) {
      CAPTURE(static_cast<int>(layer.cell));
      CAPTURE(layer.reverse);
      CAPTURE(lengths[1]);
      Tensor x = random(rng, {3, 5, 4});
      RecurrentState start = random_state(layer, 3, rng);
      auto gradients = [&](const std::function<RecurrentOutput(const Var&)>& f) {
        Var leaf = Var::parameter(x);
        std::vector<Var> leaves{leaf, start.h};
        if (start.c.defined()) leaves.push_back(start.c);
        for (const Parameter& p : layer.parameters()) leaves.push_back(p.var);
        for (Var& v : leaves) v.grad() = Tensor();
        Var y = everything(f(leaf));
        Rng upstream(3);
        y.backward(random(upstream, y.shape()));
        std::vector<Tensor> out{y.value()};
        for (const Var& v : leaves) out.push_back(v.grad());
        return out;
      };
      Mask mask = lengths[1] == 5 ? Mask() : padding_mask(lengths, 5);
      std::vector<Tensor> fused = gradients([&](const Var& v) { return layer.run(v, mask, start); });
      std::vector<Tensor> slow = gradients([&](const Var& v) { return by_hand(layer, v, lengths, start); });
      for (std::size_t i = 0; i < fused.size(); i++) {
        CAPTURE(i);
        CHECK(close(fused[i], slow[i], tolerance(1e-13, 1e-5)));
      }
    }
}

TEST_CASE("recurrent: several blocks of sequences, many steps, gradients") {
  Rng rng(2);
  std::vector<int> lengths;
  for (int b = 0; b < 37; b++) lengths.push_back(b % 13);
  for (const Recurrent& layer : all_layers(3, 4, rng)) {
    Tensor x = random(rng, {37, 12, 3});
    RecurrentState start = random_state(layer, 37, rng);
    if (layer.cell != Cell::lstm) start.c = {};
    CHECK(close(everything(layer.run(x, padding_mask(lengths, 12), start)).value(),
                everything(by_hand(layer, x, lengths, start)).value(), loose));
    auto f = [&](const Vars& v) {
      return everything(layer.run(v[0], padding_mask(lengths, 12), {v[1], v.size() > 2 ? v[2] : Var()}));
    };
    std::vector<Tensor> inputs{x, start.h.value()};
    if (start.c.defined()) inputs.push_back(start.c.value());
    CHECK(layer_gradcheck(f, inputs, layer.parameters()) < gradient_tolerance);
  }
}

TEST_CASE("recurrent: golden, with padding and a state to start from") {
  Golden golden("recurrent.txt");
  auto single = [&](const std::string& name, Recurrent layer, std::vector<std::string> inputs) {
    std::size_t states = inputs.size();
    inputs.insert(inputs.begin(), "x");
    for (const char* parameter : {"w_ih", "w_hh", "b_ih", "b_hh"}) inputs.emplace_back(parameter);
    check_golden(golden, name, inputs, [&](const Vars& v) {
      const Var* p = &v[states + 1];
      layer.w_ih = p[0], layer.w_hh = p[1], layer.b_ih = p[2], layer.b_hh = p[3];
      return everything(layer.run(v[0], golden.mask(name + ".keep"), {v[1], states > 1 ? v[2] : Var()}));
    });
  };
  Rng rng(1);
  single("rnn", Rnn(4, 3, rng), {"h"});
  single("lstm", Lstm(4, 3, rng), {"h", "c"});
  single("gru", Gru(4, 3, rng), {"h"});
  auto both = [&](const std::string& name, auto layer) {
    std::vector<std::string> inputs{"x", "fw_ih", "fw_hh", "fb_ih", "fb_hh", "rw_ih", "rw_hh", "rb_ih", "rb_hh"};
    check_golden(golden, name, inputs, [&](const Vars& v) {
      auto set = [](Recurrent& one, const Var* p) {
        one.w_ih = p[0], one.w_hh = p[1], one.b_ih = p[2], one.b_hh = p[3];
      };
      set(layer.forward, &v[1]);
      set(layer.backward, &v[5]);
      return everything(layer.run(v[0], golden.mask(name + ".keep")));
    });
  };
  both("rnn.both", Bidirectional<Rnn>(4, 3, rng));
  both("lstm.both", Bidirectional<Lstm>(4, 3, rng));
  both("gru.both", Bidirectional<Gru>(4, 3, rng));
}

TEST_CASE("recurrent: step by step it says what the whole sequence says") {
  Rng rng(3);
  Tensor x = random(rng, {2, 7, 4});
  for (const Recurrent& layer : all_layers(4, 5, rng)) {
    RecurrentState state;
    if (layer.reverse) {
      CHECK_THROWS_WITH_AS(layer.step(x, state), doctest::Contains("a reversed layer cannot go step by step"), Error);
      continue;
    }
    RecurrentOutput whole = layer.run(x);
    std::vector<Var> parts;
    for (Size t : {0, 1, 2, 3, 6}) parts.push_back(layer.step(slice(x, 1, t, t == 3 ? 6 : t + 1), state));
    CHECK(close(concat(parts, 1).value(), whole.y.value(), loose));
    CHECK(close(state.h.value(), whole.last.h.value(), loose));
    if (layer.cell == Cell::lstm) CHECK(close(state.c.value(), whole.last.c.value(), loose));
    Eval eval;
    CHECK(same_bits(layer(x).value(), whole.y.value()));
  }
}

TEST_CASE("recurrent: reversed it is the layer on the reversed sequence, padding left out") {
  Rng rng(4);
  std::vector<int> lengths{4, 2};
  Tensor x = random(rng, {2, 4, 3});
  auto turned = [](const Tensor& t, Size b, Size n) {
    std::vector<Tensor> rows;
    for (Size i = n; i-- > 0;) rows.push_back(t.slice(0, b, b + 1).slice(1, i, i + 1));
    return concat(rows, 1);
  };
  for (Cell cell : {Cell::rnn, Cell::lstm, Cell::gru}) {
    Rng a(7), b(7);
    Recurrent there(cell, 3, 4, a, {}), back(cell, 3, 4, b, {.reverse = true});
    RecurrentOutput out = back.run(x, padding_mask(lengths, 4));
    for (Size s : {Size(0), Size(1)}) {
      Size n = lengths[static_cast<std::size_t>(s)];
      RecurrentOutput alone = there.run(turned(x, s, n));
      CHECK(close(out.y.value().slice(0, s, s + 1).slice(1, 0, n), turned(alone.y.value(), 0, n), loose));
      CHECK(close(out.last.h.value().slice(0, s, s + 1), alone.last.h.value(), loose));
    }
    CHECK(same_bits(out.y.value().slice(0, 1, 2).slice(1, 2, 4), Tensor({1, 2, 4}, 0)));
  }
}

TEST_CASE("recurrent: holes in the mask and NaN in padding") {
  Rng rng(5);
  Mask mask({1, 4}, {1, 0, 1, 0});
  for (const Recurrent& layer : all_layers(3, 4, rng)) {
    Tensor x = random(rng, {1, 4, 3}), poisoned = x;
    for (Size i : {3, 4, 5, 9, 10, 11}) poisoned.mut()[i] = static_cast<real>(not_a_number);
    Tensor parts[] = {x.slice(1, 0, 1), x.slice(1, 2, 3)};
    RecurrentOutput dense = layer.run(concat(parts, 1)), holes = layer.run(poisoned, mask);
    CHECK(close(holes.y.value().slice(1, 2, 3), dense.y.value().slice(1, 1, 2), loose));
    CHECK(same_bits(holes.y.value().slice(1, 1, 2), Tensor({1, 1, 4}, 0)));
    CHECK(close(holes.last.h.value(), dense.last.h.value(), loose));
    sum(holes.y).backward();
    for (const Parameter& p : layer.parameters()) CHECK(all_finite(p.var.grad()));
  }
}

TEST_CASE("recurrent: names, shapes and the start of parameters") {
  Rng rng(6);
  Lstm lstm(3, 400, rng, {.forget_bias = 1});
  CHECK(lstm.parameter_count() == 3 * 1600 + 400 * 1600 + 2 * 1600);
  CHECK(lstm.parameters()[0].name == "w_ih");
  CHECK(lstm.parameters()[3].name == "b_hh");
  CHECK(lstm.parameters()[1].decay);
  CHECK_FALSE(lstm.parameters()[2].decay);
  for (const Var& w : {lstm.w_ih, lstm.w_hh}) {
    std::vector<real> values = w.value().to_vector();
    auto [low, high] = std::minmax_element(values.begin(), values.end());
    CHECK((*low >= real(-0.05) && *low < real(-0.049) && *high <= real(0.05) && *high > real(0.049)));
  }
  Tensor expected({1600}, 0);
  paste(expected, 0, 400, Tensor({400}, 1));
  CHECK(same_bits(lstm.b_ih.value(), expected));
  CHECK(same_bits(lstm.b_hh.value(), Tensor({1600}, 0)));
  CHECK(Gru(3, 4, rng, {.bias = false}).parameter_count() == 3 * 12 + 4 * 12);
  Bidirectional<Gru> both(3, 4, rng);
  CHECK(both.parameters()[4].name == "backward.w_ih");
  CHECK((!both.forward.reverse && both.backward.reverse));
}

TEST_CASE("recurrent: one node a sequence, cost in proportion to its length, the same bits for any number of threads") {
  Rng rng(7);
  for (const Recurrent& layer : all_layers(3, 8, rng)) {
    auto cost = [&](Size n) {
      Var x = Var::parameter(Tensor({40, n, 3}, 1));
      reset_counters();
      Size nodes = live_nodes();
      Var y = sum(layer(x));
      CHECK(live_nodes() - nodes < 8);
      y.backward();
      return static_cast<double>(counters().multiply_adds);
    };
    CHECK(close(cost(64) / cost(32), 2, 0.05));
    Tensor x = random(rng, {70, 9, 3});
    auto gradient = [&] { return input_gradient([&](const Var& v) { return layer(v); }, x, Tensor({70, 9, 8}, 1)); };
    CHECK(same_bits(with_threads(1, gradient), with_threads(3, gradient)));
  }
}

TEST_CASE("fault 29: a state carried over to the next chunk") {
  Rng rng(8);
  Lstm layer(3, 4, rng);
  Tensor x = random(rng, {2, 6, 3});
  Var first = slice(x, 1, 0, 3), second = slice(x, 1, 3, 6);
  auto gradient = [&](const RecurrentState& from) {
    layer.w_hh.grad() = Tensor();
    sum(layer.run(second, {}, from).y).backward();
    return layer.w_hh.grad();
  };
  RecurrentOutput chunk = layer.run(first);
  sum(chunk.y).backward();
  CHECK_THROWS_WITH_AS(gradient(chunk.last), doctest::Contains("or detach() what is carried over"), Error);
  RecurrentState same{Var(chunk.last.h.value()), Var(chunk.last.c.value())};
  CHECK(same_bits(gradient(chunk.last.detach()), gradient(same)));
  CHECK_FALSE(RecurrentState{}.detach().h.defined());
}

TEST_CASE("fault 61: the reset gate multiplies after the matrix") {
  Rng rng(9);
  Gru layer(1, 1, rng);
  layer.w_ih.value() = array({1, 3}, {0.1, 0.2, 0.3});
  layer.w_hh.value() = array({1, 3}, {0.4, 0.5, 0.6});
  layer.b_ih.value() = array({3}, {0.01, 0.02, 0.03});
  layer.b_hh.value() = array({3}, {0.04, 0.05, 0.06});
  Var x = Var::parameter(Tensor({1, 1, 1}, 1)), h = Var::parameter(Tensor({1, 1}, real(0.5)));
  Var y = layer.run(x, {}, {h, {}}).y;
  y.backward(Tensor({1, 1, 1}, 1));
  CHECK(close(static_cast<double>(y.item()), 0.49771905, 1e-7));
  CHECK(close(static_cast<double>(x.grad().item()), 0.08731897, 1e-7));
  CHECK(close(static_cast<double>(h.grad().item()), 0.73692974, 1e-7));
}

TEST_CASE("fault 47: a sentence of 5 alone and beside one of 30 (recurrent)") {
  Rng rng(10);
  std::vector<int> lengths{5, 30};
  Tensor x = random(rng, {2, 30, 3});
  for (const Recurrent& layer : all_layers(3, 4, rng)) {
    RecurrentOutput batch = layer.run(x, padding_mask(lengths, 30)), alone = layer.run(x.slice(0, 0, 1).slice(1, 0, 5));
    CHECK(close(batch.y.value().slice(0, 0, 1).slice(1, 0, 5), alone.y.value(), tolerance(1e-13, 1e-6)));
    CHECK(close(batch.last.h.value().slice(0, 0, 1), alone.last.h.value(), tolerance(1e-13, 1e-6)));
  }
}

TEST_CASE("recurrent: errors") {
  Rng rng(11);
  Gru layer(3, 4, rng);
  Tensor x({2, 5, 3}, 1);
  CHECK_THROWS_WITH(layer(Tensor({2, 5, 4}, 1)), "heed: Gru: expected (B, N, 3) with N > 0, got (2, 5, 4)");
  CHECK_THROWS_WITH(layer(Tensor({2, 0, 3})), "heed: Gru: expected (B, N, 3) with N > 0, got (2, 0, 3)");
  CHECK_THROWS_WITH(layer(x, Mask({2, 4}, std::vector<std::uint8_t>(8, 1))),
                    "heed: Gru: expected a key_padding_mask of shape (2, 5), got (2, 4)");
  CHECK_THROWS_WITH(layer.run(x, {}, {Tensor({2, 3}, 0), {}}),
                    "heed: Gru: expected states of shape (2, 4), got (2, 3)");
  CHECK_THROWS_WITH(layer.run(x, {}, {{}, Tensor({2, 4}, 0)}), "heed: Gru: only an LSTM has a cell");
  CHECK_THROWS_WITH(Rnn(3, 0, rng), "heed: Rnn: expected sizes > 0, got 3 and 0");
  CHECK_THROWS_WITH(Gru(3, 4, rng, {.forget_bias = 1}), "heed: Gru: only an LSTM with biases has a forget_bias");
}

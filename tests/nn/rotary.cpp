// Tests of nn/position/rotary.hpp and alibi.hpp, and of both in multi-head attention.
#include "nn/position/rotary.hpp"

#include "nn/position/alibi.hpp"
#include "nn/position/sinusoidal.hpp"
#include "tests/autograd/gradients.hpp"
#include "tests/golden.hpp"
#include "tests/nn/positions.hpp"

using namespace heed;
using namespace heed::testing;

TEST_CASE("rotary: every pair is turned by its angle, the rest of an odd width stays") {
  Rng rng(1);
  for (Size d : {Size(1), Size(2), Size(5), Size(8), Size(33)})
    for (Size first : {Size(0), Size(3), Size(-4)}) {
      Tensor x = random(rng, {2, 70, d}), y = rotary(x, first).value();
      for (Size n = 0; n < 70; n++)
        for (Size c = 0; c + 1 < d; c += 2) {
          double angle =
              static_cast<double>(first + n) * std::pow(10000.0, -static_cast<double>(c) / static_cast<double>(d));
          auto a = static_cast<double>(x.at({1, n, c})), b = static_cast<double>(x.at({1, n, c + 1}));
          CHECK(close(static_cast<double>(y.at({1, n, c})), a * std::cos(angle) - b * std::sin(angle), tight * 10));
          CHECK(close(static_cast<double>(y.at({1, n, c + 1})), a * std::sin(angle) + b * std::cos(angle), tight * 10));
        }
      if (d % 2) CHECK(same_bits(y.slice(2, d - 1, d), x.slice(2, d - 1, d)));
    }
  CHECK_THROWS_WITH_AS(rotary(Tensor({4}, 0)), "heed: rotary: expected (..., N, d), got (4)", Error);
}

TEST_CASE("rotary: products depend on the distance only, lengths stay") {
  Rng rng(2);
  Tensor q = random(rng, {1, 9, 7}), k = random(rng, {1, 9, 7});
  auto scores = [&](Size first) { return matmul(rotary(q, first), transpose(rotary(k, first))).value(); };
  for (Size shift : {Size(1), Size(64), Size(1000)}) CHECK(close(scores(shift), scores(0), tolerance(1e-12, 1e-5)));
  CHECK_FALSE(close(scores(0), matmul(q, transpose(Var(k))).value(), 1e-3));
  CHECK(close(norm(rotary(q, 5)).value(), norm(q).value(), tight * 10));
  // The same q and k everywhere: the score is a function of j - i.
  Var one = expand(random(rng, {1, 1, 7}), {1, 9, 7}), other = expand(random(rng, {1, 1, 7}), {1, 9, 7});
  Tensor s = matmul(rotary(one), transpose(rotary(other))).value();
  CHECK(close(s.slice(1, 0, 8).slice(2, 0, 8), s.slice(1, 1, 9).slice(2, 1, 9), tolerance(1e-13, 1e-5)));
}

TEST_CASE("rotary: gradients, in any layout; the gradient is the rotation back") {
  Rng rng(3);
  for (Size d : {Size(1), Size(4), Size(5)})
    check_gradients([](const Vars& v) { return rotary(v[0], 2); }, {random(rng, {2, 3, 4, d})});
  Tensor x = random(rng, {3, 5, 6});
  CHECK(close(gradient([](const Var& v) { return rotary(v, 7); }, x, rotary(x, 7).value()), x));
}

TEST_CASE("rotary: rows are the same to the bit wherever a sequence is cut, and lie where the input's lay") {
  Rng rng(4);
  Tensor x = random(rng, {2, 200, 3, 8});
  Tensor heads = x.permute({0, 2, 1, 3}), whole = rotary(heads).value();
  CHECK(whole.strides() == heads.strides());
  CHECK(same_bits(rotary(heads.slice(2, 77, 150), 77).value(), whole.slice(2, 77, 150)));
  CHECK(same_bits(rotary(heads.compact()).value(), whole));
  CHECK(same_bits(with_threads(3, [&] { return rotary(heads).value(); }), whole));
  CHECK(rotary(Tensor({2, 0, 4})).shape() == Shape{2, 0, 4});
}

TEST_CASE("rotary: saves a table and not its input") {
  Rng rng(5);
  Tensor x = random(rng, {64, 16, 32});
  Var leaf = Var::parameter(x);
  Var y;
  reset_counters();
  Size before = counters().live_bytes;
  y = rotary(leaf);
  Size result = y.numel() * static_cast<Size>(sizeof(real));
  CHECK(counters().live_bytes - before < result + result / 8);
  CHECK(y.requires_grad());
}

TEST_CASE("golden: rotary positions") {
  Golden golden("positions.txt");
  for (const std::string name : {"rotary", "rotary_odd", "rotary_later"})
    check_golden(golden, name, {"x"}, [&](const Vars& v) { return rotary(v[0], name == "rotary_later" ? 11 : 0); });
}

TEST_CASE("alibi: slopes fall from 2^(-8/H) to 2^-8") {
  std::vector<real> slopes = alibi_slopes(8);
  REQUIRE(slopes.size() == 8);
  for (std::size_t h = 0; h < 8; h++) CHECK(slopes[h] == std::exp2(-real(h + 1)));
  CHECK(close(static_cast<double>(alibi_slopes(3)[1]), std::exp2(-16 / 3.0)));
  CHECK(alibi_slopes(1)[0] == std::exp2(real(-8)));
  CHECK_THROWS_WITH_AS(alibi_slopes(0), "heed: alibi_slopes: expected a number of heads, got 0", Error);
}

TEST_CASE("golden: ALiBi, rotary and relative positions in multi-head attention") {
  Golden golden("positions.txt");
  for (PositionKind kind : {PositionKind::rotary, PositionKind::alibi, PositionKind::relative})
    for (bool causal : {false, true}) {
      Rng rng(1);
      MultiHeadAttention layer(8, 2, rng, {.causal = causal, .positions = kind, .reach = 2});
      std::string name = std::string("mha_") + kind_name(kind) + (causal ? "_causal" : "");
      for (Parameter p : layer.parameters()) p.var.value() = golden[name + "." + p.name];
      check_golden(golden, name, {"x"}, [&](const Vars& v) { return layer(v[0]); });
      for (const Parameter& p : layer.parameters()) {
        CAPTURE(p.name);
        CHECK(close(p.var.grad(), golden[name + ".d." + p.name], loose));
      }
    }
}

TEST_CASE("positions: a step with cached keys gives what the causal layer gives, for every kind and any cut") {
  Rng rng(6);
  Tensor x = random(rng, {2, 40, 10});
  for (PositionKind kind : position_kinds)
    for (Size width : {Size(0), Size(3)}) {
      CAPTURE(kind_name(kind));
      MultiHeadAttention layer(10, 2, rng, {.head_dim = width, .causal = true, .positions = kind, .reach = 3});
      randomise(layer.parameters());
      Tensor whole = layer(x).value();
      for (const std::vector<Size>& cuts : {std::vector<Size>{0, 40}, {0, 1, 2, 3, 40}, {0, 17, 18, 39, 40}}) {
        KeyValueCache cache;
        for (std::size_t i = 0; i + 1 < cuts.size(); i++) {
          Tensor part = layer.step(x.slice(1, cuts[i], cuts[i + 1]), cache).value();
          CHECK(close(part, whole.slice(1, cuts[i], cuts[i + 1]), tolerance(1e-12, 1e-5)));
        }
      }
    }
}

TEST_CASE("positions: queries at the end of a longer memory stand at their places") {
  Rng rng(7);
  Tensor x = random(rng, {2, 9, 8});
  for (PositionKind kind : position_kinds) {
    CAPTURE(kind_name(kind));
    MultiHeadAttention layer(8, 2, rng, {.positions = kind, .reach = 2});
    Tensor whole = layer(x).value(), last = layer(x.slice(1, 6, 9), x, {}).value();
    CHECK(close(last, whole.slice(1, 6, 9), tolerance(1e-12, 1e-5)));
    // More queries than keys: the first ones stand before position 0.
    CHECK(all_finite(layer(x, x.slice(1, 0, 4), {}).value()));
  }
}

TEST_CASE("fault 47: padding in front of nothing shifts no position, for every kind") {
  Rng rng(8);
  Tensor x = random(rng, {2, 30, 8});
  std::vector<int> lengths{5, 30};
  for (PositionKind kind : position_kinds) {
    CAPTURE(kind_name(kind));
    MultiHeadAttention layer(8, 2, rng, {.positions = kind, .reach = 4});
    Tensor alone = layer(x.slice(0, 0, 1).slice(1, 0, 5)).value();
    CHECK(close(layer(x, padding_mask(lengths, 30)).value().slice(0, 0, 1).slice(1, 0, 5), alone,
                tolerance(1e-13, 1e-6)));
  }
}

TEST_CASE("positions: each kind makes attention see the order, alone or in an encoder") {
  Rng rng(9);
  Tensor x = random(rng, {1, 6, 8});
  std::vector<Var> rows;
  for (Size i : {Size(3), Size(0), Size(5), Size(2), Size(1), Size(4)}) rows.push_back(x.slice(1, i, i + 1));
  Tensor shuffled = concat(rows, 1).value();
  for (PositionKind kind : position_kinds) {
    CAPTURE(kind_name(kind));
    Encoder encoder(8, rng, {.layers = 1, .heads = 2, .positions = kind, .reach = 2});
    CHECK((encoder.parameter_count() - Encoder(8, rng, {.layers = 1, .heads = 2}).parameter_count()) ==
          (kind == PositionKind::relative ? 2 * 5 * 4 : 0));
    Tensor y = encoder(x).value(), z = encoder(shuffled).value();
    // The row that stood at 3 came first.
    CHECK(bool(close(z.slice(1, 0, 1), y.slice(1, 3, 4), 1e-4)) == (kind == PositionKind::none));
  }
}

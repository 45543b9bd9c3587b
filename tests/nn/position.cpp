// Tests of nn/position/: sines and cosines, and a learned table.
#include "nn/position/learned.hpp"
#include "nn/position/sinusoidal.hpp"
#include "tests/nn/layers.hpp"

using namespace heed;
using namespace heed::testing;

TEST_CASE("fault 33: sinusoidal positions of odd width end with a sine") {
  Tensor one = sinusoidal_positions(2, 5).slice(0, 1, 2);
  CHECK(close(one, array({1, 5}, {0.84147098, 0.54030231, 0.02511622, 0.99968454, 0.00063096}), 0, 1e-8 + tight));
  CHECK(close(sinusoidal_positions(3, 1), array({3, 1}, {0, std::sin(1), std::sin(2)})));
  Tensor three = sinusoidal_positions(2, 3).slice(0, 1, 2);
  double slow = std::pow(10000.0, -2 / 3.0);
  CHECK(close(three, array({1, 3}, {std::sin(1), std::cos(1), std::sin(slow)})));
}

TEST_CASE("position: column pairs are sine and cosine of one frequency") {
  Tensor table = sinusoidal_positions(50, 8);
  CHECK(table.shape() == Shape{50, 8});
  CHECK(same_bits(table.slice(0, 0, 1), array({1, 8}, {0, 1, 0, 1, 0, 1, 0, 1})));
  for (Size p = 0; p < 50; p++)
    for (Size i = 0; i < 4; i++) {
      double angle = static_cast<double>(p) / std::pow(10000.0, static_cast<double>(2 * i) / 8);
      CHECK(close(static_cast<double>(table.at({p, 2 * i})), std::sin(angle)));
      CHECK(close(static_cast<double>(table.at({p, 2 * i + 1})), std::cos(angle)));
    }
}

TEST_CASE("position: PE of p + k is PE of p turned by angles that depend on k only") {
  const Size d = 6, k = 7;
  Tensor table = sinusoidal_positions(40, d), turn({d, d}, 0);
  for (Size i = 0; i < d; i += 2) {
    double angle = static_cast<double>(k) / std::pow(10000.0, static_cast<double>(i) / static_cast<double>(d));
    real c = static_cast<real>(std::cos(angle)), s = static_cast<real>(std::sin(angle));
    real* m = turn.mut() + i * d + i;
    m[0] = c, m[1] = -s, m[d] = s, m[d + 1] = c;  // row vectors: [sin, cos] times [[c, -s], [s, c]]
  }
  Tensor turned = matmul(table.slice(0, 0, 33), turn).value();
  CHECK(close(turned, table.slice(0, 7, 40), tolerance(1e-13, 1e-5)));
}

TEST_CASE("position: sinusoids are added to every sequence, at any length, and can start later") {
  Rng rng(1);
  Tensor x = random(rng, {2, 300, 5});
  SinusoidalPositions layer;
  Tensor y = layer(x).value(), table = sinusoidal_positions(300, 5);
  CHECK(close(y, map([](real a, real b) { return a + b; }, x, table)));
  CHECK(same_bits(sinusoidal_positions(10, 5, 20), table.slice(0, 20, 30)));
  Tensor dx = input_gradient([&](const Var& v) { return layer(v); }, x, x);
  CHECK(same_bits(dx, x));
  CHECK_THROWS_AS(layer(Tensor({5}, 0)), Error);
}

TEST_CASE("position: a learned table is added to every sequence and collects their gradients") {
  Rng rng(2);
  LearnedPositions layer(6, 3, rng);
  Tensor x = random(rng, {2, 4, 3}), table = layer.table.value();
  CHECK(close(layer(x).value(), map([](real a, real b) { return a + b; }, x, table.slice(0, 0, 4))));
  CHECK(layer_gradcheck([&](const Vars& v) { return layer(v[0]); }, {x}, layer.parameters()) < gradient_tolerance);
  layer(x).backward(Tensor({2, 4, 3}, 1));
  CHECK(same_bits(layer.table.grad().slice(0, 0, 4), Tensor({4, 3}, 2)));
  CHECK(same_bits(layer.table.grad().slice(0, 4, 6), Tensor({2, 3}, 0)));
  CHECK_FALSE(layer.parameters()[0].decay);
  CHECK(layer(random(rng, {1, 6, 3})).shape() == Shape{1, 6, 3});
}

TEST_CASE("position: a learned table starts N(0, 0.02)") {
  Rng rng(3);
  LearnedPositions layer(200, 50, rng);
  double squares = 0;
  for (real x : layer.table.value().to_vector()) squares += static_cast<double>(x) * static_cast<double>(x);
  CHECK(std::abs(squares / 10000 / (0.02 * 0.02) - 1) < 0.05);
}

TEST_CASE("position: a sequence longer than the learned table is refused with both numbers") {
  Rng rng(4);
  LearnedPositions layer(128, 4, rng);
  std::string message;
  try {
    layer(Tensor({1, 129, 4}, 0));
  } catch (const Error& error) {
    message = error.what();
  }
  CAPTURE(message);
  for (const char* part : {"LearnedPositions", "128", "129"}) CHECK(message.find(part) != std::string::npos);
  CHECK_THROWS_AS(layer(Tensor({4}, 0)), Error);
}

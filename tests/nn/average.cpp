// Tests of nn/optim/average.hpp: the running average of the weights.
#include "nn/optim/average.hpp"

#include "tests/check.hpp"

using namespace heed;
using namespace heed::testing;

namespace {
Parameter leaf(const std::string& name, double value) { return {name, Var::parameter(array({2}, {value, -value}))}; }
double first(const Parameter& p) { return static_cast<double>(p.var.value().at({0})); }
void set(Parameter& p, double value) { p.var.value() = array({2}, {value, -value}); }
}  // namespace

TEST_CASE("average: d a + (1 - d) p with d = min(decay, (1 + t) / (10 + t))") {
  for (double decay : {0.3, 0.99}) {
    Parameter p = leaf("p", 1);
    WeightAverage average({p}, decay);
    double expected = 1;
    for (int t = 1; t <= 20; t++) {
      set(p, t * 0.5);
      average.update();
      double d = std::min(decay, (1.0 + t) / (10 + t));
      expected = d * expected + (1 - d) * t * 0.5;
      average.swap();
      CHECK(close(first(p), expected, tolerance(1e-13, 1e-5)));
      average.swap();
      CHECK(first(p) == t * 0.5);
    }
  }
}

TEST_CASE("average: swapping twice gives the weights back to the bit, and training goes on from them") {
  Parameter p = leaf("p", 0.1);
  WeightAverage average({p}, 0.9);
  set(p, 0.7);
  Tensor weights = p.var.value();
  average.update();
  average.swap();
  CHECK_FALSE(same_bits(p.var.value(), weights));
  average.swap();
  CHECK(same_bits(p.var.value(), weights));
}

TEST_CASE("average: a later change of the weights does not reach it") {
  Parameter p = leaf("p", 1);
  WeightAverage average({p}, 0.9);
  p.var.value().mut()[0] = 100;
  average.swap();
  CHECK(first(p) == 1);
}

TEST_CASE("average: state() restores average and count") {
  Parameter p = leaf("p", 1), q = leaf("p", 5);
  WeightAverage a({p}, 0.999), b({q}, 0.999);
  for (int t = 0; t < 7; t++) set(p, t), a.update();
  b.load_state(a.state());
  set(p, 3), set(q, 3);
  a.update(), b.update();
  a.swap(), b.swap();
  CHECK(same_bits(p.var.value(), q.var.value()));
}

TEST_CASE("average: a state that lacks a name or has another shape is refused and changes nothing") {
  Parameter p = leaf("p", 1), q = leaf("q", 2);
  WeightAverage a({p, q}, 0.9), b({p, q}, 0.9);
  set(p, 4), set(q, 5);
  a.update();
  std::vector<NamedTensor> good = a.state(), before = b.state();
  REQUIRE(good.size() == 3);
  auto unchanged = [&] {
    std::vector<NamedTensor> now = b.state();
    for (std::size_t i = 0; i < 3; i++) CHECK(same_bits(now[i].second, before[i].second));
  };
  CHECK_THROWS_AS(b.load_state({}), Error);
  for (std::size_t i = 0; i < 3; i++) {
    CAPTURE(i);
    std::vector<NamedTensor> bad = good;
    bad.erase(bad.begin() + static_cast<std::ptrdiff_t>(i));
    CHECK_THROWS_AS(b.load_state(bad), Error);
    unchanged();
    bad = good;
    bad[i].second = Tensor({5}, 1);
    CHECK_THROWS_AS(b.load_state(bad), Error);
    unchanged();
    b.load_state(before);
  }
}

TEST_CASE("fault 75: a parameter listed twice is averaged once, and swapping twice gives it back") {
  Parameter p = leaf("p", 1);
  WeightAverage average({p, {"again", p.var}}, 0.3);
  set(p, 2);
  average.update();
  double expected = 2.0 / 11 + 9.0 / 11 * 2;  // d = 2 / 11
  average.swap();
  CHECK(close(first(p), expected, 1e-6));
  average.swap();
  CHECK(first(p) == 2);
}

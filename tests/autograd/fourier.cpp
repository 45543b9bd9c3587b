// Tests of autograd/fourier.cpp against the matrices of cosines and sines.
#include <numbers>

#include "tensor/counters.hpp"
#include "tests/autograd/gradients.hpp"
#include "tests/golden.hpp"

using namespace heed;
using namespace heed::testing;

namespace {

/// C_N x C_D - S_N x S_D for one sequence, in double, term by term.
std::vector<double> definition(const Tensor& x, Size b) {
  Size n = x.size(1), d = x.size(2);
  std::vector<double> out;
  for (Size i = 0; i < n; i++)
    for (Size c = 0; c < d; c++) {
      double total = 0;
      for (Size j = 0; j < n; j++)
        for (Size e = 0; e < d; e++)
          total += static_cast<double>(x.at({b, j, e})) *
                   std::cos(2 * std::numbers::pi *
                            (static_cast<double>(i * j % n) / static_cast<double>(n) +
                             static_cast<double>(c * e % d) / static_cast<double>(d)));
      out.push_back(total);
    }
  return out;
}

double worst(const Tensor& x) {
  Tensor y = fourier_mix(x).value();
  double largest = 0, scale = std::sqrt(static_cast<double>(x.size(1) * x.size(2)));
  for (Size b = 0; b < x.size(0); b++) {
    std::vector<double> expected = definition(x, b);
    std::vector<real> got = y.slice(0, b, b + 1).to_vector();
    for (std::size_t i = 0; i < got.size(); i++)
      largest = std::max(largest, std::abs(static_cast<double>(got[i]) - expected[i]) / scale);
  }
  return largest;
}

}  // namespace

TEST_CASE("fourier: the matrices of cosines and sines, for lengths that split, primes, and products of large primes") {
  Rng rng(1);
  for (Size n : {1, 2, 3, 4, 7, 8, 9, 11, 16, 24, 35, 61, 64, 67, 121, 127, 134, 143, 256, 67 * 3}) {
    CAPTURE(n);
    CHECK(worst(random(rng, {2, n, 3})) < tolerance(1e-12, 1e-5));
  }
  for (Size d : {1, 2, 12, 13, 64, 71, 142, 514, 521}) {
    CAPTURE(d);
    CHECK(worst(random(rng, {2, 5, d})) < tolerance(1e-12, 1e-5));
  }
  CHECK(worst(random(rng, {1, 4489, 1})) < tolerance(1e-12, 1e-5));  // 67²
  CHECK(close(fourier_mix(Tensor({1, 1, 1}, 3)).value(), Tensor({1, 1, 1}, 3)));
}

TEST_CASE("fourier: backward is the same function, to the bit; gradients; views") {
  Rng rng(2);
  Tensor x = random(rng, {2, 12, 5}), seed = random(rng, {2, 12, 5});
  CHECK(same_bits(gradient([](const Var& v) { return fourier_mix(v); }, x, seed), fourier_mix(seed).value()));
  check_gradients([](const std::vector<Var>& v) { return fourier_mix(v[0]); }, {x});
  check_gradients([](const std::vector<Var>& v) { return fourier_mix(v[0]); }, {random(rng, {1, 71, 2})});
}

TEST_CASE("fourier: errors") {
  CHECK_THROWS_WITH_AS(fourier_mix(Tensor({2, 0, 3})),
                       "heed: fourier_mix: expected (B, N, D), none of them 0, got (2, 0, 3)", Error);
  CHECK_THROWS_AS(fourier_mix(Tensor({2, 3}, 1)), Error);
}

TEST_CASE("golden: fourier_mix") {
  Golden golden("mixers.txt");
  for (const char* name : {"fourier", "fourier.prime"})
    check_golden(golden, name, {"x"}, [](const std::vector<Var>& v) { return fourier_mix(v[0]); });
}

TEST_CASE("cost: a Fourier transform takes O(n log n) for every length, forward and backward") {
  auto cost = [](Size n) {
    Rng rng(3);
    Var x = Var::parameter(random(rng, {1, n, 16}));
    reset_counters();
    Size start = counters().live_bytes;
    fourier_mix(x).backward(Tensor({1, n, 16}, 1));
    return std::pair(static_cast<double>(counters().multiply_adds), static_cast<double>(counters().peak_bytes - start));
  };
  for (Size n : {512, 1024, 2048, 521, 1031}) {
    auto [work, bytes] = cost(n);
    auto [work2, bytes2] = cost(n == 521 ? 1031 : n == 1031 ? 2053 : 2 * n);  // the next prime of twice the size
    CAPTURE(n);
    CHECK(work2 / work > 1.9);
    CHECK(work2 / work < 2.5);
    CHECK(bytes2 / bytes < 2.2);
    CHECK(bytes < 60.0 * 16 * static_cast<double>(n) * sizeof(real));
  }
}

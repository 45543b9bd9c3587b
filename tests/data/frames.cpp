#include "models/data/frames.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "tensor/rng.hpp"

using namespace heed;

namespace {

constexpr double pi = std::numbers::pi;

double mel(double hertz) { return 2595 * std::log10(1 + hertz / 700); }

// One frame from its definition, with a sum for each bin and a triangle drawn in Hz.
std::vector<double> frame_by_sums(const std::vector<float>& x, std::size_t m) {
  std::vector<double> power, out;
  for (int k = 0; k <= 256; k++) {
    double re = 0, im = 0;
    for (int n = 0; n < 400; n++) {
      auto at = 160 * m + static_cast<std::size_t>(n);
      double before = at ? static_cast<double>(x[at - 1]) : 0;
      double v = (static_cast<double>(x[at]) - 0.97 * before) * (0.54 - 0.46 * std::cos(2 * pi * n / 399));
      re += v * std::cos(2 * pi * n * k / 512), im -= v * std::sin(2 * pi * n * k / 512);
    }
    power.push_back((re * re + im * im) / 512);
  }
  for (int f = 0; f < 80; f++) {
    auto corner = [&](int i) { return 700 * (std::pow(10, mel(8000) / 81 * i / 2595) - 1); };
    double low = corner(f), peak = corner(f + 1), high = corner(f + 2), sum = 0;
    for (int k = 0; k <= 256; k++) {
      double hertz = k * 31.25;
      if (hertz > low && hertz <= peak) sum += power[static_cast<std::size_t>(k)] * (hertz - low) / (peak - low);
      if (hertz > peak && hertz < high) sum += power[static_cast<std::size_t>(k)] * (high - hertz) / (high - peak);
    }
    out.push_back(std::log(std::max(sum, 1e-10)));
  }
  return out;
}

std::vector<float> noise(std::size_t count) {
  Rng rng(3);
  std::vector<float> x;
  for (std::size_t i = 0; i < count; i++) x.push_back(static_cast<float>(0.1 * rng.normal()));
  return x;
}

}  // namespace

TEST_CASE("frames: how many") {
  CHECK(frame_count(16000) == 98);
  CHECK(frame_count(399) == 0);
  CHECK(frame_count(400) == 1);
  CHECK(frame_count(559) == 1);
  CHECK(frame_count(560) == 2);
  CHECK(frame_count(0) == 0);
  CHECK(log_mel(noise(399)).empty());
  CHECK(mfcc(noise(399)).empty());
  CHECK(log_mel({}).empty());
  CHECK(log_mel(noise(16000)).size() == 98 * 80);
  CHECK(mfcc(noise(16000)).size() == 98 * 39);
}

TEST_CASE("frames: filter banks agree with sums") {
  std::vector<float> x = noise(1000), rows = log_mel(x);
  for (std::size_t i = 300; i < 700; i++)
    x[i] += static_cast<float>(std::sin(2 * pi * 440 * static_cast<double>(i) / 16000));
  rows = log_mel(x);
  REQUIRE(rows.size() == 4 * 80);
  for (std::size_t m = 0; m < 4; m++) {
    std::vector<double> expected = frame_by_sums(x, m);
    for (std::size_t f = 0; f < 80; f++) CHECK(std::abs(static_cast<double>(rows[m * 80 + f]) - expected[f]) < 1e-5);
  }
}

TEST_CASE("frames: silence is log 1e-10") {
  for (float value : log_mel(std::vector<float>(800))) CHECK(value == static_cast<float>(std::log(1e-10)));
  std::vector<float> rows = mfcc(std::vector<float>(800));
  for (std::size_t i = 0; i < rows.size(); i++)
    CHECK(static_cast<double>(rows[i]) == doctest::Approx(i % 39 ? 0 : std::log(1e-10) * std::sqrt(80)));
}

TEST_CASE("frames: a tone stands in the filter whose peak is nearest") {
  for (double hertz : {500.0, 1000.0, 3000.0}) {
    std::vector<float> x;
    for (int n = 0; n < 400; n++) x.push_back(static_cast<float>(std::sin(2 * pi * hertz * n / 16000)));
    std::vector<float> row = log_mel(x);
    auto best = std::max_element(row.begin(), row.end()) - row.begin();
    CHECK(std::abs(static_cast<double>(best + 1) * mel(8000) / 81 - mel(hertz)) < mel(8000) / 81);
  }
}

TEST_CASE("frames: cepstra are the transform of the filter banks, deltas their slopes") {
  std::vector<float> x = noise(2000), banks = log_mel(x), rows = mfcc(x);
  std::size_t frames = banks.size() / 80;
  REQUIRE(frames == 11);
  auto c = [&](Size m, std::size_t k) {
    return static_cast<double>(rows[static_cast<std::size_t>(std::clamp<Size>(m, 0, 10)) * 39 + k]);
  };
  for (std::size_t m = 0; m < frames; m++) {
    for (std::size_t k = 0; k < 13; k++) {
      double sum = 0;
      for (std::size_t f = 0; f < 80; f++)
        sum += static_cast<double>(banks[m * 80 + f]) *
               std::cos(pi / 80 * (static_cast<double>(f) + 0.5) * static_cast<double>(k));
      CHECK(c(static_cast<Size>(m), k) == doctest::Approx(sum * (k ? std::sqrt(2.0 / 80) : std::sqrt(1.0 / 80))));
    }
    for (std::size_t k = 13; k < 39; k++) {
      auto t = static_cast<Size>(m);
      double slope = (c(t + 1, k - 13) - c(t - 1, k - 13) + 2 * (c(t + 2, k - 13) - c(t - 2, k - 13))) / 10;
      CHECK(std::abs(c(t, k) - slope) < 1e-5);
    }
  }
}

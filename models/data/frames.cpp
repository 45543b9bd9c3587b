#include "models/data/frames.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <numbers>

namespace heed {
namespace {

constexpr std::size_t fft_length = 512, bins = fft_length / 2 + 1, filters = mel_filters, cepstra = 13;
constexpr double pi = std::numbers::pi;
using Complex = std::complex<double>;

/// The discrete Fourier transform in place (Cooley, Tukey 1965), in double: quiet bins stand beside loud ones.
void transform(std::array<Complex, fft_length>& x) {
  static const auto roots = [] {
    std::array<Complex, fft_length / 2> w;
    for (std::size_t k = 0; k < w.size(); k++) w[k] = std::polar(1.0, -2 * pi * static_cast<double>(k) / fft_length);
    return w;
  }();
  for (std::size_t i = 1, j = 0; i < fft_length; i++) {  // bits of the index in reverse
    std::size_t bit = fft_length / 2;
    for (; j & bit; bit /= 2) j ^= bit;
    j ^= bit;
    if (i < j) std::swap(x[i], x[j]);
  }
  for (std::size_t half = 1; half < fft_length; half *= 2)
    for (std::size_t start = 0; start < fft_length; start += 2 * half)
      for (std::size_t k = 0; k < half; k++) {
        const Complex w = roots[k * (fft_length / 2 / half)], a = x[start + k], b = x[start + k + half];
        const Complex turned(w.real() * b.real() - w.imag() * b.imag(), w.real() * b.imag() + w.imag() * b.real());
        x[start + k] = a + turned;
        x[start + k + half] = a - turned;
      }
}

/// A triangle's weights, from the first bin that it weighs.
struct Filter {
  std::size_t first = 0;
  std::vector<double> weights;
};

std::vector<Filter> make_filters() {
  const double top = 2595 * std::log10(1 + 8000 / 700.0);
  const auto corner = [top](std::size_t i) {
    return 700 * (std::pow(10, top * static_cast<double>(i) / (filters + 1) / 2595) - 1);
  };
  std::vector<Filter> made(filters);
  for (std::size_t f = 0; f < filters; f++) {
    const double low = corner(f), peak = corner(f + 1), high = corner(f + 2);
    for (std::size_t bin = 0; bin < bins; bin++) {
      const double hertz = static_cast<double>(bin) * sample_rate / fft_length;
      const double weight = std::min((hertz - low) / (peak - low), (high - hertz) / (high - peak));
      if (weight <= 0) continue;
      if (made[f].weights.empty()) made[f].first = bin;
      made[f].weights.push_back(weight);
    }
  }
  return made;
}

/// The rows of log_mel(), in double.
std::vector<double> log_energies(std::span<const float> samples) {
  static const std::vector<Filter> made = make_filters();
  static const auto window = [] {
    std::array<double, frame_length> w;
    for (std::size_t n = 0; n < w.size(); n++) w[n] = 0.54 - 0.46 * std::cos(2 * pi * static_cast<double>(n) / 399);
    return w;
  }();
  std::vector<double> rows;
  const auto frames = static_cast<std::size_t>(frame_count(static_cast<Size>(samples.size())));
  rows.reserve(frames * filters);
  for (std::size_t m = 0; m < frames; m++) {
    std::array<Complex, fft_length> x{};
    for (std::size_t n = 0; n < window.size(); n++) {
      const std::size_t at = m * frame_shift + n;
      const double before = at == 0 ? 0 : static_cast<double>(samples[at - 1]);
      x[n] = window[n] * (static_cast<double>(samples[at]) - 0.97 * before);
    }
    transform(x);
    for (const Filter& filter : made) {
      double energy = 0;
      for (std::size_t i = 0; i < filter.weights.size(); i++)
        energy += filter.weights[i] * std::norm(x[filter.first + i]) / fft_length;
      rows.push_back(std::log(std::max(energy, 1e-10)));
    }
  }
  return rows;
}

}  // namespace

std::vector<float> log_mel(std::span<const float> samples) {
  const std::vector<double> rows = log_energies(samples);
  return {rows.begin(), rows.end()};
}

std::vector<float> mfcc(std::span<const float> samples) {
  const std::vector<double> energies = log_energies(samples);
  const std::size_t frames = energies.size() / filters;
  std::vector<double> rows(frames * mfcc_width);
  for (std::size_t m = 0; m < frames; m++)
    for (std::size_t k = 0; k < cepstra; k++) {
      double sum = 0;
      for (std::size_t f = 0; f < filters; f++)
        sum += energies[m * filters + f] * std::cos(pi * static_cast<double>(k * (2 * f + 1)) / (2 * filters));
      rows[m * mfcc_width + k] = sum * std::sqrt((k == 0 ? 1.0 : 2.0) / filters);
    }
  for (std::size_t k = cepstra; k < mfcc_width; k++)
    for (std::size_t m = 0; m < frames; m++) {
      const auto near = [&](std::size_t at) { return rows[std::min(at, frames - 1) * mfcc_width + k - cepstra]; };
      for (std::size_t n = 1; n <= 2; n++)
        rows[m * mfcc_width + k] += static_cast<double>(n) * (near(m + n) - near(m < n ? 0 : m - n)) / 10;
    }
  return {rows.begin(), rows.end()};
}

}  // namespace heed

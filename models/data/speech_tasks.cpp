// Tasks on speech: whose sound it is, and which sound each frame is part of.
#include <array>
#include <cmath>
#include <numbers>

#include "models/data/frames.hpp"
#include "models/data/task_sources.hpp"

namespace HEED_NAMESPACE::tasks {

namespace {

constexpr double turn = 2 * std::numbers::pi;
const std::vector<std::string> phone_names = {"a", "e", "i", "o", "u"};
// The lower two formants of men's vowels in Hz (after Peterson, Barney 1952).
constexpr std::array<std::array<double, 2>, 5> formants = {
    {{730, 1090}, {530, 1840}, {270, 2290}, {570, 840}, {300, 870}}};

// A phone for each of `frames` frames; each lasts 5 to 9 of them, the last perhaps less.
std::vector<int> draw_phones(Rng& rng, int frames) {
  std::vector<int> row;
  int phone = below(rng, 5);
  while (static_cast<int>(row.size()) < frames) {
    row.insert(row.end(), 5 + static_cast<std::size_t>(below(rng, 5)), phone);
    phone = (phone + 1 + below(rng, 4)) % 5;
  }
  row.resize(static_cast<std::size_t>(frames));
  return row;
}

int samples_of(int frames) { return frame_length + frame_shift * (frames - 1); }

// The frame whose centre is nearest to a sample.
std::size_t frame_of(int sample, int frames) {
  int nearest = (sample - (frame_length - frame_shift) / 2) / frame_shift;
  return static_cast<std::size_t>(std::clamp(nearest, 0, frames - 1));
}

ExampleSet frames_set(std::vector<std::string> classes, int width = mel_filters) {
  ExampleSet set;
  set.width = width, set.classes = std::move(classes);
  return set;
}

}  // namespace

TaskSource phones(int frames) {
  ExampleSet set = frames_set(phone_names, 16);
  set.answer = Answer::each;
  return {set, [=](Rng& rng) {
            Example item;
            item.targets = draw_phones(rng, frames);
            for (int phone : item.targets)
              for (int channel = 0; channel < 16; channel++)
                item.features.push_back(static_cast<float>(1.3 * rng.normal() + (channel / 2 == phone ? 1.5 : 0)));
            return item;
          }};
}

TaskSource phones_wave(int frames) {
  ExampleSet set = frames_set(phone_names);
  set.answer = Answer::each;
  return {set, [=](Rng& rng) {
            Example item;
            item.targets = draw_phones(rng, frames);
            std::vector<float> samples;
            std::array<double, 2> step{}, phase{};
            for (int n = 0, now = -1; n < samples_of(frames); n++) {
              int phone = item.targets[frame_of(n, frames)];
              for (std::size_t i = 0; i < 2; i++) {
                if (phone != now)
                  step[i] =
                      turn * formants[static_cast<std::size_t>(phone)][i] * (1 + 0.04 * rng.normal()) / sample_rate;
                phase[i] += step[i];
              }
              now = phone;
              samples.push_back(
                  static_cast<float>(0.3 * std::sin(phase[0]) + 0.15 * std::sin(phase[1]) + 0.4 * rng.normal()));
            }
            item.features = log_mel(samples);
            return item;
          }};
}

TaskSource speaker(int) {
  return {frames_set(numbers(8)), [](Rng& rng) {
            constexpr int frames = 98;
            constexpr std::array<double, 4> pitches = {100, 125, 156, 195};
            int who = below(rng, 8);
            double tilt = who % 2 ? 1.5 : 0.7;  // harmonic k is k^-tilt as strong
            std::vector<int> phone = draw_phones(rng, frames);
            std::vector<double> harmonics;
            std::vector<float> samples;
            double phase = 0, step = 0;
            for (int n = 0, now = -1; n < sample_rate; n++) {
              if (int next = phone[frame_of(n, frames)]; next != now) {
                now = next;
                double pitch = pitches[static_cast<std::size_t>(who / 2)] * (1 + 0.01 * rng.normal());
                step = turn * pitch / sample_rate;
                harmonics.clear();
                for (int k = 1; k * pitch < 4000; k++) {
                  double strength = 0.1;
                  for (double peak : formants[static_cast<std::size_t>(now)])
                    strength += 1 / (1 + std::pow((k * pitch - peak) / 100, 2));
                  harmonics.push_back(strength * std::pow(k, -tilt));
                }
              }
              phase += step;
              // sin((k + 1) p) = 2 cos(p) sin(k p) - sin((k - 1) p)
              double twice = 2 * std::cos(phase), before = 0, sine = std::sin(phase), sum = 0;
              for (double h : harmonics) {
                sum += h * sine;
                before = std::exchange(sine, twice * sine - before);
              }
              samples.push_back(static_cast<float>(0.2 * sum + 0.02 * rng.normal()));
            }
            Example item;
            item.features = log_mel(samples), item.targets = {who};
            return item;
          }};
}

}  // namespace HEED_NAMESPACE::tasks

// Tasks on signals, sound and graphs: every answer worked out again from the item, and how far a simple look gets.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <set>

#include "models/data/tasks.hpp"
#include "tests/data/nearest.hpp"

using namespace heed;

namespace {

ExampleSet draw(const char* name, std::size_t count) { return make_task(name, count, 7); }

}  // namespace

TEST_CASE("tasks: a frequency is where the transform is largest") {
  ExampleSet set = draw("frequency", 300);
  double right = 0;
  for (const Example& item : set.items) {
    std::vector<double> power;
    for (int k = 0; k < 8; k++) {
      double re = 0, im = 0;
      for (int i = 0; i < 64; i++) {
        double angle = 2 * std::numbers::pi * (2 + 3 * k) * i / 64,
               x = static_cast<double>(item.features[static_cast<std::size_t>(i)]);
        re += x * std::cos(angle), im += x * std::sin(angle);
      }
      power.push_back(re * re + im * im);
    }
    right += std::max_element(power.begin(), power.end()) - power.begin() == item.targets[0];
  }
  CHECK(right / 300 > 0.99);
}

TEST_CASE("tasks: phones last 5 to 9 frames; one frame alone says 0.69") {
  ExampleSet set = draw("phones", 300);
  double right = 0, all = 0;
  for (const Example& item : set.items) {
    REQUIRE(item.targets.size() == 60);
    int run = 0;
    for (std::size_t i = 0; i < 60; i++, run++) {
      if (i > 0 && item.targets[i] != item.targets[i - 1]) {
        CHECK(run >= 5);
        CHECK(run <= 9);
        run = 0;
      }
      int best = 0;  // the best guess from one frame
      auto pair = [&](int phone) {
        auto at = i * 16 + 2 * static_cast<std::size_t>(phone);
        return item.features[at] + item.features[at + 1];
      };
      for (int phone = 1; phone < 5; phone++)
        if (pair(phone) > pair(best)) best = phone;
      right += best == item.targets[i], all++;
    }
  }
  CHECK(right / all == doctest::Approx(0.69).epsilon(0.02));
}

TEST_CASE("tasks: waveforms become frames that tell phones and voices") {
  ExampleSet waves = draw("phones_wave", 40), frames = waves;
  frames.items.clear();
  for (const Example& item : waves.items) {
    REQUIRE(item.features.size() == 60 * 80);
    for (std::size_t i = 0; i < 60; i++) {
      auto at = item.features.begin() + static_cast<Size>(i) * 80;
      frames.items.push_back({{}, {}, {at, at + 80}, {item.targets[i]}, {}});
    }
  }
  auto numbers = [](const Example& item) { return std::vector<double>(item.features.begin(), item.features.end()); };
  double phones = testing::nearest_mean(frames, numbers);
  double voices = testing::nearest_mean(draw("speaker", 160), [](const Example& item) {
    REQUIRE(item.features.size() == 98 * 80);
    std::vector<double> mean(80);
    for (std::size_t i = 0; i < item.features.size(); i++) mean[i % 80] += static_cast<double>(item.features[i]) / 98;
    return mean;
  });
  CHECK(phones > 0.8);
  CHECK(phones < 0.99);
  CHECK(voices > 0.3);
}

TEST_CASE("tasks: nodes of a class are joined eight times as often; features alone say 0.59") {
  ExampleSet set = draw("nodes", 200);
  double right = 0, all = 0;
  std::map<bool, double> joined, pairs;
  for (const Example& item : set.items) {
    std::set<std::pair<int, int>> edges;
    for (const GraphEdge& e : item.edges) edges.insert({e.from, e.to});
    CHECK(edges.size() == item.edges.size());
    for (int i = 0; i < 60; i++) {
      auto at = item.features.begin() + 3 * i;
      int answer = item.targets[static_cast<std::size_t>(i)];
      right += std::max_element(at, at + 3) - at == answer, all++;
      CHECK(edges.count({i, i}) == 1);
      for (int j = 0; j < i; j++) {
        bool alike = answer == item.targets[static_cast<std::size_t>(j)];
        CHECK(edges.count({i, j}) == edges.count({j, i}));
        joined[alike] += static_cast<double>(edges.count({i, j})), pairs[alike]++;
      }
    }
  }
  CHECK(right / all == doctest::Approx(0.59).epsilon(0.02));
  CHECK(joined[true] / pairs[true] == doctest::Approx(0.25).epsilon(0.02));
  CHECK(joined[false] / pairs[false] == doctest::Approx(0.03).epsilon(0.03));
}

TEST_CASE("tasks: molecules keep valences, hang together, and atoms alone do not tell") {
  ExampleSet set = draw("molecules", 20000);
  const std::map<std::string, int> valence = {{"H", 1}, {"C", 4}, {"N", 3}, {"O", 2}, {"F", 1}};
  std::map<std::vector<int>, std::map<int, int>> by_counts;
  double positive = 0;
  std::set<std::size_t> rings;
  for (const Example& item : set.items) {
    auto atoms = item.symbols.size();
    auto name = [&](int i) { return set.names[static_cast<std::size_t>(item.symbols[static_cast<std::size_t>(i)])]; };
    std::vector<int> used(atoms), part(atoms);
    bool oh = false, nd = false;
    std::set<std::pair<int, int>> bonds;
    for (const GraphEdge& e : item.edges) {
      CHECK(bonds.insert({e.from, e.to}).second);
      used[static_cast<std::size_t>(e.from)] += e.type + 1;
      oh |= name(e.from) == "O" && name(e.to) == "H";
      nd |= (name(e.from) == "N" || name(e.to) == "N") && e.type == 1;
    }
    for (std::size_t i = 0; i < atoms; i++) CHECK(used[i] <= valence.at(name(static_cast<int>(i))));
    part[0] = 1;
    for (std::size_t round = 0; round < atoms; round++)
      for (const GraphEdge& e : item.edges)
        part[static_cast<std::size_t>(e.to)] |= part[static_cast<std::size_t>(e.from)];
    CHECK(std::count(part.begin(), part.end(), 1) == static_cast<Size>(atoms));
    CHECK(item.targets[0] == (oh != nd));
    CHECK(atoms >= 4);
    CHECK(atoms <= 12);
    rings.insert(item.edges.size() / 2 + 1 - atoms);
    std::vector<int> counts(6);
    for (int symbol : item.symbols) counts[static_cast<std::size_t>(symbol)]++;
    by_counts[counts][item.targets[0]]++;
    positive += item.targets[0];
  }
  CHECK(rings == std::set<std::size_t>{0, 1, 2});
  CHECK(positive / 20000 == doctest::Approx(0.5).epsilon(0.12));
  double best = 0;
  for (auto& [counts, answers] : by_counts) best += std::max(answers[0], answers[1]);
  CHECK(best / 20000 < 0.78);
}

// Tasks on symbols: every answer worked out again from the definition, and how far a guess gets.
#include <doctest/doctest.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "models/data/tasks.hpp"

using namespace heed;

namespace {

std::vector<Example> items(const char* name, std::size_t count = 300) { return make_task(name, count, 7).items; }

std::vector<int> shifted(std::vector<int> ids, int by) {
  for (int& id : ids) id += by;
  return ids;
}

}  // namespace

TEST_CASE("tasks: digits reversed, copied and sorted, of all lengths") {
  std::set<std::size_t> lengths;
  for (const Example& item : items("reverse")) {
    lengths.insert(item.symbols.size());
    std::vector<int> ids = shifted(item.targets, -2);
    CHECK(std::equal(ids.rbegin(), ids.rend(), item.symbols.begin(), item.symbols.end()));
  }
  CHECK(lengths == std::set<std::size_t>{3, 4, 5, 6, 7, 8, 9, 10});
  for (const Example& item : items("copy")) CHECK(shifted(item.targets, -2) == item.symbols);
  for (const Example& item : items("sort")) {
    std::vector<int> sorted = item.symbols;
    std::sort(sorted.begin(), sorted.end());
    CHECK(shifted(item.targets, -2) == sorted);
  }
  ExampleSet set = make_task("sort", 1, 1);
  CHECK(set.names[1] == "0");
  CHECK(set.classes[3] == "0");
  CHECK(set.classes.size() == 13);
}

TEST_CASE("tasks: recall asks for the value of one of the keys, all of them different") {
  for (const Example& item : items("recall")) {
    REQUIRE(item.symbols.size() == 13);
    auto key = std::find(item.symbols.begin(), item.symbols.end(), item.symbols.back());
    auto at = static_cast<std::size_t>(key - item.symbols.begin());
    CHECK(at < 12);
    CHECK(item.targets.back() == item.second[at] - 1);
    CHECK(item.second.back() == 0);
    CHECK(std::set<int>(item.symbols.begin(), item.symbols.end()).size() == 12);
    CHECK(std::count(item.targets.begin(), item.targets.end(), -1) == 12);
  }
  for (const Example& item : items("recall_stream")) {
    REQUIRE(item.symbols.size() == 25);
    auto key = std::find(item.symbols.begin(), item.symbols.end(), item.symbols.back());
    CHECK((key - item.symbols.begin()) % 2 == 0);
    CHECK(key[1] == 33 + item.targets.back());
  }
}

TEST_CASE("tasks: partner, needle") {
  for (const Example& item : items("partner")) {
    REQUIRE(item.symbols.size() == 64);
    for (std::size_t i = 0; i < 64; i++) {
      std::size_t other = i;
      for (std::size_t j = 0; j < 64; j++)
        if (j != i && item.symbols[j] == item.symbols[i]) other = j;
      REQUIRE(other != i);
      CHECK(item.targets[i] == item.second[other] - 1);
    }
  }
  std::set<std::size_t> places;
  for (const Example& item : items("needle")) {
    REQUIRE(item.symbols.size() == 128);
    for (std::size_t block = 0; block < 16; block++) {
      int keys = 0;
      for (std::size_t i = block * 8; i < block * 8 + 8; i++) {
        bool key = item.symbols[i] <= 32;
        if (key && i < 127) places.insert(i % 8);
        keys += key;
        CHECK((item.second[i] > 0) == (key && i < 127));
        if (key && i < 127 && item.symbols[i] == item.symbols[127]) CHECK(item.targets[127] == item.second[i] - 1);
      }
      CHECK(keys == 1);
    }
    CHECK(item.targets[127] >= 0);
    CHECK(std::count(item.targets.begin(), item.targets.end(), -1) == 127);
  }
  CHECK(places.size() == 8);
}

TEST_CASE("tasks: answers that depend on other positions by place") {
  double alone = 0, window = 0, all = 0;
  for (const Example& item : items("majority")) {
    auto bit = [&](int i) { return i < 0 || i > 63 ? 0 : item.symbols[static_cast<std::size_t>(i)] - 1; };
    for (int i = 0; i < 64; i++) {
      int y = item.targets[static_cast<std::size_t>(i)];
      CHECK(y == (bit(i - 1) + bit(i) + bit(i + 1)) / 2);
      alone += y == bit(i), all++;
    }
  }
  CHECK(alone / all == doctest::Approx(0.75).epsilon(0.02));
  for (const Example& item : items("stride_copy"))
    for (std::size_t i = 0; i < 64; i++) CHECK(item.targets[i] == (i < 5 ? -1 : item.symbols[i - 5] - 1));
  for (const Example& item : items("permutation"))
    for (std::size_t i = 0; i < 16; i++) CHECK(item.targets[i] == item.symbols[15 - i] - 1);
  for (const Example& item : items("causal_copy")) {
    REQUIRE(item.symbols.size() == 32);
    CHECK(item.symbols[16] == 13);
    for (std::size_t i = 0; i < 32; i++) {
      CHECK(item.targets[i] == (i < 16 ? -1 : item.symbols[i - 16] - 1));
      if (i > 16) CHECK(item.symbols[i] == item.targets[i - 1] + 1);
    }
  }
  all = 0;
  for (const Example& item : items("vote")) {
    auto most = [&](std::size_t from, std::size_t to) {
      std::vector<int> counts(3);
      for (std::size_t i = from; i < to; i++) counts[static_cast<std::size_t>(item.symbols[i] - 1)]++;
      return counts[0] >= counts[1] && counts[0] >= counts[2] ? 0 : counts[1] >= counts[2] ? 1 : 2;
    };
    for (std::size_t i = 0; i < 64; i++) {
      CHECK(item.targets[i] == most(0, 64));
      window += item.targets[i] == most(i < 2 ? 0 : i - 2, std::min<std::size_t>(64, i + 3)), all++;
    }
  }
  CHECK(window / all == doctest::Approx(0.44).epsilon(0.05));
}

TEST_CASE("tasks: parity so far, and of all") {
  double ones = 0;
  for (const Example& item : items("parity")) {
    REQUIRE(item.symbols.size() == 24);
    for (std::size_t i = 0; i < 24; i++) {
      auto sum = std::accumulate(item.symbols.begin(), item.symbols.begin() + static_cast<Size>(i) + 1, 0);
      CHECK(item.targets[i] == (sum - static_cast<int>(i) - 1) % 2);
    }
  }
  for (const Example& item : items("parity_whole", 2000)) {
    int sum = std::accumulate(item.symbols.begin(), item.symbols.end(), 0);
    CHECK(item.targets == std::vector<int>{sum % 2});
    ones += item.targets[0];
  }
  CHECK(ones / 2000 == doctest::Approx(0.5).epsilon(0.1));
}

// Tasks on plain sequences: who can reach which position, by place or by content, and how well.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "models/data/task_sources.hpp"

namespace HEED_NAMESPACE::tasks {

namespace {

// Symbols 1 to `kinds`, all alike, for the numbers from 0.
std::vector<int> draw_numbers(Rng& rng, int count, int kinds) {
  std::vector<int> row(static_cast<std::size_t>(count));
  for (int& x : row) x = below(rng, kinds);
  return row;
}

std::vector<int> plus(std::vector<int> row, int shift) {
  for (int& x : row) x += shift;
  return row;
}

// A sequence of symbols, and one answer each.
ExampleSet each(Size kinds, int classes) {
  ExampleSet set;
  set.answer = Answer::each, set.symbols = kinds + 1, set.classes = numbers(classes);
  return set;
}

// Digits, 3 to `longest` of them, and what `turn` makes of them.
TaskSource digits(int longest, void (*turn)(std::vector<int>&)) {
  ExampleSet set;
  set.answer = Answer::sequence, set.symbols = 11, set.classes = sequence_names(numbers(10));
  set.names = numbers(10);
  set.names.insert(set.names.begin(), "<pad>");
  return {set, [=](Rng& rng) {
            Example item;
            std::vector<int> row = draw_numbers(rng, 3 + below(rng, longest - 2), 10);
            item.symbols = plus(row, 1);
            turn(row);
            item.targets = plus(row, 3);
            return item;
          }};
}

}  // namespace

TaskSource reverse(int longest) {
  return digits(longest, [](std::vector<int>& row) { std::reverse(row.begin(), row.end()); });
}
TaskSource copy(int longest) {
  return digits(longest, [](std::vector<int>&) {});
}
TaskSource sort(int longest) {
  return digits(longest, [](std::vector<int>& row) { std::sort(row.begin(), row.end()); });
}

TaskSource recall(int pairs) {
  int keys = std::max(32, pairs);
  ExampleSet set = each(keys, 16);
  set.second = 17;
  return {set, [=](Rng& rng) {
            std::vector<int> key = rng.permutation(keys), value = draw_numbers(rng, pairs, 16);
            auto asked = static_cast<std::size_t>(below(rng, pairs));
            key.resize(static_cast<std::size_t>(pairs));
            key.push_back(key[asked]);
            Example item;
            item.symbols = plus(key, 1), item.second = plus(value, 1);
            item.second.push_back(0);
            item.targets.assign(value.size(), -1);
            item.targets.push_back(value[asked]);
            return item;
          }};
}

TaskSource recall_stream(int pairs) {
  TaskSource joined = recall(pairs);
  int keys = static_cast<int>(joined.set.symbols) - 1;
  return {each(keys + 16, 16), [=](Rng& rng) {
            Example pair = joined.draw(rng), item;
            for (std::size_t i = 0; i < pair.symbols.size(); i++) {
              item.symbols.push_back(pair.symbols[i]);
              if (pair.second[i]) item.symbols.push_back(keys + pair.second[i]);
            }
            item.targets.assign(item.symbols.size(), -1);
            item.targets.back() = pair.targets.back();
            return item;
          }};
}

TaskSource partner(int symbols) {
  ExampleSet set = each(symbols, 8);
  set.second = 9;
  return {set, [=](Rng& rng) {
            std::vector<int> order = rng.permutation(2 * symbols), tags = draw_numbers(rng, 2 * symbols, 8);
            Example item;
            for (int at : order) {  // `at` and the number next to it, at ^ 1, are partners
              item.symbols.push_back(1 + at / 2);
              item.second.push_back(1 + tags[static_cast<std::size_t>(at)]);
              item.targets.push_back(tags[static_cast<std::size_t>(at ^ 1)]);
            }
            return item;
          }};
}

TaskSource needle(int) {
  ExampleSet set = each(32 + 16, 16);  // keys and noise
  set.second = 17;
  return {set, [](Rng& rng) {
            std::vector<int> keys = rng.permutation(32);
            int asked = below(rng, 15), answer = 0;
            Example item;
            for (int block = 0; block < 16; block++) {
              int place = below(rng, 8), value = below(rng, 16);
              if (block == asked) answer = value;
              for (int i = 0; i < 8; i++) {
                bool query = block == 15 && i == 7, key = block < 15 && i == place;
                item.symbols.push_back(query || key ? 1 + keys[static_cast<std::size_t>(query ? asked : block)]
                                                    : 33 + below(rng, 16));
                item.second.push_back(key ? 1 + value : 0);
                item.targets.push_back(query ? answer : -1);
              }
            }
            return item;
          }};
}

TaskSource causal_copy(int length) {
  return {each(13, 12), [=](Rng& rng) {
            std::vector<int> row = draw_numbers(rng, length, 12);
            Example item;
            item.symbols = plus(row, 1);
            item.symbols.push_back(13);
            for (int i = 0; i + 1 < length; i++) item.symbols.push_back(item.symbols[static_cast<std::size_t>(i)]);
            item.targets.assign(row.size(), -1);
            item.targets.insert(item.targets.end(), row.begin(), row.end());
            return item;
          }};
}

TaskSource parity(int length) {
  ExampleSet set = each(2, 2);
  set.classes = {"even", "odd"};
  return {set, [=](Rng& rng) {
            Example item;
            int odd = 0;
            for (int bit : draw_numbers(rng, length, 2)) {
              item.symbols.push_back(1 + bit);
              item.targets.push_back(odd ^= bit);
            }
            return item;
          }};
}

TaskSource parity_whole(int length) {
  TaskSource running = parity(length);
  running.set.answer = Answer::whole;
  return {running.set, [draw = running.draw](Rng& rng) {
            Example item = draw(rng);
            item.targets = {item.targets.back()};
            return item;
          }};
}

TaskSource majority(int length) {
  return {each(2, 2), [=](Rng& rng) {
            std::vector<int> row = draw_numbers(rng, length, 2);
            Example item;
            item.symbols = plus(row, 1);
            for (std::size_t i = 0; i < row.size(); i++)
              item.targets.push_back((i > 0 ? row[i - 1] : 0) + row[i] + (i + 1 < row.size() ? row[i + 1] : 0) >= 2);
            return item;
          }};
}

TaskSource stride_copy(int length) {
  return {each(12, 12), [=](Rng& rng) {
            std::vector<int> row = draw_numbers(rng, length, 12);
            Example item;
            item.symbols = plus(row, 1);
            item.targets.assign(5, -1);
            item.targets.insert(item.targets.end(), row.begin(), row.end() - 5);
            return item;
          }};
}

TaskSource vote(int length) {
  return {each(3, 3), [=](Rng& rng) {
            std::vector<int> row = draw_numbers(rng, length, 3), counts(3, 0);
            for (int x : row) counts[static_cast<std::size_t>(x)]++;
            Example item;
            item.symbols = plus(row, 1);
            item.targets.assign(row.size(),
                                static_cast<int>(std::max_element(counts.begin(), counts.end()) - counts.begin()));
            return item;
          }};
}

TaskSource permutation(int length) {
  return {each(12, 12), [=](Rng& rng) {
            std::vector<int> row = draw_numbers(rng, length, 12);
            Example item;
            item.symbols = plus(row, 1);
            item.targets.assign(row.rbegin(), row.rend());
            return item;
          }};
}

TaskSource frequency(int) {
  ExampleSet set;
  set.width = 1, set.classes = numbers(8);
  return {set, [](Rng& rng) {
            Example item;
            int k = below(rng, 8);
            double turn = 2 * std::numbers::pi, phase = turn * rng.uniform();
            for (int i = 0; i < 64; i++)
              item.features.push_back(
                  static_cast<float>(std::sin(turn * (2 + 3 * k) * i / 64 + phase) + 0.5 * rng.normal()));
            item.targets = {k};
            return item;
          }};
}

}  // namespace HEED_NAMESPACE::tasks

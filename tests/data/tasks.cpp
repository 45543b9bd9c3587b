// What holds for every task of the table, and batches.
#include "models/data/tasks.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <set>

using namespace heed;

namespace {

bool same(const Example& a, const Example& b) {
  return a.symbols == b.symbols && a.second == b.second && a.features == b.features && a.targets == b.targets &&
         std::equal(a.edges.begin(), a.edges.end(), b.edges.begin(), b.edges.end(),
                    [](const GraphEdge& x, const GraphEdge& y) {
                      return x.from == y.from && x.to == y.to && x.type == y.type;
                    });
}

bool same(const ExampleSet& a, const ExampleSet& b) {
  return std::equal(a.items.begin(), a.items.end(), b.items.begin(), b.items.end(),
                    [](const Example& x, const Example& y) { return same(x, y); });
}

}  // namespace

TEST_CASE("tasks: every one draws sound items, the same from a seed, others from another") {
  for (const TaskKind& kind : task_kinds()) {
    CAPTURE(kind.name);
    ExampleSet set = make_task(kind.name, 6, 5);
    REQUIRE(set.items.size() == 6);
    CHECK(set.task == kind.name);
    CHECK(same(set, make_task(kind.name, 6, 5)));
    CHECK_FALSE(same(set, make_task(kind.name, 6, 6)));
    CHECK(same(make_task(kind.name, 3, 5).items[2], set.items[2]));
    CHECK_FALSE(same(make_task(kind.name, 6, 5, Split::train), make_task(kind.name, 6, 5, Split::test)));
    CHECK((set.names.empty() || set.names.size() == static_cast<std::size_t>(set.symbols)));
    ExampleBatch batch = make_batch(set, {0, 1, 2, 3, 4, 5});
    for (const Example& item : set.items) {
      CHECK(fault_of(set, item) == "");
      if (set.height) CHECK(item.features.size() == static_cast<std::size_t>(set.height * set.columns * set.width));
    }
  }
}

TEST_CASE("tasks: training and test sets of small tasks share nothing, whatever the seeds") {
  for (const TaskKind& kind : task_kinds()) {
    if (!kind.small) continue;
    CAPTURE(kind.name);
    std::set<std::uint64_t> seen;
    for (const Example& item : make_task(kind.name, 4000, 1, Split::train).items) seen.insert(item_hash(item));
    std::set<std::uint64_t> dev;
    for (const Example& item : make_task(kind.name, 500, 2, Split::dev).items) dev.insert(item_hash(item));
    std::size_t again = 0;
    for (const Example& item : make_task(kind.name, 500, 3, Split::test).items) {
      CHECK(seen.count(item_hash(item)) + dev.count(item_hash(item)) == 0);
      again += seen.count(item_hash(item));
    }
    CHECK(std::none_of(dev.begin(), dev.end(), [&](std::uint64_t hash) { return seen.count(hash) > 0; }));
    // All in one stream, the same items do come again.
    for (const Example& item : make_task(kind.name, 20000, 3).items) again += seen.count(item_hash(item));
    CHECK(again > 0);
  }
}

TEST_CASE("tasks: the hash knows a molecule whatever the order of its atoms, and its bonds") {
  Rng rng(4);
  for (const Example& item : make_task("molecules", 50, 9).items) {
    std::vector<int> order = rng.permutation(static_cast<int>(item.symbols.size()));
    Example turned = item;
    for (std::size_t i = 0; i < order.size(); i++) turned.symbols[static_cast<std::size_t>(order[i])] = item.symbols[i];
    for (GraphEdge& e : turned.edges)
      e.from = order[static_cast<std::size_t>(e.from)], e.to = order[static_cast<std::size_t>(e.to)];
    rng.shuffle(turned.edges);
    CHECK(item_hash(turned) == item_hash(item));
    turned.edges[0].type = (turned.edges[0].type + 1) % 3;
    CHECK(item_hash(turned) != item_hash(item));
  }
  Example ab, ba;
  ab.symbols = {1, 2}, ba.symbols = {2, 1};
  CHECK(item_hash(ab) != item_hash(ba));
}

TEST_CASE("tasks: names and sizes that there are not") {
  CHECK_THROWS_WITH_AS(make_task("nothing", 1, 1),
                       doctest::Contains("make_task: there is no task \"nothing\"; known: reverse"), Error);
  CHECK_THROWS_WITH_AS(make_task("needle:3", 1, 1), "heed: make_task: needle has no size", Error);
  for (const char* name : {"recall:0", "recall:", "recall:x", "recall:12x", "recall:99999999999", "recall:-1"})
    CHECK_THROWS_WITH_AS(make_task(name, 1, 1), doctest::Contains("recall: expected a size from 1 to 4096, got"),
                         Error);
  CHECK(make_task("recall:40", 1, 1).items[0].symbols.size() == 41);
  for (const TaskKind& kind : task_kinds()) {
    CAPTURE(kind.name);
    if (kind.most == 0) continue;
    CHECK(kind.least <= kind.size);
    CHECK_NOTHROW(make_task(std::string(kind.name) + ":" + std::to_string(kind.least), 3, 1));
  }
}

TEST_CASE("batches: padded to the longest, targets by kind of answer") {
  ExampleSet set;
  set.task = "toy", set.answer = Answer::each, set.symbols = 9, set.second = 5, set.width = 2, set.edge_types = 3;
  set.classes = {"a", "b", "c", "d", "e", "f"};
  set.items = {{{1, 2}, {3, 0}, {1, 2, 3, 4}, {0, -1}, {}}, {{7}, {4}, {5, 6}, {1}, {{0, 0, 2}}}};
  ExampleBatch batch = make_batch(set, {1, 0, 1});
  CHECK(batch.size == 3);
  CHECK(batch.length == 2);
  CHECK(batch.symbols == std::vector<int>{7, 0, 1, 2, 7, 0});
  CHECK(batch.second == std::vector<int>{4, 0, 3, 0, 4, 0});
  CHECK(batch.targets == std::vector<int>{1, -1, 0, -1, 1, -1});
  CHECK(batch.features.shape() == Shape{3, 2, 2});
  CHECK(batch.features.to_vector() == std::vector<real>{5, 6, 0, 0, 1, 2, 3, 4, 5, 6, 0, 0});
  CHECK(batch.padding.shape() == Shape{3, 2});
  CHECK(batch.padding.count() == 4);
  CHECK(batch.edges[0][0].type == 2);
  CHECK(batch.edges[1].empty());
  CHECK(batch.target_length == 0);

  set.answer = Answer::sequence;
  set.items[0].targets = {5}, set.items[1].targets = {3, 4, 5};
  batch = make_batch(set, {0, 1});
  CHECK(batch.target_length == 3);
  CHECK(batch.targets == std::vector<int>{5, 0, 0, 3, 4, 5});

  set.answer = Answer::whole;
  set.items[0].targets = {1}, set.items[1].targets = {0};
  CHECK(make_batch(set, {0, 1}).targets == std::vector<int>{1, 0});
}

TEST_CASE("batches: what cannot be one") {
  ExampleSet set;
  set.task = "toy", set.symbols = 9, set.classes = {"a", "b"}, set.edge_types = 2;
  auto fault = [&](const Example& item) {
    set.items = {{{1}, {}, {}, {0}, {}}, item};
    std::string text;
    try {
      make_batch(set, {0, 1});
    } catch (const Error& error) {
      text = error.what();
    }
    std::string start = "heed: make_batch: toy: item 1: ";
    return text.starts_with(start) ? text.substr(start.size()) : text;
  };
  CHECK(fault({{8}, {}, {}, {1}, {{0, 0, 1}}}).empty());
  CHECK(fault({{1}, {}, {}, {-1}, {}}).empty());
  CHECK(fault({}) == "no positions");
  CHECK(fault({{1}, {}, {}, {0, 1}, {}}) == "2 targets for 1 positions");
  CHECK(fault({{1}, {2}, {}, {0}, {}}) == "1 second symbols for 1 positions");
  CHECK(fault({{1}, {}, {2}, {0}, {}}) == "1 numbers for 1 positions");
  CHECK(fault({{9}, {}, {}, {0}, {}}) == "symbol 9 is not from 1 to 8");
  CHECK(fault({{0}, {}, {}, {0}, {}}) == "symbol 0 is not from 1 to 8");
  CHECK(fault({{1}, {}, {}, {2}, {}}) == "target 2 is not from -1 to 1");
  CHECK(fault({{1}, {}, {}, {0}, {{0, 1, 0}}}) == "node 1 is not from 0 to 0");
  CHECK(fault({{1}, {}, {}, {0}, {{-1, 0, 0}}}) == "node -1 is not from 0 to 0");
  CHECK(fault({{1}, {}, {}, {0}, {{0, 0, 2}}}) == "edge of type 2 is not from 0 to 1");
  CHECK_THROWS_WITH_AS(make_batch(set, {}), "heed: make_batch: toy: no items", Error);
  CHECK_THROWS_WITH_AS(make_batch(set, {4}), "heed: make_batch: toy: item 4 of 2", Error);
  set.symbols = 0, set.width = 2;
  CHECK(fault_of(set, {{}, {}, {1}, {0}, {}}) == "no positions");
  CHECK(fault_of(set, {{}, {}, {1, 2, 3}, {0}, {}}) == "3 numbers for 1 positions");
  CHECK(fault_of(set, {{}, {}, {1, 2}, {0}, {}}) == "");
}

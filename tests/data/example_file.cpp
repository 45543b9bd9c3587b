// Example sets as files: the same set comes back, and what is none is refused with its line.
#include "models/data/example_file.hpp"

#include <cstdio>
#include <fstream>

#include "models/data/tasks.hpp"
#include "tests/nn/files.hpp"

using namespace heed;
using namespace heed::testing;

namespace {
bool equal(const Example& a, const Example& b) {
  auto same = [](const GraphEdge& x, const GraphEdge& y) {
    return x.from == y.from && x.to == y.to && x.type == y.type;
  };
  return a.symbols == b.symbols && a.second == b.second && a.features == b.features && a.targets == b.targets &&
         std::equal(a.edges.begin(), a.edges.end(), b.edges.begin(), b.edges.end(), same);
}
}  // namespace

TEST_CASE("example files: every task comes back the same") {
  Folder folder;
  for (const TaskKind& kind : task_kinds()) {
    CAPTURE(kind.name);
    ExampleSet set = make_task(kind.name, 3, 1);
    std::string path = folder / "set.jsonl";
    write_examples(path, set);
    ExampleSet again = read_examples(path);
    CHECK(describe(again) == describe(set));
    CHECK(again.classes == set.classes);
    CHECK(again.names == set.names);
    REQUIRE(again.items.size() == set.items.size());
    for (std::size_t i = 0; i < set.items.size(); i++) CHECK(equal(again.items[i], set.items[i]));
  }
}

TEST_CASE("example files: what is wrong is named with its line") {
  Folder folder;
  std::string path = folder / "bad.jsonl";
  const std::string head =
      R"({"answer":"whole","classes":["a","b"],"columns":0,"edge_types":0,"height":0,"names":[],"second":0,"symbols":5,"task":"t","width":0})";
  for (const auto& bad : {std::pair<std::string, const char*>{"", "empty"},
                          {"x", ":1: expected the description"},
                          {"{}", ":1: expected the description"},
                          {head + "\nx", ":2: expected an item"},
                          {head + "\n{\"symbols\":[5],\"targets\":[0]}", ":2: symbols: got 5"},
                          {head + "\n{\"symbols\":[0],\"targets\":[0]}", ":2: symbols: got 0"},
                          {head + "\n{\"symbols\":[1],\"targets\":[2]}", ":2: targets: got 2"},
                          {head + "\n{\"symbols\":[1],\"targets\":[0,1]}", "2 targets"},
                          {head + "\n{\"symbols\":[],\"targets\":[0]}", "no positions"},
                          {head + "\n{\"symbols\":[1],\"targets\":[0],\"more\":1}", "unknown keys"},
                          {head + "\n{\"symbols\":[1],\"targets\":[0],\"edges\":[[0,1,0]]}", "edges: got 1"},
                          {head + "\n{\"symbols\":[1],\"features\":[1.5],\"targets\":[0]}", "differ in length"}}) {
    CAPTURE(bad.first);
    std::ofstream(path) << bad.first;
    CHECK_THROWS_WITH_AS(read_examples(path), doctest::Contains(bad.second), Error);
  }
  CHECK_THROWS_AS(read_examples(folder / "nowhere"), Error);
}

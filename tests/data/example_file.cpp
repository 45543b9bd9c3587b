#include "models/data/example_file.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "models/data/tasks.hpp"
#include "tests/data/files.hpp"

using namespace heed;
using namespace heed::testing;

namespace {

const std::string header =
    R"({"format":"heed.examples.1","task":"t","answer":"whole","symbols":4,"second":0,"width":1,"height":0,)"
    R"("columns":0,"edge_types":2,"classes":["a","b"],"names":[],"items":1})";

std::string with(const std::string& from, const std::string& to) {
  std::string line = header;
  std::size_t at = line.find(from);
  REQUIRE(at != line.npos);
  return line.replace(at, from.size(), to);
}

}  // namespace

TEST_CASE("example files: every task comes back as it was, to the last bit") {
  Folder folder;
  for (const TaskKind& kind : task_kinds()) {
    CAPTURE(kind.name);
    ExampleSet set = make_task(kind.name, 3, 8);
    write_examples(folder / "set", set);
    ExampleSet again = read_examples(folder / "set");
    CHECK(describe(again) == describe(set));
    REQUIRE(again.items.size() == 3);
    for (std::size_t i = 0; i < 3; i++) {
      const Example &a = set.items[i], &b = again.items[i];
      CHECK(a.symbols == b.symbols);
      CHECK(a.second == b.second);
      CHECK(a.features == b.features);
      CHECK(a.targets == b.targets);
      REQUIRE(a.edges.size() == b.edges.size());
      for (std::size_t e = 0; e < a.edges.size(); e++) {
        CHECK(a.edges[e].from == b.edges[e].from);
        CHECK(a.edges[e].to == b.edges[e].to);
        CHECK(a.edges[e].type == b.edges[e].type);
      }
    }
  }
}

TEST_CASE("example files: floats of every size, odd names, and an empty set") {
  Folder folder;
  ExampleSet set;
  set.task = "odd \"names\"\n", set.width = 1, set.classes = {"é", "", "\t\\", std::string(1, '\0')};
  Rng rng(3);
  for (int i = 0; i < 20000; i++) {
    float x = 0;
    auto bits = static_cast<std::uint32_t>(rng.bits());
    std::memcpy(&x, &bits, 4);
    if (std::isfinite(x)) set.items.push_back({{}, {}, {x}, {3}, {}});
  }
  for (float x : {0.0F, -0.0F, std::numeric_limits<float>::max(), std::numeric_limits<float>::denorm_min()})
    set.items.push_back({{}, {}, {x}, {-1}, {}});
  write_examples(folder / "set", set);
  ExampleSet again = read_examples(folder / "set");
  CHECK(again.classes == set.classes);
  CHECK(again.task == set.task);
  REQUIRE(again.items.size() == set.items.size());
  for (std::size_t i = 0; i < set.items.size(); i++)
    CHECK(std::memcmp(again.items[i].features.data(), set.items[i].features.data(), 4) == 0);
  set.items.clear();
  write_examples(folder / "set", set);
  CHECK(read_examples(folder / "set").items.empty());
}

TEST_CASE("example files: what may not be written") {
  Folder folder;
  ExampleSet set;
  set.task = "t", set.width = 1, set.classes = {"a"};
  set.items = {{{}, {}, {std::numeric_limits<float>::infinity()}, {0}, {}}};
  CHECK_THROWS_WITH_AS(write_examples(folder / "set", set),
                       "heed: write_examples: t: item 0: a number that is not finite", Error);
  set.items = {{{}, {}, {1}, {1}, {}}};
  CHECK_THROWS_WITH_AS(write_examples(folder / "set", set),
                       "heed: write_examples: t: item 0: target 1 is not from -1 to 0", Error);
  CHECK_FALSE(std::filesystem::exists(folder / "set"));
  set.classes = {"\xFF"};
  CHECK_THROWS_WITH_AS(describe(set), doctest::Contains("is not UTF-8"), Error);
}

TEST_CASE("example files: faults name file and line") {
  Folder folder;
  auto fault = [&](const std::string& text) {
    std::string path = folder.write("f", text);
    return fault_in(folder, [&] { read_examples(path); });
  };
  const std::string item = R"({"symbols":[1,2],"features":[0.5,2],"targets":[1],"edges":[[0,1,1]]})";
  auto item_fault = [&](const std::string& line) { return fault(header + "\n" + line + "\n"); };
  CHECK(fault(header + "\n" + item + "\n") == "");
  CHECK(fault(header + "\r\n" + item + "\r\n") == "");
  CHECK(fault("\n" + header + "\n\n" + item + "\n") == "");
  CHECK(fault("") == "f: the file is empty");
  CHECK(fault("\n\n") == "f: only empty lines");
  CHECK(fault("hello\n") == "f:1: expected an object in JSON, found 'hello'");
  CHECK(fault("{}\n") == R"(f:1: expected a set of examples: {"format": "heed.examples.1", ...})");
  CHECK(fault(header + "\n") == "f: expected 1 items, found 0");
  CHECK(fault(header + "\n" + item + "\n" + item + "\n") == "f: expected 1 items, found 2");
  CHECK(
      fault(header + "\n" + item.substr(0, 30)) ==
      "f:2: expected an object in JSON, found '{\"symbols\":[1,2],\"features\":[0'; the file ends in this line, so it "
      "may be incomplete");
  CHECK(fault(with("whole", "some") + "\n") == "f:1: answer: expected each, whole or sequence, found '\"some\"'");
  CHECK(fault(with("\"symbols\":4", "\"symbols\":-4") + "\n") ==
        "f:1: symbols: expected a whole number from 0 to 1073741824, found '-4'");
  CHECK(fault(with("\"symbols\":4", "\"symbols\":99999999999999999999") + "\n").starts_with("f:1: symbols: expected"));
  CHECK(fault(with("\"symbols\":4", "\"symbols\":1e300") + "\n").starts_with("f:1: symbols: expected"));
  CHECK(fault(with("\"symbols\":4,", "") + "\n").ends_with("to 1073741824, found 'null'"));
  CHECK(fault(with("\"a\"", "7") + "\n") == "f:1: classes: expected texts, found '7'");
  CHECK(fault(with("[\"a\",\"b\"]", "7") + "\n") == "f:1: classes: expected a list");
  CHECK(fault(with("\"names\":[]", "\"names\":[\"x\"]") + "\n") == "f:1: names: expected 4 or none, found 1");
  CHECK(fault(with("\"task\":\"t\"", "\"task\":3") + "\n") == "f:1: task: expected a text");
  CHECK(fault(with("{", "{\"more\":1,") + "\n") == "f:1: unknown part \"more\"");
  CHECK(item_fault("{}") == "f:2: no positions");
  CHECK(item_fault("[1]") == "f:2: expected an object in JSON, found '[1]'");
  CHECK(item_fault(R"({"symbols":[1,2],"features":[1],"targets":[1]})") == "f:2: 1 numbers for 2 positions");
  CHECK(item_fault(R"({"symbols":[4],"features":[1],"targets":[1]})") == "f:2: symbol 4 is not from 1 to 3");
  CHECK(item_fault(R"({"symbols":[1.5]})").starts_with("f:2: symbols: expected a whole number"));
  CHECK(item_fault(R"({"symbols":["1"]})").starts_with("f:2: symbols: expected a whole number"));
  CHECK(item_fault(R"({"symbols":[18446744073709551615]})").starts_with("f:2: symbols: expected a whole number"));
  CHECK(item_fault(R"({"symbols":3})") == "f:2: symbols: expected a list");
  CHECK(item_fault(R"({"features":[1e39]})") == "f:2: features: expected numbers, found '1e+39'");
  CHECK(item_fault(R"({"features":[null]})") == "f:2: features: expected numbers, found 'null'");
  CHECK(item_fault(R"({"edges":[[0,1]]})") == "f:2: edges: expected [from, to, type], found array");
  CHECK(item_fault(R"({"symbols":[1],"features":[1],"targets":[1],"edges":[[0,9,0]]})") ==
        "f:2: node 9 is not from 0 to 0");
  CHECK(item_fault(R"({"label":3})") == "f:2: unknown part \"label\"");
  CHECK(item_fault("{\"symbols\":\"\xFF\"}") == "f:2: invalid UTF-8 at byte 13 of the line");
  // Nested a million times.
  CHECK(item_fault("{\"symbols\":" + std::string(1000000, '[') + std::string(1000000, ']') + "}")
            .starts_with("f:2: symbols: expected a whole number"));
  CHECK(item_fault("{\"symbols\":" + std::string(1000000, '[')).starts_with("f:2: expected an object in JSON"));
  CHECK_THROWS_AS(read_examples(folder / "none"), DataError);
}

#include "models/data/example_file.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>

#include "models/data/input.hpp"
#include "models/data/utf8.hpp"
#include "nn/file.hpp"

namespace HEED_NAMESPACE {

namespace {

using Json = nlohmann::ordered_json;

constexpr const char* format = "heed.examples.1";
constexpr std::array<const char*, 3> answers = {"each", "whole", "sequence"};
constexpr Size most = Size(1) << 30;
constexpr double largest = static_cast<double>(std::numeric_limits<float>::max());
constexpr std::size_t longest_line = std::size_t(64) << 20;

// One list of the sizes serves both directions.
template <class Set, class F>
void each_size(Set& set, const F& f) {
  f("symbols", set.symbols);
  f("second", set.second);
  f("width", set.width);
  f("height", set.height);
  f("columns", set.columns);
  f("edge_types", set.edge_types);
}

// A value for a message; dump() of one that is nested deeply would overrun the stack.
std::string shown(const Json& value) { return value.is_primitive() ? excerpt(value.dump()) : value.type_name(); }

Json parse(std::string_view line) {
  Json json = Json::parse(line, nullptr, false);
  if (!json.is_object()) fault("expected an object in JSON, found ", excerpt(line));
  return json;
}

// The part `key`, which is then no longer there; null when there is none.
Json take(Json& json, const char* key) {
  auto found = json.find(key);
  if (found == json.end()) return nullptr;
  Json part = std::move(*found);
  json.erase(found);
  return part;
}

void expect_end(const Json& json) {
  if (!json.empty()) fault("unknown part \"", json.begin().key(), '"');
}

Size integer(const Json& value, const char* key, Size least, Size greatest) {
  // Numbers above what 64 bits hold with a sign are another kind.
  bool whole = value.is_number_integer() && (!value.is_number_unsigned() || value.get<std::uint64_t>() <= most);
  Size number = whole ? value.get<Size>() : least - 1;
  if (number < least || number > greatest)
    fault(key, ": expected a whole number from ", least, " to ", greatest, ", found ", shown(value));
  return number;
}

std::vector<std::string> words(const Json& list, const char* key) {
  if (!list.is_array()) fault(key, ": expected a list");
  std::vector<std::string> texts;
  for (const Json& text : list) {
    if (!text.is_string()) fault(key, ": expected texts, found ", shown(text));
    texts.push_back(text.get<std::string>());
  }
  return texts;
}

// Calls f with each element of the list `key`, if there is one.
template <class F>
void each_element(Json& json, const char* key, const F& f) {
  Json list = take(json, key);
  if (!list.is_array() && !list.is_null()) fault(key, ": expected a list");
  for (const Json& element : list) f(element);
}

std::vector<int> integers(Json& json, const char* key) {
  std::vector<int> ids;
  each_element(json, key, [&](const Json& id) { ids.push_back(static_cast<int>(integer(id, key, -1, most))); });
  return ids;
}

// The shortest text that a reader of doubles turns into the same float.
void append(std::string& text, float x) {
  std::array<char, 32> digits;
  char *begin = digits.data(), *end = begin + digits.size(), *stop = std::to_chars(begin, end, x).ptr;
  double again = 0;
  std::from_chars(begin, stop, again);
  if (std::abs(again) > largest || static_cast<float>(again) != x)
    stop = std::to_chars(begin, end, static_cast<double>(x)).ptr;
  text.append(begin, stop);
  if (std::signbit(x) && x == 0) text += ".0";  // -0 is an integer, which has no sign
}

void append(std::string& text, int id) { text += std::to_string(id); }

void append(std::string& text, const GraphEdge& e) {
  text += '[' + std::to_string(e.from) + ',' + std::to_string(e.to) + ',' + std::to_string(e.type) + ']';
}

template <class T>
void append(std::string& text, const char* key, const std::vector<T>& values) {
  if (values.empty()) return;
  text += (text.size() > 1 ? ",\"" : "\"") + std::string(key) + "\":[";
  for (std::size_t i = 0; i < values.size(); i++) {
    if (i > 0) text += ',';
    append(text, values[i]);
  }
  text += ']';
}

Example read_item(std::string_view line) {
  Json json = parse(line);
  Example item;
  item.symbols = integers(json, "symbols");
  item.second = integers(json, "second");
  item.targets = integers(json, "targets");
  each_element(json, "features", [&](const Json& number) {
    double value = number.is_number() ? number.get<double>() : std::numeric_limits<double>::infinity();
    if (std::abs(value) > largest) fault("features: expected numbers, found ", shown(number));
    item.features.push_back(static_cast<float>(value));
  });
  each_element(json, "edges", [&](const Json& edge) {
    if (!edge.is_array() || edge.size() != 3) fault("edges: expected [from, to, type], found ", shown(edge));
    auto part = [&](std::size_t i) { return static_cast<int>(integer(edge[i], "edges", 0, most)); };
    item.edges.push_back({part(0), part(1), part(2)});
  });
  expect_end(json);
  return item;
}

}  // namespace

std::string describe(const ExampleSet& set) {
  for (const auto* names : {&set.classes, &set.names})
    for (const std::string& name : *names)
      check(find_invalid_utf8(name) == name.npos, "describe", set.task, ": the name ", excerpt(name), " is not UTF-8");
  Json json{{"format", format}, {"task", set.task}, {"answer", answers[static_cast<std::size_t>(set.answer)]}};
  each_size(set, [&](const char* name, Size size) { json[name] = size; });
  json["classes"] = set.classes;
  json["names"] = set.names;
  json["items"] = set.items.size();
  return json.dump();
}

ExampleSet read_description(std::string_view line, std::size_t* items) {
  Json json = parse(line);
  if (take(json, "format") != format) fault("expected a set of examples: {\"format\": \"", format, "\", ...}");
  ExampleSet set;
  Json task = take(json, "task"), answer = take(json, "answer");
  if (!task.is_string()) fault("task: expected a text");
  set.task = task.get<std::string>();
  auto found = std::find_if(answers.begin(), answers.end(), [&](const char* word) { return answer == word; });
  if (found == answers.end()) fault("answer: expected each, whole or sequence, found ", shown(answer));
  set.answer = static_cast<Answer>(found - answers.begin());
  each_size(set, [&](const char* name, Size& size) { size = integer(take(json, name), name, 0, most); });
  set.classes = words(take(json, "classes"), "classes");
  set.names = words(take(json, "names"), "names");
  if (!set.names.empty() && static_cast<Size>(set.names.size()) != set.symbols)
    fault("names: expected ", set.symbols, " or none, found ", set.names.size());
  Size count = integer(take(json, "items"), "items", 0, most);
  if (items) *items = static_cast<std::size_t>(count);
  expect_end(json);
  return set;
}

void write_examples(const std::string& path, const ExampleSet& set) {
  NewFile file(path);
  auto write = [&](std::string line) {
    line += '\n';
    file.write(line.data(), line.size());
  };
  write(describe(set));
  for (std::size_t i = 0; i < set.items.size(); i++) {
    const Example& item = set.items[i];
    std::string fault = fault_of(set, item);
    for (float x : item.features)
      if (!std::isfinite(x)) fault = "a number that is not finite";
    check(fault.empty(), "write_examples", set.task, ": item ", i, ": ", fault);
    std::string line = "{";
    append(line, "symbols", item.symbols);
    append(line, "second", item.second);
    append(line, "features", item.features);
    append(line, "targets", item.targets);
    append(line, "edges", item.edges);
    check(line.size() < longest_line, "write_examples", set.task, ": item ", i, " takes more than ", longest_line,
          " bytes");
    write(line + '}');
  }
  file.keep();
}

ExampleSet read_examples(const std::string& path) {
  ExampleSet set;
  std::size_t items = 0;
  bool described = false;
  auto read = [&](std::string_view line, std::size_t) {
    if (!std::exchange(described, true)) {
      set = read_description(line, &items);
      return;
    }
    set.items.push_back(read_item(line));
    if (std::string found = fault_of(set, set.items.back()); !found.empty()) fault(found);
  };
  each_line(path, read, longest_line);
  if (set.items.size() != items)
    throw DataError("heed: " + path + ": expected " + std::to_string(items) + " items, found " +
                    std::to_string(set.items.size()));
  return set;
}

}  // namespace HEED_NAMESPACE

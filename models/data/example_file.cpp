#include "models/data/example_file.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "models/data/conllu.hpp"
#include "nn/file.hpp"

namespace HEED_NAMESPACE {

namespace {

// Floats as floats: their shortest text is read back to the same bits.
using Json = nlohmann::basic_json<std::map, std::vector, std::string, bool, std::int64_t, std::uint64_t, float>;

constexpr std::array answers{"each", "whole", "sequence"};

// One list serves both directions. Keys that have nothing to say are left out.
template <class Set, class F>
void each_member(Set& set, const F& f) {
  f("task", set.task);
  f("symbols", set.symbols);
  f("second", set.second);
  f("width", set.width);
  f("height", set.height);
  f("columns", set.columns);
  f("edge_types", set.edge_types);
  f("classes", set.classes);
  f("names", set.names);
}

template <class Item, class F>
void each_part(Item& item, const F& f) {
  f("symbols", item.symbols);
  f("second", item.second);
  f("features", item.features);
  f("targets", item.targets);
}

Json edges_to_json(const std::vector<GraphEdge>& edges) {
  Json list = Json::array();
  for (const GraphEdge& e : edges) list.push_back(Json::array({e.from, e.to, e.type}));
  return list;
}

void check_range(const char* what, const std::vector<int>& ids, Size low, Size high) {
  for (int id : ids)
    check(id >= low && id < high, what, "got ", id, ", expected a number from ", low, " to ", high - 1);
}

Example parse_item(const ExampleSet& set, const std::string& line) {
  Json json = Json::parse(line);
  Example item;
  std::size_t used = json.count("edges");
  each_part(item, [&](const char* name, auto& part) {
    if (!json.contains(name)) return;
    json.at(name).get_to(part);
    used++;
  });
  check(used == json.size(), "item", "there are unknown keys");
  if (json.contains("edges"))
    for (const Json& e : json.at("edges")) item.edges.push_back({e.at(0), e.at(1), e.at(2)});
  check_range("symbols", item.symbols, 1, set.symbols);
  check_range("second", item.second, 0, set.second);
  check_range("targets", item.targets, set.answer == Answer::each ? -1 : 0, static_cast<Size>(set.classes.size()));
  check(std::all_of(item.features.begin(), item.features.end(), [](float x) { return std::isfinite(x); }), "features",
        "a number is not finite");
  std::size_t width = static_cast<std::size_t>(set.width);
  std::size_t length = set.symbols ? item.symbols.size() : width ? item.features.size() / width : 0;
  check(length > 0, "item", "it has no positions");
  check(item.symbols.size() == (set.symbols ? length : 0) && item.second.size() == (set.second ? length : 0) &&
            item.features.size() == width * length,
        "item", "its parts differ in length");
  check(set.answer == Answer::sequence || item.targets.size() == (set.answer == Answer::each ? length : 1), "item",
        "it has ", item.targets.size(), " targets for ", length, " positions");
  for (const GraphEdge& e : item.edges) {
    check_range("edges", {e.from, e.to}, 0, static_cast<Size>(length));
    check_range("types of edges", {e.type}, 0, std::max<Size>(1, set.edge_types));
  }
  return item;
}

}  // namespace

std::string describe(const ExampleSet& set) {
  Json json{{"answer", answers[static_cast<std::size_t>(set.answer)]}};
  each_member(set, [&](const char* name, const auto& value) { json[name] = value; });
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

ExampleSet parse_description(const std::string& text, const std::string& where) {
  try {
    Json json = Json::parse(text);
    ExampleSet set;
    auto answer = std::find(answers.begin(), answers.end(), json.at("answer").get<std::string>());
    check(answer != answers.end(), where.c_str(), "there is no answer ", json.at("answer").dump());
    set.answer = static_cast<Answer>(answer - answers.begin());
    each_member(set, [&](const char* name, auto& value) { json.at(name).get_to(value); });
    for (Size size : {set.symbols, set.second, set.width, set.height, set.columns, set.edge_types})
      check(size >= 0 && size <= 10000000, where.c_str(), "a size of ", size, " makes no sense");
    return set;
  } catch (const nlohmann::json::exception&) {
    throw DataError("heed: " + where + ": expected the description of an example set");
  }
}

void write_examples(const std::string& path, const ExampleSet& set) {
  std::string text = describe(set) + '\n';
  NewFile file(path);
  for (const Example& item : set.items) {
    Json json = Json::object();
    each_part(item, [&](const char* name, const auto& part) {
      if (!part.empty()) json[name] = part;
    });
    if (!item.edges.empty()) json["edges"] = edges_to_json(item.edges);
    text += json.dump() + '\n';
    if (text.size() < (1u << 20)) continue;
    file.write(text.data(), text.size());
    text.clear();
  }
  file.write(text.data(), text.size());
  file.keep();
}

ExampleSet read_examples(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::string line;
  if (!in || in.peek() == std::ifstream::traits_type::eof())
    throw DataError("heed: " + path + ": there is no such file, or it is empty");
  std::getline(in, line);
  ExampleSet set = parse_description(line, path + ":1");
  for (std::size_t number = 2; std::getline(in, line); number++) {
    std::string where = "heed: " + path + ":" + std::to_string(number) + ": ";
    try {
      set.items.push_back(parse_item(set, line));
    } catch (const nlohmann::json::exception&) {
      throw DataError(where + "expected an item as JSON");
    } catch (const Error& e) {
      throw DataError(where + (e.what() + std::string_view("heed: ").size()));
    }
  }
  return set;
}

}  // namespace HEED_NAMESPACE

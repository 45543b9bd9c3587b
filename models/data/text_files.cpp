#include "models/data/text_files.hpp"

#include <algorithm>
#include <fstream>
#include <functional>

#include "models/data/bytes.hpp"
#include "models/data/labels.hpp"
#include "models/data/listops.hpp"
#include "models/data/utf8.hpp"

namespace HEED_NAMESPACE {

namespace {

// The part of a line before its TAB, which stays without it.
std::string_view take_first(std::string_view& line, const char* expected) {
  if (line.find('\t') == line.npos) fault("expected ", expected, ", found no TAB in ", excerpt(line));
  return take_cell(line, '\t');
}

constexpr std::string_view listops_header = "Source\tTarget";

// `names`, then what was seen often enough and is not among them, most frequent first.
std::vector<std::string> with_entries(std::vector<std::string> names, Counts counts, std::size_t min_count) {
  for (const std::string& name : names) counts.erase(name);
  const Vocabulary seen(counts, min_count, {false, false});
  names.insert(names.end(), seen.entries().begin(), seen.entries().end());
  return names;
}

}  // namespace

ExampleSet read_labelled_text(const std::string& path, const std::vector<std::string>& classes) {
  ExampleSet set;
  set.task = "text", set.symbols = byte_symbols, set.names = byte_names();
  Labels labels(classes);
  each_line(path, [&](std::string_view line, std::size_t) {
    int label = labels.id(take_first(line, "label TAB text"));
    if (line.empty()) fault("no text after the label");
    set.items.push_back({bytes_to_symbols(line), {}, {}, {label}, {}});
  });
  labels.finish(set);
  return set;
}

ExampleSet read_listops(const std::string& path) {
  ExampleSet set = listops_set();
  set.task = "listops";
  bool headed = false;
  each_line(path, [&](std::string_view line, std::size_t) {
    if (!headed && line != listops_header) fault("expected the line \"Source TAB Target\", found ", excerpt(line));
    if (!std::exchange(headed, true)) return;
    std::string_view source = take_first(line, "expression TAB value");
    int value = read_integer(line, 0, 9, "value");
    set.items.push_back({listops_symbols(source), {}, {}, {value}, {}});
    if (set.items.back().symbols.empty()) fault("no expression before the value");
  });
  if (set.items.empty()) throw DataError("heed: " + path + ": no expression in it");
  return set;
}

bool is_listops(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::string start(listops_header.size(), ' ');
  return in.read(start.data(), static_cast<std::streamsize>(start.size())) && start == listops_header;
}

std::vector<std::string> split(std::string_view text, Unit unit) {
  std::vector<std::string> units;
  if (unit == Unit::character)
    for (char32_t point : decode(text)) units.push_back(encode(std::u32string_view(&point, 1)));
  while (unit == Unit::word && !text.empty())
    if (std::string_view word = take_cell(text, ' '); !word.empty()) units.emplace_back(word);
  return units;
}

std::vector<int> find_ids(const Vocabulary& vocabulary, const std::vector<std::string>& units) {
  std::vector<int> ids;
  for (const std::string& unit : units) {
    int id = vocabulary.id(unit);
    if (id == Vocabulary::none) id = vocabulary.id("<unk>");
    if (id == Vocabulary::none) fault(excerpt(unit), " is not in the vocabulary");
    ids.push_back(id);
  }
  return ids;
}

ExampleSet read_pairs(const std::string& path, Unit unit, const ExampleSet* like, std::size_t min_count) {
  using Units = std::vector<std::string>;
  auto each_pair = [&](const std::function<void(const Units& source, const Units& target)>& f) {
    each_line(path, [&](std::string_view line, std::size_t) {
      std::string_view first = take_first(line, "source TAB target");
      Units source = split(first, unit), target = split(line, unit);
      if (source.empty()) fault("no source before the TAB");
      if (target.empty()) fault("no target after the TAB");
      f(source, target);
    });
  };
  ExampleSet set;
  set.task = "pairs", set.answer = Answer::sequence;
  if (like) {
    set.names = like->names, set.classes = like->classes;
  } else {
    Counts sources, targets;
    each_pair([&](const Units& source, const Units& target) {
      for (const std::string& u : source) sources[u]++;
      for (const std::string& u : target) targets[u]++;
    });
    set.names = with_entries({"<pad>", "<unk>"}, sources, min_count);
    set.classes = with_entries({"<pad>", "<start>", "<end>", "<unk>"}, targets, min_count);
  }
  set.symbols = static_cast<Size>(set.names.size());
  const Vocabulary sources(set.names, {false, false}), targets(set.classes, {false, false});
  each_pair([&](const Units& source, const Units& target) {
    set.items.push_back({find_ids(sources, source), {}, {}, find_ids(targets, target), {}});
  });
  return set;
}

ExampleSet read_sentences(const std::string& path, const ExampleSet* like) {
  std::vector<std::vector<std::string>> sentences;
  Counts counts;
  each_line(path, [&](std::string_view line, std::size_t) {
    check_text(line);
    sentences.push_back(split(line, Unit::word));
    for (const std::string& word : sentences.back()) counts[word]++;
  });
  Vocabulary known = like ? Vocabulary(like->names, {.unknown = false}) : Vocabulary(counts, 1, {.unknown = false});
  ExampleSet set;
  set.task = "sentences", set.answer = Answer::each, set.names = known.entries(), set.symbols = known.size();
  for (const auto& sentence : sentences) {
    Example item;
    for (const std::string& word : sentence)
      if (int id = known.id(word); id > 0) item.symbols.push_back(id);
    item.targets.assign(item.symbols.size(), -1);
    if (!item.symbols.empty()) set.items.push_back(std::move(item));
  }
  if (set.items.empty()) throw DataError("heed: " + path + ": no word in it" + (like ? " that the model knows" : ""));
  return set;
}

ExampleSet read_plain_text(const std::string& path, std::size_t length) {
  check(length > 0, "read_plain_text", "length 0");
  Bytes bytes(path);
  std::string_view text = bytes.take(bytes.left(), "text");
  if (std::size_t bad = find_invalid_utf8(text); bad != text.npos) bytes.fail(bad, "invalid UTF-8");
  if (text.size() < 2) bytes.fail(text.size(), "the file ends: expected a text of 2 bytes or more");
  ExampleSet set = next_byte_set();
  set.task = "text";
  for (std::size_t at = 0; at + 1 < text.size(); at += length)
    set.items.push_back(next_byte_item(text.substr(at, length + 1)));
  return set;
}

ExampleSet next_byte_set() {
  ExampleSet set;
  set.answer = Answer::each, set.symbols = byte_symbols, set.names = byte_names();
  set.classes.assign(set.names.begin() + 1, set.names.end());
  return set;
}

Example next_byte_item(std::string_view text) {
  Example item;
  item.symbols = bytes_to_symbols(text.substr(0, text.size() - 1));
  item.targets = bytes_to_symbols(text.substr(1));
  for (int& target : item.targets) target--;
  return item;
}

}  // namespace HEED_NAMESPACE

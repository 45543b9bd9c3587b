#include "models/arena/results.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>

#include "tensor/error.hpp"

namespace HEED_NAMESPACE {

double ArenaRow::examples_per_second() const {
  if (rounds.empty()) return 0;
  return static_cast<double>(items) / *std::min_element(rounds.begin(), rounds.end());
}

double ArenaRow::spread() const {
  if (rounds.size() < 2) return 1;
  std::vector<double> sorted = rounds;
  std::sort(sorted.begin(), sorted.end());
  return sorted[1] / sorted[0] - 1;
}

namespace {

std::string shortest(double x) {
  char text[32];
  return {text, std::to_chars(text, text + sizeof text, x).ptr};
}

std::string joined(const std::vector<double>& list) {
  std::string text;
  for (double x : list) {
    if (!text.empty()) text += ' ';
    text += shortest(x);
  }
  return text;
}

std::string quoted(const std::string& text) {
  if (text.find_first_of(",\"") == text.npos) return text;
  std::string result = "\"";
  for (char c : text) result.append(c == '"' ? 2 : 1, c);
  return result + '"';
}

std::vector<std::string> fields(const std::string& line) {
  std::vector<std::string> all(1);
  bool inside = false;
  for (std::size_t i = 0; i < line.size(); i++) {
    if (line[i] == '"' && inside && i + 1 < line.size() && line[i + 1] == '"')
      all.back() += line[i++];
    else if (line[i] == '"')
      inside = !inside;
    else if (line[i] == ',' && !inside)
      all.emplace_back();
    else
      all.back() += line[i];
  }
  return all;
}

template <class T>
T number(std::string_view text) {
  T value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  check(error == std::errc() && end == text.data() + text.size(), "arena", "expected a number, got \"", text, '"');
  return value;
}

std::vector<double> numbers(std::string_view text) {
  std::vector<double> list;
  while (!text.empty()) {
    std::size_t end = std::min(text.find(' '), text.size());
    list.push_back(number<double>(text.substr(0, end)));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return list;
}

}  // namespace

std::string arena_header() {
  return "kind,mixer,group,spec,at,accuracy,chance,items,parameters,updates,seconds,rounds,peak_bytes";
}

std::string to_csv(const ArenaRow& row) {
  std::string line = row.cell ? "cell" : "step";
  for (const std::string& text : {row.mixer, row.group, row.spec, row.at}) line += ',' + quoted(text);
  for (double x : {row.accuracy, row.chance}) line += ',' + shortest(x);
  for (Size n : {row.items, row.parameters, row.updates}) line += ',' + std::to_string(n);
  return line + ',' + shortest(row.seconds) + ',' + joined(row.rounds) + ',' + std::to_string(row.peak_bytes);
}

ArenaRow row_from_csv(const std::string& line) {
  std::vector<std::string> f = fields(line);
  check(f.size() == 13, "arena", "expected 13 fields, got ", f.size());
  check(f[0] == "cell" || f[0] == "step", "arena", "expected cell or step, got \"", f[0].substr(0, 20), '"');
  ArenaRow row{.cell = f[0] == "cell", .mixer = f[1], .group = f[2], .spec = f[3], .at = f[4]};
  row.accuracy = number<double>(f[5]), row.chance = number<double>(f[6]);
  row.items = number<Size>(f[7]), row.parameters = number<Size>(f[8]), row.updates = number<Size>(f[9]);
  row.seconds = number<double>(f[10]), row.rounds = numbers(f[11]), row.peak_bytes = number<Size>(f[12]);
  check(std::isfinite(row.accuracy) && row.accuracy >= 0 && row.accuracy <= 1, "arena",
        "expected an accuracy from 0 to 1, got ", row.accuracy);
  for (double seconds : row.rounds)
    check(std::isfinite(seconds) && seconds > 0, "arena", "expected seconds above 0, got ", seconds);
  if (!row.cell) check(number<Size>(row.at) > 0, "arena", "expected a length, got ", row.at);
  return row;
}

std::vector<ArenaRow> read_arena(const std::string& path) {
  std::ifstream file(path);
  check(file.good(), "arena", "cannot read ", path, "; `heed arena run` writes it");
  std::vector<ArenaRow> rows;
  std::string line;
  for (int number = 1; std::getline(file, line); number++) {
    if (number == 1) {
      check(line == arena_header(), "arena", path, ":1: expected the header of a file that `heed arena run` wrote");
      continue;
    }
    try {
      rows.push_back(row_from_csv(line));
    } catch (const Error& e) {
      fail("arena", path, ":", number, ": ", e.what() + std::string_view("heed: arena: ").size());
    }
  }
  return rows;
}

std::string arena_csv(const std::vector<ArenaRow>& rows) {
  std::string text = arena_header() + '\n';
  for (const ArenaRow& row : rows) text += to_csv(row) + '\n';
  return text;
}

const Standing* Standings::find(const std::string& mixer) const {
  auto found = std::find_if(list.begin(), list.end(), [&](const Standing& s) { return s.mixer == mixer; });
  return found == list.end() ? nullptr : &*found;
}

Standings standings(const std::vector<ArenaRow>& rows) {
  Standings all;
  auto add = [](auto& list, const auto& value) {
    if (std::find(list.begin(), list.end(), value) == list.end()) list.push_back(value);
  };
  for (const ArenaRow& row : rows) {
    if (!all.find(row.mixer)) all.list.push_back({.mixer = row.mixer, .group = row.group});
    auto place = static_cast<std::size_t>(all.find(row.mixer) - all.list.data());
    if (row.cell) {
      add(all.tasks, row.at);
      all.list[place].cells.insert_or_assign(row.at, row);
    } else {
      add(all.lengths, number<Size>(row.at));
      all.list[place].steps.insert_or_assign(number<Size>(row.at), row);
    }
  }
  std::sort(all.lengths.begin(), all.lengths.end());
  const Standing* full = all.find("attention");
  for (Standing& each : all.list) {
    double sum = 0;
    for (const auto& [task, cell] : each.cells) {
      sum += cell.accuracy;
      each.parameters = std::max(each.parameters, cell.parameters);
      if (!full || !full->cells.count(task)) continue;
      double share = static_cast<double>(cell.parameters) / static_cast<double>(full->cells.at(task).parameters) - 1;
      if (std::fabs(share) > std::fabs(each.parameter_share)) each.parameter_share = share;
    }
    if (!all.tasks.empty() && each.cells.size() == all.tasks.size())
      each.mean = sum / static_cast<double>(all.tasks.size());
  }
  return all;
}

}  // namespace HEED_NAMESPACE

#include "models/arena/page.hpp"

#include <cmath>

#include "models/arena/tables.hpp"
#include "models/plot/charts.hpp"
#include "models/plot/svg.hpp"

namespace HEED_NAMESPACE {

namespace {

double mebibytes(const ArenaRow& step) { return static_cast<double>(step.peak_bytes) / (1 << 20); }

// Its own mean, or that of what it computes the same as.
std::optional<double> mean_of(const Standings& all, const Standing& each) {
  if (each.mean || !each.cells.empty() || !each.mixer.starts_with("attention")) return each.mean;
  const Standing* full = all.find("attention");
  return full ? full->mean : std::nullopt;
}

}  // namespace

std::string arena_bubbles(const Standings& all) {
  Size n = figure_length(all);
  BubbleChart chart{.title = "Score, speed and memory of a training step, N = " + std::to_string(n)};
  chart.x.title = "examples per second, one thread", chart.y.title = "mean accuracy, %";
  chart.size_title = "peak memory, MiB";
  for (const Standing& each : all.list) {
    std::optional<double> mean = mean_of(all, each);
    auto step = each.steps.find(n);
    if (!mean || step == each.steps.end()) continue;
    chart.bubbles.push_back({.label = each.mixer, .family = each.group, .x = step->second.examples_per_second()});
    chart.bubbles.back().y = 100 * *mean, chart.bubbles.back().size = mebibytes(step->second);
  }
  return bubble_chart(chart);
}

namespace {
// A line a mixer against the length, both axes logarithmic.
std::string growth(const Standings& all, const char* title, const char* axis, double (*value)(const ArenaRow&)) {
  LineChart lines{.title = title};
  lines.x = {.title = "N", .log = true}, lines.y = {.title = axis, .log = true}, lines.marks = true;
  for (const Standing& each : all.list) {
    Series series{.name = each.mixer, .x = {}, .y = {}};
    for (const auto& [length, step] : each.steps)
      series.x.push_back(static_cast<double>(length)), series.y.push_back(value(step));
    if (!series.x.empty()) lines.series.push_back(series);
  }
  return line_chart(lines);
}
}  // namespace

std::string arena_times(const Standings& all) {
  return growth(all, "Time of a training step", "milliseconds an item, one thread",
                [](const ArenaRow& step) { return 1000 / step.examples_per_second(); });
}

std::string arena_memory(const Standings& all) {
  return growth(all, "Peak memory of a training step", "MiB", mebibytes);
}

std::string arena_matrix(const Standings& all) {
  HeatMap map{.title = "Accuracy, %", .columns = all.tasks};
  map.columns.emplace_back("mean"), map.decimals = 1, map.high = 100;
  for (const Standing& each : all.list) {
    if (each.cells.empty()) continue;
    map.rows.push_back(each.mixer);
    std::vector<double>& row = map.values.emplace_back();
    for (const std::string& task : all.tasks) {
      auto cell = each.cells.find(task);
      row.push_back(cell == each.cells.end() ? std::nan("") : 100 * cell->second.accuracy);
    }
    row.push_back(each.mean ? 100 * *each.mean : std::nan(""));
  }
  return heat_map(map);
}

namespace {

constexpr const char* head = R"(<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>heed arena</title>
<style>
:root { color-scheme: light dark; }
body { font: 15px/1.5 sans-serif; max-width: 72rem; margin: 2rem auto; padding: 0 1rem; }
svg { max-width: 100%; height: auto; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: .2rem .6rem; text-align: right; white-space: nowrap; border-bottom: 1px solid #8884; }
th:first-child, td:first-child, th:nth-child(2), td:nth-child(2) { text-align: left; }
th button { all: unset; cursor: pointer; }
th button:focus-visible { outline: 2px solid; }
th[aria-sort=ascending] button::after { content: " ▲"; }
th[aria-sort=descending] button::after { content: " ▼"; }
</style></head><body>
<h1>heed arena</h1>
)";

// A click on a header sorts by that column: numbers from great to small first, words from a to z; empty cells last.
constexpr const char* tail = R"(<script>
const table = document.querySelector("table");
for (const button of table.querySelectorAll("th button")) button.addEventListener("click", () => {
  const head = button.parentElement, place = head.cellIndex, words = place < 2;
  const falling = head.ariaSort ? head.ariaSort === "ascending" : !words;
  for (const other of table.querySelectorAll("th")) other.removeAttribute("aria-sort");
  head.setAttribute("aria-sort", falling ? "descending" : "ascending");
  const key = row => row.cells[place].textContent;
  const order = (a, b) => words ? key(a).localeCompare(key(b)) : Number(key(a)) - Number(key(b));
  const rows = [...table.tBodies[0].rows].sort((a, b) =>
    (key(a) === "") - (key(b) === "") || (falling ? order(b, a) : order(a, b)));
  table.tBodies[0].append(...rows);
});
</script>
</body></html>
)";

std::string cell(const std::string& text) { return "<td>" + escape_xml(text) + "</td>"; }

std::string table(const Standings& all) {
  std::vector<std::string> titles{"mixer", "group"};
  for (const std::string& task : all.tasks) titles.push_back(task + ", %");
  titles.insert(titles.end(), {"mean, %"});
  for (const char* what : {"examples/s, N = ", "MiB, N = "})
    for (Size length : all.lengths) titles.push_back(what + std::to_string(length));
  titles.emplace_back("parameters");
  std::string text = "<table><thead><tr>";
  for (const std::string& title : titles) text += "<th scope=\"col\"><button>" + escape_xml(title) + "</button></th>";
  text += "</tr></thead><tbody>\n";
  for (const Standing& each : all.list) {
    text += "<tr>" + cell(each.mixer) + cell(each.group);
    for (const std::string& task : all.tasks) {
      auto found = each.cells.find(task);
      text += cell(found == each.cells.end() ? "" : fixed_number(100 * found->second.accuracy, 1));
    }
    text += cell(each.mean ? fixed_number(100 * *each.mean, 1) : "");
    for (bool speed : {true, false})
      for (Size length : all.lengths) {
        auto step = each.steps.find(length);
        bool there = step != each.steps.end();
        text += cell(!there  ? ""
                     : speed ? fixed_number(step->second.examples_per_second(), 1)
                             : fixed_number(mebibytes(step->second), 1));
      }
    text += cell(each.cells.empty() ? "" : std::to_string(each.parameters)) + "</tr>\n";
  }
  return text + "</tbody></table>\n";
}

}  // namespace

std::string arena_page(const Standings& all, const std::vector<std::string>& about) {
  std::string text = head;
  for (const std::string& line : about) text += "<p>" + escape_xml(line) + "</p>\n";
  for (const std::string& picture : {arena_bubbles(all), arena_matrix(all), arena_times(all), arena_memory(all)})
    text += "<figure>" + picture.substr(picture.find("<svg")) + "</figure>\n";
  return text + "<h2>Table</h2>\n<div class=\"wide\">" + table(all) + "</div>\n" + tail;
}

}  // namespace HEED_NAMESPACE

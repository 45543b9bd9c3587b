#include "models/plot/runs.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>

#include "models/data/input.hpp"
#include "models/plot/charts.hpp"
#include "models/plot/svg.hpp"
#include "nn/file.hpp"

namespace HEED_NAMESPACE {

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

// What a row counts and what is no curve.
bool is_curve(const std::string& name) {
  static const std::vector<std::string> others{"epoch", "step", "norm", "lr", "skipped", "best", "rate", "seconds"};
  return std::find(others.begin(), others.end(), name) == others.end();
}

void add_row(RunCurves& run, const Json& row, std::vector<double>& epochs, std::vector<double>& steps) {
  auto place = [&](const char* key) {
    auto it = row.find(key);
    return it != row.end() && it->is_number() ? it->get<double>() : Axis::automatic;
  };
  epochs.push_back(place("epoch")), steps.push_back(place("step"));
  const std::size_t rows = steps.size();
  for (const auto& [name, value] : row.items()) {
    if (!is_curve(name) || !(value.is_number() || value.is_null())) continue;
    auto at = std::find(run.metrics.begin(), run.metrics.end(), name);
    const auto metric = static_cast<std::size_t>(at - run.metrics.begin());
    if (at == run.metrics.end()) run.metrics.push_back(name), run.values.emplace_back();
    run.values[metric].resize(rows - 1, Axis::automatic);
    run.values[metric].push_back(value.is_number() ? value.get<double>() : Axis::automatic);
  }
  for (auto& values : run.values) values.resize(rows, Axis::automatic);
}

std::string readable(std::string metric) {
  std::replace(metric.begin(), metric.end(), '_', ' ');
  return metric;
}

std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\n\r") == std::string::npos) return text;
  std::string quoted = "\"";
  for (char c : text) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + '"';
}

}  // namespace

RunCurves read_curves(const std::string& folder_or_file) {
  fs::path path = folder_or_file;
  if (fs::is_directory(path)) path = RunFolder(path).log();
  RunCurves run;
  run.name = fs::path(folder_or_file).lexically_normal().filename().string();
  if (run.name.empty()) run.name = fs::path(folder_or_file).lexically_normal().parent_path().filename().string();
  std::ifstream in = open_file(path.string());
  Lines lines(in, path.string());
  std::vector<double> epochs, steps;
  std::unique_ptr<DataError> broken;  // forgiven on the last line alone
  while (lines.next()) {
    if (broken) throw DataError(*broken);
    if (lines.line().empty()) continue;
    Json row = Json::parse(lines.line(), nullptr, false);
    if (!row.is_object()) {
      broken = std::make_unique<DataError>(lines.error("expected a JSON object of a run's log"));
    } else if (row.contains("loss")) {
      add_row(run, row, epochs, steps);
    }
  }
  if (broken && lines.number() == 1) throw DataError(*broken);
  const bool by_epoch = std::none_of(epochs.begin(), epochs.end(), [](double e) { return std::isnan(e); });
  run.by = by_epoch ? "epoch" : "step";
  run.x = by_epoch ? epochs : steps;
  return run;
}

std::string curves_picture(const std::vector<RunCurves>& runs) {
  std::vector<std::string> metrics;
  bool same = true;
  for (const RunCurves& run : runs) {
    same = same && run.by == runs[0].by;
    for (const std::string& metric : run.metrics)
      if (std::find(metrics.begin(), metrics.end(), metric) == metrics.end()) metrics.push_back(metric);
  }
  std::vector<std::vector<std::string>> panels;
  for (const std::string& metric : metrics) {
    LineChart chart{.title = readable(metric), .x = {.title = same ? runs[0].by : "step or epoch"}};
    for (const RunCurves& run : runs) {
      auto at = std::find(run.metrics.begin(), run.metrics.end(), metric);
      if (at == run.metrics.end()) continue;
      const auto& values = run.values[static_cast<std::size_t>(at - run.metrics.begin())];
      chart.series.push_back({runs.size() > 1 ? run.name : "", run.x, values});
      chart.marks = chart.marks || values.size() <= 40;
    }
    panels.push_back({line_chart(chart)});
  }
  return panels.empty() ? line_chart({.title = "no scores yet"}) : picture_grid(panels, "training curves");
}

std::string curves_csv(const std::vector<RunCurves>& runs) {
  std::string csv = "run,by,x,metric,value\n";
  for (const RunCurves& run : runs)
    for (std::size_t m = 0; m < run.metrics.size(); m++)
      for (std::size_t i = 0; i < run.x.size(); i++) {
        if (!std::isfinite(run.values[m][i])) continue;
        csv += csv_field(run.name) + ',' + run.by + ',' + short_number(run.x[i], 15) + ',' + csv_field(run.metrics[m]) +
               ',' + short_number(run.values[m][i], 15) + '\n';
      }
  return csv;
}

std::string confusion_picture(const std::string& report_json, std::size_t most) {
  Json report = Json::parse(report_json, nullptr, false);
  check(report.is_object(), "confusion_picture", "got no JSON object, expected a report.json of a run");
  if (!report.contains("classes")) return {};
  std::map<std::string, std::size_t> place;
  std::vector<std::pair<double, std::string>> classes;
  for (const auto& [name, c] : report["classes"].items()) classes.emplace_back(-c.value("support", 0.0), name);
  std::stable_sort(classes.begin(), classes.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  const std::size_t all = classes.size();
  classes.resize(std::min(all, most));
  HeatMap map{
      .title = "confusion, % of the gold class", .row_title = "gold", .column_title = "predicted", .decimals = 1};
  if (all > most) map.title += ", the " + std::to_string(most) + " most frequent of " + std::to_string(all);
  for (const auto& [support, name] : classes) {
    place[name] = map.rows.size();
    map.rows.push_back(name + " (" + short_number(-support, 9) + ")");
    map.columns.push_back(name);
    map.values.emplace_back(classes.size(), Axis::automatic);
  }
  auto put = [&](const std::string& gold, const std::string& predicted, double count) {
    auto r = place.find(gold), c = place.find(predicted);
    if (r == place.end() || c == place.end() || count <= 0) return;
    map.values[r->second][c->second] = 100 * count / std::max(1.0, -classes[r->second].first);
  };
  for (const auto& [name, c] : report["classes"].items()) put(name, name, c.value("right", 0.0));
  for (const Json& c : report.value("confusions", Json::array()))
    put(c.value("gold", ""), c.value("predicted", ""), c.value("count", 0.0));
  return heat_map(map);
}

void draw_run(const RunFolder& folder) {
  write_file(folder.curves().string(), curves_picture({read_curves(folder.path.string())}));
  if (!fs::exists(folder.report_json())) return;
  if (std::string picture = confusion_picture(read_file(folder.report_json().string())); !picture.empty())
    write_file(folder.confusion().string(), picture);
}

}  // namespace HEED_NAMESPACE

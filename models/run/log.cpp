#include "models/run/log.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "models/run/machine.hpp"
#include "nn/file.hpp"
#include "tensor/gemm.hpp"
#include "tensor/threads.hpp"

namespace HEED_NAMESPACE {

namespace {

using Json = nlohmann::ordered_json;

// So many digits as tell neighbours apart: a log is read by people too.
double rounded(double x, int digits) {
  double scale = std::pow(10.0, digits);
  return std::round(x * scale) / scale;
}

std::vector<std::string> lines_of(const std::filesystem::path& path) {
  std::ifstream in(path);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line) && !in.eof();) lines.push_back(line);  // the last may be cut short
  return lines;
}

}  // namespace

void RoundSums::save(std::map<std::string, std::string>& metadata) const {
  metadata["train.sums"] = Json{loss, norm, steps, skipped, count}.dump();
}

void RoundSums::load(const std::map<std::string, std::string>& metadata) {
  Json json = Json::parse(metadata.at("train.sums"));
  json.at(0).get_to(loss), json.at(1).get_to(norm);
  json.at(2).get_to(steps), json.at(3).get_to(skipped), json.at(4).get_to(count);
}

void RunLog::append(const std::string& line) {
  std::ofstream out(path_, std::ios::app);
  out << line << '\n' << std::flush;
  if (!out) throw Error("heed: cannot write " + path_.string());
}

void RunLog::begin(const Call& call, const TrainOptions& training, const Learner& learner) {
  Json line{{"version", HEED_VERSION}, {"seed", training.seed}, {"argv", call.arguments}};
  line["config"] = Json::parse(call.config);
  line["cpu"] = cpu_name();
  line["products"] = gemm_name();
  line["threads"] = threads();
  line["compiler"] = __VERSION__;
  std::string more = "{";
  more += learner.log_text();
  line.update(Json::parse(more += '}'));
  write_file(path_.string(), line.dump() + "\n");
}

double RunLog::resume(Size rows) {
  std::vector<std::string> lines = lines_of(path_);
  lines.resize(std::min(lines.size(), static_cast<std::size_t>(rows) + 1));
  std::string text;
  for (const std::string& line : lines) text += line + '\n';
  write_file(path_.string(), text);
  return lines.size() > 1 ? Json::parse(lines.back()).value("seconds", 0.0) : 0;
}

void RunLog::add(const Row& row) {
  Json line;
  if (row.by_epochs) line["epoch"] = row.epoch;
  line["step"] = row.step;
  line["loss"] = rounded(row.loss, 6);
  line["norm"] = rounded(row.norm, 4);
  line["lr"] = row.lr;
  for (const Metric& m : row.metrics) {
    std::string name = m.name;
    std::replace(name.begin(), name.end(), ' ', '_');
    line[name] = rounded(m.value, 4);
  }
  if (row.skipped) line["skipped"] = row.skipped;
  line["best"] = row.best;
  line["rate"] = rounded(row.rate, 1);
  line["seconds"] = rounded(row.seconds, 2);
  append(line.dump());
}

void RunLog::finish(const std::string& end, double seconds) {
  Json best;
  for (const std::string& line : lines_of(path_))
    if (Json row = Json::parse(line); row.value("best", false)) best = row;
  append(Json{{"result", {{"end", end}, {"best", best}, {"seconds", rounded(seconds, 2)}}}}.dump());
}

}  // namespace HEED_NAMESPACE

#include "models/arena/runner.hpp"

#include <algorithm>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iomanip>
#include <iostream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "models/arena/processes.hpp"
#include "models/run/machine.hpp"
#include "models/run/run.hpp"
#include "nn/file.hpp"
#include "tensor/gemm.hpp"

namespace HEED_NAMESPACE {

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr double agreement = 0.1;
constexpr std::size_t most_rounds = 5;

std::string today() {
  std::time_t now = std::time(nullptr);
  std::ostringstream text;
  text << std::put_time(std::gmtime(&now), "%Y-%m-%d");
  return text.str();
}

// Everything that makes two runs the same comparison.
Json sizes(const ArenaRun& run) {
  const ArenaPreset& p = run.preset;
  return {{"preset", p.name}, {"seed", run.seed}, {"updates", p.updates},  {"positions", p.positions},
          {"train", p.train}, {"test", p.test},   {"measured", p.measured}};
}

// results.csv and run.json in the folder.
class Results {
 public:
  explicit Results(const ArenaRun& run) : path_((fs::path(run.out) / "results.csv").string()) {
    std::error_code error;
    fs::create_directories(run.out, error);
    check(!error, "arena", "cannot create ", run.out, ": ", error.message());
    std::string about = (fs::path(run.out) / "run.json").string();
    if (fs::exists(path_) && fs::exists(about)) {
      std::ifstream file(about);
      Json there = Json::parse(file, nullptr, false);
      if (there.is_discarded() || there.value("sizes", Json()) != sizes(run))
        throw UsageError(run.out + " holds a run of other sizes or another seed; give another --out");
      rows_ = read_arena(path_);
    } else {
      Json info{{"version", HEED_VERSION}, {"date", today()},  {"processor", cpu_name()},
                {"products", gemm_name()}, {"jobs", run.jobs}, {"sizes", sizes(run)}};
      write_file(about, info.dump(2) + '\n');
      write_file(path_, arena_csv(rows_));
    }
  }
  const std::vector<ArenaRow>& rows() const { return rows_; }
  ArenaRow* find(bool cell, const std::string& mixer, const std::string& at) {
    auto found = std::find_if(rows_.begin(), rows_.end(), [&](const ArenaRow& row) {
      return row.cell == cell && row.mixer == mixer && row.at == at;
    });
    return found == rows_.end() ? nullptr : &*found;
  }
  // Adds it, or its round to those that are there, and writes the file.
  void add(const ArenaRow& row) {
    if (ArenaRow* there = find(row.cell, row.mixer, row.at)) {
      there->rounds.insert(there->rounds.end(), row.rounds.begin(), row.rounds.end());
      there->peak_bytes = std::max(there->peak_bytes, row.peak_bytes);
    } else {
      rows_.push_back(row);
    }
    write_file(path_, arena_csv(rows_));
  }

 private:
  std::string path_;
  std::vector<ArenaRow> rows_;
};

// Something that one process does, and how long that takes by guess, in seconds.
struct Job {
  std::string verb, mixer, at;
  double guess, part = 0;  // part: what of it is done
};

class Grid {
 public:
  Grid(const ArenaRun& run, const std::atomic<int>& stop) : run_(run), stop_(stop), results_(run) {}

  int run() {
    bool all = work(steps(1), 1) && work(cells(), run_.jobs);
    for (std::size_t rounds = 2; all && rounds <= most_rounds; rounds++) all = work(steps(rounds), 1);
    if (!all) {
      std::cerr << "interrupted; the same command goes on with what is missing\n";
      return 128 + stop_;
    }
    for (const std::string& each : failed_) std::cerr << "heed: arena: failed: " << each << '\n';
    return failed_.empty() ? 0 : 1;
  }

 private:
  // Measurements that have less than `rounds` rounds, or, beyond the second, do not agree yet.
  std::vector<Job> steps(std::size_t rounds) {
    std::vector<Job> jobs;
    for (const Entrant& entrant : run_.entrants)
      for (Size length : run_.preset.lengths) {
        const ArenaRow* row = results_.find(false, entrant.name, std::to_string(length));
        if (row && (row->rounds.size() >= rounds || row->spread() < agreement)) continue;
        jobs.push_back({"step", entrant.name, std::to_string(length), 1.5});
      }
    return jobs;
  }
  std::vector<Job> cells() {
    std::vector<Job> jobs;
    for (const Entrant& entrant : run_.entrants)
      for (const ArenaTask& task : run_.preset.tasks)
        if (entrant.name != written_out && !results_.find(true, entrant.name, task.name))
          jobs.push_back({"cell", entrant.name, task.name, guess(entrant.name)});
    return jobs;
  }
  // Seconds of a cell, from the step that was measured at the shortest length.
  double guess(const std::string& mixer) {
    const ArenaPreset& p = run_.preset;
    double each = 2e-5;  // seconds a position
    if (!p.lengths.empty())
      if (const ArenaRow* row = results_.find(false, mixer, std::to_string(p.lengths[0])))
        each = 1 / row->examples_per_second() / static_cast<double>(p.lengths[0]);
    return 1 + each * static_cast<double>(p.updates) * static_cast<double>(p.positions);
  }

  bool work(std::vector<Job> jobs, std::size_t slots) {
    if (jobs.empty()) return true;
    std::vector<std::vector<std::string>> calls;
    double total = 0;
    for (const Job& job : jobs) {
      calls.push_back({"arena", job.verb, job.mixer, job.at, "--threads", "1"});
      std::vector<std::string> same = size_arguments(run_);
      calls.back().insert(calls.back().end(), same.begin(), same.end());
      total += job.guess;
    }
    std::size_t finished = 0;
    Progress progress(jobs[0].verb == "cell" ? "arena: cells" : "arena: steps", run_.progress);
    auto show = [&](const Job& now) {
      double done = 0;
      for (const Job& job : jobs) done += job.guess * job.part;
      progress.show(
          static_cast<Size>(1000 * done), static_cast<Size>(1000 * total),
          std::to_string(finished) + " of " + std::to_string(jobs.size()) + ", " + now.mixer + " on " + now.at);
    };
    auto line = [&](std::size_t i, const std::string& text) {
      double part = 0;
      if (std::istringstream(text) >> part)
        jobs[i].part = std::clamp(part, 0.0, 1.0);
      else
        results_.add(row_from_csv(text));
      show(jobs[i]);
    };
    auto end = [&](std::size_t i, int code) {
      finished++;
      jobs[i].part = 1;
      if (code && !stop_)
        failed_.push_back(jobs[i].mixer + " on " + jobs[i].at + " (exit code " + std::to_string(code) + ")");
      show(jobs[i]);
    };
    return run_side_by_side(run_.program, calls, slots, line, end, stop_) && !stop_;
  }

  const ArenaRun& run_;
  const std::atomic<int>& stop_;
  Results results_;
  std::vector<std::string> failed_;
};

}  // namespace

std::vector<std::string> size_arguments(const ArenaRun& run) {
  return {
      "--preset", run.preset.name, "--seed", std::to_string(run.seed), "--updates", std::to_string(run.preset.updates)};
}

int run_arena(const ArenaRun& run, const std::atomic<int>& stop) { return Grid(run, stop).run(); }

}  // namespace HEED_NAMESPACE

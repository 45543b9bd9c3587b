// log.hpp — log.jsonl: the run itself, one object for each score, and the result at the end.
#pragma once

#include <filesystem>

#include "models/run/run.hpp"

namespace HEED_NAMESPACE {

/// What the steps since the last score add up to; saved with the run, so that resuming in the middle goes on with it.
struct RoundSums {
  double loss = 0, norm = 0;  ///< sums over the steps
  Size steps = 0, skipped = 0, count = 0;
  void save(std::map<std::string, std::string>& metadata) const;
  void load(const std::map<std::string, std::string>& metadata);
};

/// One score, as the log and the table show it.
struct Row {
  bool by_epochs = true;
  Size epoch = 0, step = 0, steps = 0;
  double loss = 0, norm = 0, lr = 0, rate = 0;  ///< means of the steps since the last score; items a second
  std::string unit;                             ///< of the items
  Size skipped = 0;
  std::vector<Metric> metrics;
  bool best = false;
  double seconds = 0;  ///< since the run began, without pauses between its parts
};

/// The log of a run. Each line is complete on the disk before training goes on. Throws Error when it cannot be written.
class RunLog {
 public:
  explicit RunLog(std::filesystem::path path) : path_(std::move(path)) {}
  /// A new log: what ran, on what, with which options.
  void begin(const Call& call, const TrainOptions& training, const Learner& learner);
  /// Goes on after `rows` scores; what a run that was killed wrote behind them is dropped. Returns the seconds so far.
  double resume(Size rows);
  void add(const Row& row);
  /// The result: how training ended, and its best score, which the log has.
  void finish(const std::string& end, double seconds);

 private:
  void append(const std::string& line);
  std::filesystem::path path_;
};

}  // namespace HEED_NAMESPACE

// run.hpp — a training run and its folder: model.safetensors (best on dev), last.safetensors (to resume), log.jsonl and
// report.txt. Talk goes to standard error, the result to standard output.
#pragma once

#include <atomic>
#include <functional>
#include <memory>

#include "models/run/learner.hpp"

namespace HEED_NAMESPACE {

/// A call that contradicts itself or would overwrite something: exit code 2.
struct UsageError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// What a command line knows of the program around it.
struct Program {
  std::string name = "heed";  ///< how the user called it, for the next command to type
  int code = 0;               ///< what main returns
};

struct RunOptions {
  std::string out;  ///< the folder
  bool overwrite = false, resume = false, quiet = false;
  std::string next;  ///< what to type when it is done; empty: nothing
};

/// Trains what `make` makes, and keeps the best and the last state in the folder. Nothing that is there is touched
/// without `overwrite` or `resume`, nor before `make` has read all its files. `stop` ends training after the current
/// step, with everything saved. Returns the exit code: 0 done, 130 interrupted. Throws UsageError, TrainingError,
/// Error.
int train_run(const RunOptions& options, const TrainOptions& training,
              const std::function<std::unique_ptr<Learner>()>& make, const std::atomic<bool>& stop);

/// From now on the first Ctrl-C sets this, so that training finishes its step and saves; the second ends the program.
const std::atomic<bool>& interrupted();

/// The best model of a run's folder `model`, or that file itself. Throws Error when there is none.
std::string model_path(const std::string& model);

}  // namespace HEED_NAMESPACE

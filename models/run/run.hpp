// run.hpp — a training run from the command line: training, scores, what is written when, and how it is interrupted.
// Talk goes to standard error, the result to standard output, all else to the run's folder (folder.hpp).
#pragma once

#include <atomic>
#include <functional>
#include <memory>

#include "models/run/folder.hpp"
#include "models/run/learner.hpp"
#include "nn/train/progress.hpp"

namespace HEED_NAMESPACE {

/// A call that contradicts itself or would overwrite something: exit code 2.
struct UsageError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// How the program was called.
struct Call {
  std::vector<std::string> arguments;  ///< the program first
  std::string config = "{}";           ///< every option with its value, as JSON
  ProgressMode progress = ProgressMode::automatic;
};

/// What a command line knows of the program around it.
struct Program {
  std::string name = "heed";  ///< how the user called it, for the next command to type
  int code = 0;               ///< what main returns
  Call call = {};
};

struct RunOptions {
  std::string out;  ///< the folder
  bool overwrite = false, resume = false;
  std::string next = {};  ///< what to type when it is done; empty: nothing
  Call call = {};
};

/// Trains what `make` makes, and keeps the best and the last state in the folder. Nothing that is there is touched
/// without `overwrite` or `resume`, nor before `make` has read all its files. A run that was killed at any moment ends
/// after `resume` with the same bits. A signal in `stop` ends training after the current step, with everything saved.
/// Returns the exit code: 0 done, 128 + signal interrupted. Throws UsageError, TrainingError, Error.
int train_run(const RunOptions& options, const TrainOptions& training,
              const std::function<std::unique_ptr<Learner>()>& make, const std::atomic<int>& stop);

/// From now on the first Ctrl-C or SIGTERM is kept here, so that training finishes its step and saves; the second ends
/// the program.
const std::atomic<int>& interrupted();

/// The call as a shell understands it, with --resume in the place of --overwrite.
std::string resuming_command(const Call& call);

}  // namespace HEED_NAMESPACE

// trainer.hpp — the training loop of every model: steps, rounds, and a state from which it goes on to the bit.
#pragma once

#include <functional>

#include "models/run/learner.hpp"
#include "nn/optim/average.hpp"
#include "nn/optim/clip.hpp"

namespace HEED_NAMESPACE {

/// What one step did.
struct StepResult {
  Size step, steps;                    ///< counted from 1; and how many there will be
  Size in_round = 0, round_steps = 0;  ///< the same up to the next score
  double loss = 0;                     ///< the main one
  double norm = 0;                     ///< of the gradients, before clipping
  Size count = 0;                      ///< what Learner::unit() counts
  bool skipped = false;                ///< no item of the batch had an answer to learn: nothing was updated
};

/// Trains with AdamW, warm-up–cosine, clipping and a running average. The learner must outlive it.
class Trainer {
 public:
  /// Throws Error when there is nothing to train on.
  Trainer(const Learner& learner, const TrainOptions& options);

  /// Runs up to the next score: the rest of an epoch or of so many steps. Calls `after` after every step; returns false
  /// at once if that does, with the state in the middle. Throws TrainingError when the loss, a gradient or, at the end,
  /// a parameter is not finite, or an operation refuses its numbers.
  bool run_round(const std::function<bool(const StepResult&)>& after);
  bool finished() const { return round_ >= rounds_; }
  /// Rounds that are done, and how many there will be.
  Size round() const { return round_; }
  Size rounds() const { return rounds_; }
  /// Steps that are done, and how many there will be.
  Size step() const { return step_; }
  Size steps() const { return steps_; }
  bool by_epochs() const { return every_ == 0; }
  /// The learning rate of the last step.
  double lr() const { return rate(step_ - 1); }

  /// The averaged weights in the model, until the next call puts the trained ones back.
  void swap_average() { average_.swap(); }

  /// Adds everything that resuming needs to `checkpoint`, which must not be written while the average is swapped in.
  void save(Checkpoint& checkpoint) const;
  /// Restores it. Throws Error when it belongs to another model or other options.
  void load(const Checkpoint& checkpoint);

 private:
  double rate(Size step) const;
  StepResult one_step(const Group& items);
  bool update(const Group& items, StepResult& result);
  [[noreturn]] void stop(const std::string& why, const Group& items) const;
  void check_parameters() const;
  void start_epoch();
  std::string options_text() const;

  const Learner& learner_;
  TrainOptions options_;
  AdamW optimizer_;
  WeightAverage average_;
  std::vector<Group> groups_;  // of this epoch, in their order
  Size epoch_ = 0, done_ = 0;  // batches of this epoch that are behind us
  Size step_ = 0, steps_ = 0, round_ = 0, rounds_ = 0;
  Size every_ = 0;  // steps of a round; 0: an epoch's
};

}  // namespace HEED_NAMESPACE

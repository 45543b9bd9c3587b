// trainer.hpp — trains a tagger: one step, one epoch, and a state from which training goes on to the bit.
#pragma once

#include <atomic>
#include <functional>

#include "models/pos/tagger.hpp"
#include "nn/checkpoint.hpp"
#include "nn/optim/average.hpp"
#include "nn/optim/clip.hpp"

namespace HEED_NAMESPACE {

struct TrainOptions {
  std::uint64_t seed = 1;  ///< order of the batches; weights and dropout draw from the model's generator
  Size epochs = 16;
  std::size_t batch_tokens = 500;  ///< words in a batch, padding included
  double lr = 2e-3;                ///< highest rate of the warm-up–cosine schedule
  double warmup = 0.05;            ///< share of all steps
  double floor = 0.01;             ///< share of lr left at the end
  double weight_decay = 0.05, beta2 = 0.99;
  double clip = 1;         ///< greatest norm of all gradients
  double average = 0.998;  ///< decay of the running average of the weights, which is what is evaluated and saved
  double label_smoothing = 0.1;
  double auxiliary = 0.5;  ///< weight of the losses of xpos and feats
};

/// Training that cannot go on; the text has the step, the loss, the first parameter that is not finite and the
/// sentences.
struct TrainingError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// What one step did.
struct StepResult {
  Size step, steps;  ///< counted from 1; and how many there will be
  double loss = 0;   ///< of the tags, auxiliary losses left out
  double norm = 0;   ///< of the gradients, before clipping; not finite: the step was skipped
  Size words = 0;
};

/// Trains `model` on `data`; both must outlive it.
class Trainer {
 public:
  Trainer(Tagger& model, Rng& rng, const Dataset& data, const TrainOptions& options);

  /// Runs the rest of the current epoch. Calls `after` after every step; returns false at once if that does, with the
  /// state in the middle of the epoch. Throws TrainingError when the loss or a parameter is no longer finite; nothing
  /// is saved.
  bool run_epoch(const std::function<bool(const StepResult&)>& after);
  bool finished() const { return epoch_ >= options_.epochs; }
  Size epoch() const { return epoch_; }
  double lr() const { return optimizer_.lr; }

  /// The averaged weights in the model, until the next call puts the trained ones back.
  void swap_average() { average_.swap(); }

  /// Adds everything that resuming needs to `checkpoint`, which must not be written while the average is swapped in.
  void save(Checkpoint& checkpoint) const;
  /// Restores it. Throws Error when it belongs to another model or other options.
  void load(const Checkpoint& checkpoint);

 private:
  StepResult step(const Batch& batch);
  std::vector<std::vector<std::size_t>> order() const;
  std::string options_text() const;

  Tagger& model_;
  Rng& rng_;
  const Dataset& data_;
  TrainOptions options_;
  AdamW optimizer_;
  WeightAverage average_;
  Size epoch_ = 0, done_ = 0;  // batches of this epoch that are behind us
  Size step_ = 0, steps_ = 0;
};

}  // namespace HEED_NAMESPACE

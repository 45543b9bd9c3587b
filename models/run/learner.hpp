// learner.hpp — what the shared trainer asks of a model and its data, and nothing else.
#pragma once

#include <string>
#include <vector>

#include "autograd/ops.hpp"
#include "nn/checkpoint.hpp"

namespace HEED_NAMESPACE {

/// How to train. By epochs, scored after each; or, when `steps` or `evaluate` is given, by steps.
struct TrainOptions {
  std::uint64_t seed = 1;  ///< order of the batches; weights and dropout draw from the model's generator
  Size epochs = 16;
  std::size_t batch_tokens = 500;  ///< positions in a batch, padding included
  double lr = 2e-3;                ///< highest rate of the warm-up–cosine schedule
  double warmup = 0.05;            ///< share of all steps
  double floor = 0.01;             ///< share of lr left at the end
  double weight_decay = 0.05, beta2 = 0.99;
  double clip = 1;         ///< greatest norm of all gradients
  double average = 0.998;  ///< decay of the running average of the weights, which is what is evaluated and saved
  double label_smoothing = 0.1;
  double auxiliary = 0.5;  ///< weight of losses beside the main one
  Size steps = 0;          ///< updates in all; 0: epochs decide
  Size evaluate = 0;       ///< updates from one score to the next; 0: an epoch's
  Size patience = 0;       ///< scores in a row that are no better than the best before training ends; 0: no end
};

/// Indices of the items of a batch.
using Group = std::vector<std::size_t>;

/// What a batch says: the loss to show, others that are learned with it, and how much was looked at.
struct BatchLoss {
  Var main;
  std::vector<Var> others = {};
  Size count = 0;
};

/// One number on the development set, as "dev accuracy".
struct Metric {
  std::string name;
  double value;
  const char* unit = "%";
};

/// How good a model is. The first metric decides what is best.
struct Evaluation {
  std::vector<Metric> metrics;
  bool lower_is_better = false;
  std::string report;       ///< kept beside the best model
  std::string json = "{}";  ///< the same for programs
  /// Greater is better.
  double worth() const { return lower_is_better ? -metrics.at(0).value : metrics.at(0).value; }
};

/// A model with its data, in training.
class Learner {
 public:
  virtual ~Learner() = default;
  virtual std::vector<Parameter> parameters() const = 0;
  /// The generator that the model draws from.
  virtual Rng& rng() const = 0;
  /// All training items, in groups of at most `tokens` positions; with a generator in random order.
  virtual std::vector<Group> batches(std::size_t tokens, Rng* shuffle) const = 0;
  virtual BatchLoss loss(const Group& items, const TrainOptions& options) const = 0;
  /// Names the items of a batch that went wrong, as "sentences: 3 17".
  virtual std::string items_text(const Group& items) const = 0;
  /// What resuming must find unchanged of the data, as "words 1234".
  virtual std::string data_text() const = 0;
  /// Scores the model on the development set.
  virtual Evaluation evaluate() const = 0;
  /// Weights, and all that it takes to make the model again.
  virtual Checkpoint checkpoint() const = 0;
  /// What stands above the table of a run, as "300 sentences to train on".
  virtual std::string headline() const = 0;
  /// Members of the log's first line that describe model and data, as JSON without braces.
  virtual std::string log_text() const = 0;
  /// The names behind the numbers that the model reads and answers, as JSON.
  virtual std::string vocabulary_text() const { return "{}"; }
  /// What BatchLoss::count counts.
  virtual const char* unit() const = 0;
};

/// Training that cannot go on; the text has the step, the loss, the first parameter that is not finite and the items.
struct TrainingError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace HEED_NAMESPACE

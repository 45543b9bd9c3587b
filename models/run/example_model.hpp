// example_model.hpp — any model over example sets: one interface for training, scoring, saving and the command line.
#pragma once

#include <memory>

#include "models/data/example.hpp"
#include "models/run/learner.hpp"
#include "models/run/settings.hpp"

namespace HEED_NAMESPACE {

/// What a model says of a batch, item by item, in the form of Example::targets.
using Answers = std::vector<std::vector<int>>;

/// Cross entropy of logits (B, N, C) or (B, C) against the batch's targets.
BatchLoss class_loss(const Var& logits, const ExampleBatch& batch, const TrainOptions& options);
/// The most likely classes, without those of padding.
Answers best_classes(const Tensor& logits, const ExampleBatch& batch);

/// A model whose type is forgotten. One that gives logits for a batch needs no more; others have `loss`, and `predict`
/// or, where accuracy is not what counts, `evaluate`.
struct ExampleModel : Module {
  std::function<BatchLoss(const ExampleBatch&, const TrainOptions&)> loss;
  std::function<Answers(const ExampleBatch&)> predict;    ///< may be empty
  std::function<Evaluation(const ExampleSet&)> evaluate;  ///< may be empty

  template <class M>
  explicit ExampleModel(const M& model) {
    adopt(model);
    if constexpr (requires(const ExampleBatch& batch) { model(batch); }) {
      loss = [model](const ExampleBatch& batch, const TrainOptions& o) { return class_loss(model(batch), batch, o); };
      predict = [model](const ExampleBatch& batch) { return best_classes(model(batch).value(), batch); };
    } else {
      loss = [model](const ExampleBatch& batch, const TrainOptions& o) { return model.loss(batch, o); };
    }
    if constexpr (requires(const ExampleBatch& batch) { model.predict(batch); })
      predict = [model](const ExampleBatch& batch) { return model.predict(batch); };
    if constexpr (requires(const ExampleSet& set) { model.evaluate(set); })
      evaluate = [model](const ExampleSet& set) { return model.evaluate(set); };
  }
};

/// A kind of model, as the program lists it.
struct ModelKind {
  std::string name, help;
  std::vector<std::string> tasks;  ///< built-in ones, the first by default
  Settings settings;
  TrainOptions training;
  /// Builds it for sets like `set`, whose items tell how long they are. The generator must outlive it.
  ExampleModel (*make)(const ExampleSet& set, const Settings& settings, Rng& rng);
  /// Reads a file of its field; with `like`, into the symbols and classes of that set.
  ExampleSet (*read)(const std::string& path, const ExampleSet* like, const Settings& settings) = nullptr;
};

/// A model with everything it stands on. Not copied or moved: layers keep a pointer to the generator.
struct Trained {
  const ModelKind& kind;
  Settings settings;
  ExampleSet set;  ///< what it reads, without items
  Rng rng;
  ExampleModel model;
  Trained(const ModelKind& what, const ExampleSet& data, const Settings& choice, std::uint64_t seed);
  Trained(const Trained&) = delete;
  Trained& operator=(const Trained&) = delete;
};

/// Weights, settings, and what the sets must be like.
Checkpoint to_checkpoint(const Trained& trained);
/// The opposite. Throws Error when the checkpoint is not of that kind.
std::unique_ptr<Trained> from_checkpoint(const ModelKind& kind, const Checkpoint& checkpoint);
/// The settings as JSON.
std::string describe(const Settings& settings);

/// Answers to all items. Batches of at most `batch_tokens` positions bound the memory.
Answers predict(const ExampleModel& model, const ExampleSet& set, std::size_t batch_tokens = 4096);
/// The model's own evaluation, or accuracy over positions, items or whole sequences, and by class.
Evaluation evaluate(const ExampleModel& model, const ExampleSet& set, const Answers& answers);
Evaluation evaluate(const ExampleModel& model, const ExampleSet& set);

/// Trains a model on `train` and scores it on `dev`; all must outlive it.
class ExampleLearner : public Learner {
 public:
  /// Throws Error when dev is not of the same kind as train.
  ExampleLearner(Trained& trained, const ExampleSet& train, const ExampleSet& dev);

  std::vector<Parameter> parameters() const override { return trained_.model.parameters(); }
  Rng& rng() const override { return trained_.rng; }
  std::vector<Group> batches(std::size_t tokens, Rng* shuffle) const override;
  BatchLoss loss(const Group& items, const TrainOptions& options) const override {
    return trained_.model.loss(make_batch(train_, items), options);
  }
  std::string items_text(const Group& items) const override;
  std::string data_text() const override { return "items " + std::to_string(train_.items.size()); }
  Evaluation evaluate() const override;
  Checkpoint checkpoint() const override { return to_checkpoint(trained_); }
  std::string headline() const override;
  std::string log_text() const override;
  std::string vocabulary_text() const override { return to_checkpoint(trained_).metadata.at("set"); }
  const char* unit() const override { return "positions"; }

 private:
  Trained& trained_;
  const ExampleSet &train_, &dev_;
};

/// Positions of an item.
std::size_t length_of(const ExampleSet& set, const Example& item);
/// The longest item; 0 when there is none.
Size longest(const ExampleSet& set);

}  // namespace HEED_NAMESPACE

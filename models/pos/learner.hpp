// learner.hpp — the tagger and its sentences as the shared trainer sees them.
#pragma once

#include "models/pos/model_file.hpp"
#include "models/run/learner.hpp"

namespace HEED_NAMESPACE {

/// Trains `model` on `data` and scores it on `dev`; all must outlive it.
class TaggerLearner : public Learner {
 public:
  /// Throws Error when no word of the data has a tag.
  TaggerLearner(PosModel& model, const Dataset& data, const std::vector<Sentence>& dev);

  std::vector<Parameter> parameters() const override { return model_.tagger.parameters(); }
  Rng& rng() const override { return model_.rng; }
  std::vector<Group> batches(std::size_t tokens, Rng* shuffle) const override { return data_.batches(tokens, shuffle); }
  /// The main loss is that of the tags, the others those of xpos and feats.
  BatchLoss loss(const Group& pieces, const TrainOptions& options) const override;
  std::string items_text(const Group& pieces) const override;
  std::string data_text() const override { return "words " + std::to_string(data_.words()); }
  Evaluation evaluate() const override;
  Checkpoint checkpoint() const override { return to_checkpoint(model_); }
  std::string headline() const override;
  std::string log_text() const override;
  std::string vocabulary_text() const override;
  const char* unit() const override { return "words"; }

 private:
  PosModel& model_;
  const Dataset& data_;
  const std::vector<Sentence>& dev_;
};

}  // namespace HEED_NAMESPACE

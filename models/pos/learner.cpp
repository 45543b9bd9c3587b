#include "models/pos/learner.hpp"

#include <set>

#include "models/pos/report.hpp"

namespace HEED_NAMESPACE {

TaggerLearner::TaggerLearner(PosModel& model, const Dataset& data, const std::vector<Sentence>& dev)
    : model_(model), data_(data), dev_(dev) {
  check(data.gold_words() > 0, "Trainer", "no word of the training data has a tag");
}

BatchLoss TaggerLearner::loss(const Group& pieces, const TrainOptions& options) const {
  Batch batch = data_.batch(pieces);
  TagScores scores = model_.tagger(batch);
  CrossEntropy smooth{.label_smoothing = options.label_smoothing};
  BatchLoss loss{cross_entropy(scores.tags, batch.tags, smooth), {}, batch.padding.count()};
  if (scores.xpos.defined()) loss.others.push_back(cross_entropy(scores.xpos, batch.xpos, smooth));
  if (scores.feats.defined()) loss.others.push_back(cross_entropy(scores.feats, batch.feats, smooth));
  return loss;
}

std::string TaggerLearner::items_text(const Group& pieces) const {
  std::string text = "sentences:";
  for (std::size_t i : pieces) text += ' ' + std::to_string(data_.pieces()[i].sentence + 1);
  return text;
}

Evaluation TaggerLearner::evaluate() const {
  return to_evaluation(heed::evaluate(model_, dev_, predict(model_, dev_)));
}

std::string TaggerLearner::headline() const {
  std::set<std::size_t> sentences;
  for (const Piece& piece : data_.pieces()) sentences.insert(piece.sentence);
  return std::to_string(sentences.size()) + " sentences, " + std::to_string(data_.words()) + " words to train on; " +
         std::to_string(model_.lexicon.tags.size()) + " tags; " + std::to_string(model_.tagger.parameter_count()) +
         " parameters";
}

std::string TaggerLearner::vocabulary_text() const {
  std::string text;
  constexpr std::string_view prefix = "vocabulary.";
  for (const auto& [name, list] : checkpoint().metadata)
    if (name.starts_with(prefix)) {
      text += text.empty() ? "\"" : ",\n\"";
      text.append(name, prefix.size()).append("\": ").append(list);
    }
  return "{" + text + "}";
}

std::string TaggerLearner::log_text() const {
  return "\"model\": " + describe(model_.tagger.options) +
         ", \"parameters\": " + std::to_string(model_.tagger.parameter_count()) +
         ", \"words\": " + std::to_string(data_.words());
}

}  // namespace HEED_NAMESPACE

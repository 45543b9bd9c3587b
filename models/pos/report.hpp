// report.hpp — predictions and how good they are.
#pragma once

#include <iosfwd>

#include "models/pos/model_file.hpp"
#include "models/run/score.hpp"

namespace HEED_NAMESPACE {

/// The most likely tag of every word, sentence by sentence. Batches of at most `batch_tokens` words bound the memory.
std::vector<std::vector<std::string>> predict(const PosModel& model, const std::vector<Sentence>& sentences,
                                              std::size_t batch_tokens = 4096);

/// Accuracy over the words that have a gold tag, in the splits that tell why it is what it is.
struct Report {
  /// known, unknown: to training, in any case; ambiguous: forms with more than one gold tag in the evaluated file.
  Score all, known, unknown, ambiguous;
  std::size_t without_gold = 0;
  ClassTable tags;
  std::vector<Confusion> confusions;     ///< most frequent first
  std::vector<std::string> unseen_tags;  ///< gold tags that training never saw; they count as errors
  double macro_f1() const { return heed::macro_f1(tags); }
};

Report evaluate(const PosModel& model, const std::vector<Sentence>& sentences,
                const std::vector<std::vector<std::string>>& predicted);

/// Prints the report as text.
void print(std::ostream& out, const Report& report);
/// The report as a score of training.
Evaluation to_evaluation(const Report& report);

}  // namespace HEED_NAMESPACE

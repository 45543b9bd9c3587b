// report.hpp — predictions and how good they are.
#pragma once

#include <iosfwd>
#include <map>

#include "models/pos/model_file.hpp"

namespace HEED_NAMESPACE {

/// The most likely tag of every word, sentence by sentence. Batches of at most `batch_tokens` words bound the memory.
std::vector<std::vector<std::string>> predict(const PosModel& model, const std::vector<Sentence>& sentences,
                                              std::size_t batch_tokens = 4096);

/// Right and all.
struct Score {
  std::size_t right = 0, all = 0;
  void add(bool is_right) {
    right += is_right;
    all++;
  }
  /// In percent; 0 of nothing is 0.
  double percent() const { return all ? 100.0 * static_cast<double>(right) / static_cast<double>(all) : 0; }
};

/// One kind of error, with an example.
struct Confusion {
  std::string gold, predicted, example;
  std::size_t count = 0;
};

/// Accuracy over the words that have a gold tag, in the splits that tell why it is what it is.
struct Report {
  /// known, unknown: to training, in any case; ambiguous: forms with more than one gold tag in the evaluated file.
  Score all, known, unknown, ambiguous;
  std::size_t without_gold = 0;
  struct Tag {
    std::size_t right = 0, gold = 0, predicted = 0;
    double precision() const { return predicted ? static_cast<double>(right) / static_cast<double>(predicted) : 0; }
    double recall() const { return gold ? static_cast<double>(right) / static_cast<double>(gold) : 0; }
    double f1() const {
      return gold + predicted ? 2 * static_cast<double>(right) / static_cast<double>(gold + predicted) : 0;
    }
  };
  std::map<std::string, Tag> tags;
  std::vector<Confusion> confusions;     ///< most frequent first
  std::vector<std::string> unseen_tags;  ///< gold tags that training never saw; they count as errors
  double macro_f1() const;
};

Report evaluate(const PosModel& model, const std::vector<Sentence>& sentences,
                const std::vector<std::vector<std::string>>& predicted);

/// Prints the report as text.
void print(std::ostream& out, const Report& report);

}  // namespace HEED_NAMESPACE

// commands.hpp — what `heed pos ...` does. Data goes to standard output, talk to standard error.
//
// Each function returns the exit code (0 done, 1 a bar was missed, 130 interrupted) and throws for everything else:
// UsageError when the call makes no sense, other exceptions when files or data do not.
#pragma once

#include "models/data/corpus.hpp"
#include "models/pos/trainer.hpp"

namespace HEED_NAMESPACE {

/// A call that contradicts itself or would overwrite something: exit code 2.
struct UsageError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct TrainCommand {
  std::string train, dev, out;
  std::string program = "heed";  ///< how the user called it, for the next command to type
  bool overwrite = false, resume = false, skip_bad = false, quiet = false;
  TaggerOptions model;
  TrainOptions training;
};
/// Trains on CoNLL-U files and writes model.safetensors (best on dev), last.safetensors (to resume), log.jsonl and
/// report.txt into `out`. `stop` ends training after the current step, with everything saved.
int train_command(const TrainCommand& command, const std::atomic<bool>& stop);

enum class TagFormat { words, conllu, tsv };
/// Tags sentences from standard input, one a line, words apart by white space; writes each as soon as it is tagged.
int tag_command(const std::string& model, TagFormat format);

/// Scores a model on a CoNLL-U file; writes predictions to `write` unless empty. 1 when accuracy is below min_accuracy
/// (%).
int eval_command(const std::string& model, const std::string& file, const std::string& write, double min_accuracy);

/// Trains a small tagger on the built-in corpus and shows what it learned.
int demo_command(Language language, std::uint64_t seed, bool quiet, const std::string& program);

/// Trains every rung of the ladder on the built-in corpus and prints one line for each.
int ladder_command(Language language, std::uint64_t seed, bool quiet);

/// Writes the built-in corpus as CoNLL-U.
int corpus_command(Language language, std::size_t sentences, std::uint64_t seed);

}  // namespace HEED_NAMESPACE

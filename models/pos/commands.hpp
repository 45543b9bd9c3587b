// commands.hpp — what `heed pos ...` does. Data goes to standard output, talk to standard error.
//
// Each function returns the exit code (0 done, 1 a bar was missed, 130 interrupted) and throws for everything else:
// UsageError when the call makes no sense, other exceptions when files or data do not.
#pragma once

#include "models/data/corpus.hpp"
#include "models/pos/tagger.hpp"
#include "models/run/run.hpp"

namespace CLI {
class App;
}

namespace HEED_NAMESPACE {

/// Adds `pos` and its verbs to the command line.
void add_pos(CLI::App& heed, Program& program);

struct TrainCommand {
  std::string train, dev;
  RunOptions run;
  bool skip_bad = false;
  TaggerOptions model;
  TrainOptions training;
};
/// Trains on CoNLL-U files, see train_run().
int train_command(const TrainCommand& command, const std::atomic<int>& stop);

enum class TagFormat { words, conllu, tsv };
/// Tags sentences from standard input, one a line, words apart by white space; writes each as soon as it is tagged.
int tag_command(const std::string& model, TagFormat format);

/// Scores a model on a CoNLL-U file and prints the report, as JSON if so wished; writes predictions to `write` unless
/// empty. 1 when accuracy is below min_accuracy (%).
int eval_command(const std::string& model, const std::string& file, const std::string& write, double min_accuracy,
                 bool json);

/// Trains a small tagger on the built-in corpus and shows what it learned.
int demo_command(Language language, std::uint64_t seed, ProgressMode progress, const std::string& program);

/// Trains every rung of the ladder on the built-in corpus and prints one line for each.
int ladder_command(Language language, std::uint64_t seed, ProgressMode progress);

/// Writes the built-in corpus as CoNLL-U.
int corpus_command(Language language, std::size_t sentences, std::uint64_t seed);

}  // namespace HEED_NAMESPACE

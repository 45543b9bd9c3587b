// From one sequence to another: RNN, RNN with attention, Transformer.
#include "models/translate/commands.hpp"

#include "models/data/text_files.hpp"
#include "models/translate/translator.hpp"

namespace HEED_NAMESPACE {

const ModelKind& translate_kind() {
  static const ModelKind kind{
      .name = "translate",
      .help = "from one sequence to another: digits backwards or in order, dates, or your own pairs",
      .tasks = {"reverse", "copy", "sort", "dates"},
      .settings = translate_settings().with(
          {word("unit", {"character", "word"}, "of TSV files: what a sequence is made of"),
           whole("min_count", 1, 1, 1000000, "of TSV files: how often a unit must stand in them to be known")}),
      .training = {.epochs = 8, .batch_tokens = 640, .lr = 3e-3, .average = 0.99, .label_smoothing = 0},
      .make = [](const ExampleSet& set, const Settings& s, Rng& rng) { return ExampleModel(Translator(set, s, rng)); },
      .read =
          [](const std::string& path, const ExampleSet* like, const Settings& s) {
            return read_pairs(path, s.word("unit") == "word" ? Unit::word : Unit::character, like,
                              static_cast<std::size_t>(s.size("min_count")));
          }};
  return kind;
}

void add_translate(CLI::App& heed, Program& program) { add_kind(heed, program, translate_kind()); }

}  // namespace HEED_NAMESPACE

// From one sequence to another: RNN, RNN with attention, Transformer.
#include "models/translate/commands.hpp"

#include "models/translate/translator.hpp"

namespace HEED_NAMESPACE {

const ModelKind& translate_kind() {
  static const ModelKind kind{
      .name = "translate",
      .help = "from one sequence to another: digits backwards or in order, dates, or your own pairs",
      .tasks = {"reverse", "copy", "sort", "dates"},
      .settings = translate_settings(),
      .training = {.epochs = 8, .batch_tokens = 640, .lr = 3e-3, .average = 0.99, .label_smoothing = 0},
      .make = [](const ExampleSet& set, const Settings& s, Rng& rng) { return ExampleModel(Translator(set, s, rng)); }};
  return kind;
}

void add_translate(CLI::App& heed, Program& program) { add_kind(heed, program, translate_kind()); }

}  // namespace HEED_NAMESPACE

// Sentences, expressions and symbol sequences: an embedding, an encoder, one class for all or one for each position.
#include "models/text/commands.hpp"

#include "models/classify/classifier.hpp"
#include "models/data/labels.hpp"
#include "models/data/text_files.hpp"

namespace HEED_NAMESPACE {

const ModelKind& text_kind() {
  static const ModelKind kind = [] {
    Settings settings = encoder_settings().with(head_settings());
    settings.set("window", "2");
    return ModelKind{.name = "text",
                     .help = "classes of sentences or of their symbols",
                     .tasks = {"sentiment", "listops", "documents", "parity", "parity_whole", "majority", "stride_copy",
                               "vote", "permutation", "recall", "recall_stream", "partner", "needle"},
                     .settings = settings,
                     .training = {.epochs = 8, .batch_tokens = 2048, .lr = 2e-3, .average = 0.99, .label_smoothing = 0},
                     .make = [](const ExampleSet& set, const Settings& s,
                                Rng& rng) { return ExampleModel(Classifier(set, s, rng)); },
                     .read =
                         [](const std::string& path, const ExampleSet* like, const Settings&) {
                           if (is_listops(path)) return read_listops(path);
                           return read_labelled_text(path, classes_of(like));
                         }};
  }();
  return kind;
}

void add_text(CLI::App& heed, Program& program) { add_kind(heed, program, text_kind()); }

}  // namespace HEED_NAMESPACE

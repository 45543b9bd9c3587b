// Boxes in images.
#include "models/detect/commands.hpp"

#include "models/detect/detector.hpp"

namespace HEED_NAMESPACE {

const ModelKind& detect_kind() {
  static const ModelKind kind{
      .name = "detect",
      .help = "where things are in images, and what they are",
      .tasks = {"boxes"},
      .settings = detect_settings(),
      .training = {.epochs = 5, .batch_tokens = 8192, .lr = 1e-3, .average = 0.99, .label_smoothing = 0},
      .make = [](const ExampleSet& set, const Settings& s, Rng& rng) { return ExampleModel(Detector(set, s, rng)); }};
  return kind;
}

void add_detect(CLI::App& heed, Program& program) { add_kind(heed, program, detect_kind()); }

}  // namespace HEED_NAMESPACE

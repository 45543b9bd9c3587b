// Classes of images from a few glimpses.
#include "models/glimpse/commands.hpp"

#include "models/glimpse/glimpses.hpp"

namespace HEED_NAMESPACE {

const ModelKind& glimpse_kind() {
  static const ModelKind kind{
      .name = "glimpse",
      .help = "classes of images from a few small looks, by hard attention",
      .tasks = {"glimpses", "shapes"},
      .settings = {word("model", {"learned", "centre"}, "where to look: learned, or always at the centre, to compare"),
                   whole("glimpses", 4, 1, 100, "looks at an image"),
                   whole("size", 5, 1, 100, "pixels a side that a look resolves"),
                   whole("scales", 2, 1, 10, "squares around a place, each larger and coarser"),
                   whole("factor", 3, 1, 10, "how much larger"),
                   share("deviation", 0.15, "of places around their mean, in training"),
                   whole("dim", 64, 1, 8192, "width of all layers")},
      .training = {.epochs = 30,
                   .batch_tokens = std::size_t(128) * 196,
                   .weight_decay = 0,
                   .average = 0.99,
                   .label_smoothing = 0,
                   .auxiliary = 0.1},
      .make = [](const ExampleSet& set, const Settings& s, Rng& rng) {
        return ExampleModel(GlimpseModel(set, s, rng));
      }};
  return kind;
}

void add_glimpse(CLI::App& heed, Program& program) { add_kind(heed, program, glimpse_kind()); }

}  // namespace HEED_NAMESPACE

// Classes of images: CNN, CNN with SAGAN's block, ViT, MLP-Mixer, gMLP, FNet.
#include "models/image/commands.hpp"

#include "models/image/classifier.hpp"

namespace HEED_NAMESPACE {

namespace {

ExampleModel make(const ExampleSet& set, const Settings& settings, Rng& rng) {
  const std::string& model = settings.word("model");
  if (model == "cnn" || model == "sagan") return ExampleModel(ConvClassifier(set, settings, rng));
  Settings s = settings;
  if (model != "vit") {  // its mixer tells places apart by itself, and has no token
    s.set("mixer", model);
    s.set("positions", "none");
    s.set("pool", "mean");
  }
  Size patch = s.size("patch");
  s.set("length", std::to_string(((set.height + patch - 1) / patch) * ((set.columns + patch - 1) / patch)));
  return ExampleModel(PatchClassifier(set, s, rng));
}

}  // namespace

const ModelKind& image_kind() {
  static const ModelKind kind = [] {
    Settings settings = Settings{word("model", {"vit", "cnn", "sagan", "mlp_mixer", "gmlp", "fnet"},
                                      "cnn; sagan: cnn with attention; the others: patches in an encoder"),
                                 whole("patch", 4, 1, 64, "pixels a side of a patch"),
                                 whole("channels", 46, 1, 4096, "width of the convolutions of cnn and sagan")}
                            .with(encoder_settings())
                            .with(head_settings());
    settings.set("dim", "48");
    settings.set("hidden", "96");
    settings.set("positions", "learned");
    settings.set("pool", "token");
    return ModelKind{.name = "image",
                     .help = "classes of images, by convolutions or by patches",
                     .tasks = {"shapes", "far_pair", "pathfinder", "glimpses"},
                     .settings = settings,
                     .training = {.epochs = 8, .batch_tokens = 8192, .lr = 2e-3, .average = 0.99, .label_smoothing = 0},
                     .make = make};
  }();
  return kind;
}

void add_image(CLI::App& heed, Program& program) { add_kind(heed, program, image_kind()); }

}  // namespace HEED_NAMESPACE

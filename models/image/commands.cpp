// Classes of images: CNN, CNN with SAGAN's block and without, ViT, MLP-Mixer, gMLP, FNet.
#include "models/image/commands.hpp"

#include <filesystem>

#include "models/data/image_files.hpp"
#include "models/data/labels.hpp"
#include "models/image/classifier.hpp"

namespace HEED_NAMESPACE {

namespace {

ExampleModel make(const ExampleSet& set, const Settings& settings, Rng& rng) {
  const std::string& model = settings.word("model");
  if (model == "cnn" || model == "sagan" || model == "local") return ExampleModel(ConvClassifier(set, settings, rng));
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

ExampleSet read(const std::string& path, const ExampleSet* like, const Settings& s) {
  const std::vector<std::string> classes = classes_of(like);
  if (std::filesystem::is_directory(path)) return read_image_folder(path, classes);
  if (path.ends_with(".bin")) return read_cifar10(path);
  if (path.ends_with(".csv")) return read_csv_images(path, 1 / s.number("white"), classes);
  std::string labels = path;  // as MNIST names its files
  if (std::size_t at = labels.rfind("images"); at != labels.npos) labels.replace(at, 6, "labels");
  if (std::size_t at = labels.rfind("idx3"); at != labels.npos) labels.replace(at, 4, "idx1");
  if (labels == path)
    throw DataError("heed: " + path + ": expected a folder of classes, *.csv, *.bin (CIFAR-10) or *images-idx3*");
  return read_idx(path, labels);
}

}  // namespace

const ModelKind& image_kind() {
  static const ModelKind kind = [] {
    Settings settings = Settings{word("model", {"vit", "cnn", "sagan", "local", "mlp_mixer", "gmlp", "fnet"},
                                      "cnn; sagan: another with attention; local: that without; the others: patches in "
                                      "an encoder"),
                                 whole("patch", 4, 1, 64, "pixels a side of a patch"),
                                 whole("channels", 46, 1, 4096, "width of the convolutions")}
                            .with(encoder_settings())
                            .with(head_settings())
                            .with({whole("white", 255, 1, 65535, "of CSV files: the number that is white")});
    settings.set("dim", "48");
    settings.set("hidden", "96");
    settings.set("positions", "learned");
    settings.set("pool", "token");
    return ModelKind{.name = "image",
                     .help = "classes of images, by convolutions or by patches",
                     .tasks = {"shapes", "far_pair", "pathfinder", "glimpses"},
                     .settings = settings,
                     .training = {.epochs = 8, .batch_tokens = 8192, .lr = 2e-3, .average = 0.99, .label_smoothing = 0},
                     .make = make,
                     .read = read};
  }();
  return kind;
}

void add_image(CLI::App& heed, Program& program) { add_kind(heed, program, image_kind()); }

}  // namespace HEED_NAMESPACE

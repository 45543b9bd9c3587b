// Classes of nodes and of whole graphs: attention along edges, GAT, or the nodes as a set without edges.
#include "models/graph/commands.hpp"

#include <filesystem>

#include "models/data/graph_files.hpp"
#include "models/data/labels.hpp"
#include "models/graph/classifier.hpp"

namespace HEED_NAMESPACE {

namespace {
ExampleModel make(const ExampleSet& set, const Settings& s, Rng& rng) {
  if (s.word("model") == "set") return ExampleModel(Classifier(set, s, rng));
  return ExampleModel(GraphClassifier(set, s, rng));
}

ExampleSet read(const std::string& path, const ExampleSet* like, const Settings& s) {
  const std::vector<std::string> classes = classes_of(like);
  if (!std::filesystem::is_directory(path)) return read_molecules(path, classes);
  return read_graph(path + "/nodes.csv", path + "/edges.csv", s.word("edges") == "directed", classes);
}
}  // namespace

const ModelKind& graph_kind() {
  static const ModelKind kind = [] {
    Settings settings =
        Settings{word("model", {"attention", "gat", "set"},
                      "attention along edges with a score for each type; gat; set: as if there were no edges")}
            .with(encoder_settings())
            .with(head_settings())
            .with({word("edges", {"both", "directed"}, "of CSV files: whether an edge counts both ways")});
    settings.set("dim", "32");
    settings.set("hidden", "64");
    settings.set("dropout", "0");
    settings.set("positions", "none");
    settings.set("head", "64");  // what is in one part of a graph and what in another meet only there
    return ModelKind{.name = "graph",
                     .help = "classes of nodes, or of graphs such as molecules",
                     .tasks = {"nodes", "molecules"},
                     .settings = settings,
                     .training = {.epochs = 8, .batch_tokens = 960, .lr = 3e-3, .average = 0.99, .label_smoothing = 0},
                     .make = make,
                     .read = read};
  }();
  return kind;
}

void add_graph(CLI::App& heed, Program& program) { add_kind(heed, program, graph_kind()); }

}  // namespace HEED_NAMESPACE

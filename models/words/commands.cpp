// Word vectors by skip-gram, their neighbours, and a map of them.
#include "models/words/commands.hpp"

#include <iostream>

#include "models/data/text_files.hpp"
#include "models/plot/charts.hpp"
#include "models/run/flags.hpp"
#include "models/words/skip_gram.hpp"
#include "nn/file.hpp"

namespace HEED_NAMESPACE {

namespace {

struct Options {
  std::string model, out;
  std::vector<std::string> words;
  std::size_t count = 5;
};

// A trained model with the type it has.
struct Words {
  std::unique_ptr<Trained> trained;
  SkipGram vectors;
  explicit Words(const std::string& path)
      : trained(load_trained(words_kind(), path)), vectors(trained->set, trained->settings, trained->rng) {
    assign(vectors.parameters(), {named_values(trained->model.parameters()), {}});
  }
  const std::string& name(int symbol) const { return trained->set.names.at(static_cast<std::size_t>(symbol)); }
};

int neighbours_command(const Options& o) {
  Words words(o.model);
  const std::vector<std::string>& names = words.trained->set.names;
  for (const std::string& word : o.words) {
    auto it = std::find(names.begin() + 1, names.end(), word);
    if (it == names.end()) throw Error("heed: words: the model does not know \"" + word + "\"");
    std::cout << word << ':';
    for (auto [other, cosine] : words.vectors.neighbours(static_cast<int>(it - names.begin()), o.count))
      std::printf(" %s %.2f", words.name(other).c_str(), cosine);
    std::cout << '\n';
  }
  return 0;
}

// The words at their places along the two directions of largest variance.
std::string map_svg(const Words& words, std::size_t most) {
  Size dim = words.vectors.dim;
  const real* v = words.vectors.v.value().data();
  std::vector<std::vector<double>> rows;
  for (Size i = 1; i < std::min(words.trained->set.symbols, static_cast<Size>(most) + 1); i++)
    rows.emplace_back(v + i * dim, v + (i + 1) * dim);
  std::vector<double> places = principal_plane(rows);
  Series series{"", {}, {}};
  for (std::size_t i = 0; i < rows.size(); i++) {
    series.x.push_back(places[2 * i]);
    series.y.push_back(places[2 * i + 1]);
    series.labels.push_back(words.name(static_cast<int>(i) + 1));
  }
  return scatter_chart({.title = "words in the plane of their largest variance", .series = {series}});
}

}  // namespace

const ModelKind& words_kind() {
  static const ModelKind kind{
      .name = "words",
      .help = "vectors of words from their neighbours",
      .tasks = {"topics"},
      .settings = {whole("dim", 16, 1, 8192, "width of the vectors"),
                   whole("window", 2, 1, 100, "how far neighbours may stand"),
                   whole("negatives", 5, 1, 1000, "words that are none, drawn for each neighbour")},
      .training = {.epochs = 1, .batch_tokens = 384, .lr = 1e-2, .weight_decay = 0, .average = 0, .label_smoothing = 0},
      .make = [](const ExampleSet& set, const Settings& s, Rng& rng) { return ExampleModel(SkipGram(set, s, rng)); },
      .read = [](const std::string& path, const ExampleSet* like,
                 const Settings&) { return read_sentences(path, like); }};
  return kind;
}

void add_words(CLI::App& heed, Program& program) {
  CLI::App* words = add_kind(heed, program, words_kind());
  auto o = std::make_shared<Options>();
  CLI::App* near = words->add_subcommand("neighbours", "the words nearest to some");
  CLI::App* map = words->add_subcommand("map", "draw the vectors in the plane of their largest variance, as SVG");
  for (CLI::App* app : {near, map}) model_argument(app, o->model);
  near->add_option("words", o->words, "words to look for")->required();
  number(near, "--count", o->count, 1, 1000000, "how many for each");
  near->callback([o, &program] { program.code = neighbours_command(*o); });
  file_flag(map, "--out", o->out, "the file, *.svg")->required();
  map->callback([o] { write_file(o->out, map_svg(Words(o->model), 200)); });
}

}  // namespace HEED_NAMESPACE

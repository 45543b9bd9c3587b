#include "models/show/commands.hpp"

#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>
#include <sstream>

#include "models/run/flags.hpp"
#include "models/show/subjects.hpp"
#include "nn/file.hpp"

namespace HEED_NAMESPACE {

namespace {

struct Options {
  std::string model = {}, text = {}, gold = {}, file = {}, out = {};
  std::size_t item = 1;
  bool svg = false;
};
using Shared = std::shared_ptr<Options>;

CLI::App* show_verb(CLI::App* app, const Shared& o) {
  CLI::App* show = app->add_subcommand("show", "show attention on one item: a page for a browser, or a picture");
  model_argument(show, o->model);
  file_flag(show, "-o,--out", o->out, "the file; default attention.html, with --svg attention.svg");
  show->add_flag("--svg", o->svg, "the weights of all heads as one picture instead of the page");
  return show;
}

std::vector<std::string> words_of(const std::string& text) {
  std::vector<std::string> words;
  std::istringstream in(text);
  for (std::string word; in >> word;) words.push_back(word);
  return words;
}

void write_scene(const Options& o, Subject subject) {
  subject.title += ": " + o.model;
  Scene scene = make_scene(subject);
  const std::string out = !o.out.empty() ? o.out : o.svg ? "attention.svg" : "attention.html";
  write_file(out, o.svg ? scene_svg(scene) : scene_page(scene));
  std::cerr << out << ": " << scene.attention.size() << " attentions over " << scene.tokens.size() << " tokens; "
            << (o.svg ? "a picture" : "open it in a browser") << '\n';
}

}  // namespace

void add_show(CLI::App* pos) {
  auto o = std::make_shared<Options>();
  CLI::App* show = show_verb(pos, o);
  show->add_option("sentence", o->text, "words with spaces between")->required();
  show->add_option("--gold", o->gold, "the right tags with spaces between; gradients are then those of their loss");
  show->callback([o] {
    std::unique_ptr<PosModel> model = from_checkpoint(without_dropout(load_checkpoint(model_path(o->model))));
    write_scene(*o, tagger_subject(*model, words_of(o->text), words_of(o->gold)));
  });
}

void add_show(CLI::App* app, const ModelKind& kind,
              const std::function<ExampleSet(const Trained&, const std::string& file)>& items) {
  auto o = std::make_shared<Options>();
  CLI::App* show = show_verb(app, o);
  CLI::Option* text =
      show->add_option("text", o->text, "names of symbols with spaces between, or, for models of bytes, text");
  file_flag(show, "--file", o->file, "take an item of this file; none: the test items of the built-in task")
      ->excludes(text);
  number(show, "--item", o->item, 1, 1000000000, "which item of them");
  show->callback([o, &kind, items] {
    std::unique_ptr<Trained> trained = from_checkpoint(kind, without_dropout(load_checkpoint(model_path(o->model))));
    if (!o->text.empty()) return write_scene(*o, example_subject(*trained, written_item(*trained, o->text), 0));
    write_scene(*o, example_subject(*trained, items(*trained, o->file), o->item - 1));
  });
}

}  // namespace HEED_NAMESPACE

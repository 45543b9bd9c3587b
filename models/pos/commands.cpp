#include "models/pos/commands.hpp"

#include "models/run/flags.hpp"
#include "models/show/commands.hpp"

namespace HEED_NAMESPACE {

namespace {

struct Options {
  TrainCommand train;
  std::string model, file, write;
  double min_accuracy = 0;
  bool json = false;
  std::size_t sentences = 4000;
  TagFormat format = TagFormat::words;
  Language language = Language::english;
};
using Shared = std::shared_ptr<Options>;  // lives as long as the callbacks

void language_flag(CLI::App* app, Options& o) {
  choice(app, "--language", o.language, {{"en", Language::english}, {"zh", Language::chinese}}, "of the corpus");
}

void add_train(CLI::App* pos, const Shared& o, Program& program) {
  TrainCommand& c = o->train;
  CLI::App* app = pos->add_subcommand("train", "train on CoNLL-U files");
  file_flag(app, "--train", c.train, "CoNLL-U file to learn from")->required();
  file_flag(app, "--dev", c.dev, "CoNLL-U file to choose the best epoch by")->required();
  run_flags(app, c.run);
  app->add_flag("--skip-bad", c.skip_bad, "leave out sentences with format errors instead of stopping");
  training_flags(app, c.training, "weight of learning XPOS and FEATS too");
  choice(app, "--rung", c.model.rung,
         {{"word", Rung::word},
          {"window", Rung::window},
          {"attention", Rung::attention},
          {"positions", Rung::positions},
          {"multihead", Rung::multihead},
          {"encoder", Rung::encoder},
          {"strong", Rung::strong}},
         "kind of model");
  auto size = [&](const char* name, auto& value, int low, int high, const char* help) {
    number(app, name, value, low, high, help);
  };
  size("--dim", c.model.dim, 1, 8192, "width of the vectors");
  size("--heads", c.model.heads, 1, 256, "attention heads; must divide dim");
  size("--layers", c.model.layers, 1, 64, "encoder blocks");
  size("--hidden", c.model.hidden, 1, 65536, "width of the feed-forward networks");
  size("--window", c.model.window, 0, 16, "neighbours each side in windowed layers");
  auto rate = [&](const char* name, double& value, const char* help) { number(app, name, value, 0.0, 0.99, help); };
  rate("--dropout", c.model.dropout, "dropout of the encoder");
  rate("--attention-dropout", c.model.attention_dropout, "dropout of attention weights");
  rate("--input-dropout", c.model.input_dropout, "dropout of word vectors");
  rate("--feature-dropout", c.model.feature_dropout, "how often a whole feature of a word is hidden");
  rate("--vector-dropout", c.model.vector_dropout, "how often a whole word vector is hidden");
  number(app, "--word-dropout", c.model.word_dropout, 0.0, 1000.0,
         "a: words seen c times are hidden with probability a/(a+c)");
  app->callback([o, &program] {
    RunOptions& run = o->train.run;
    run.call = program.call;
    run.next = "echo \"I saw a saw .\" | " + program.name + " pos tag " + run.out;
    program.code = train_command(o->train, interrupted());
  });
}

}  // namespace

void add_pos(CLI::App& heed, Program& program) {
  auto o = std::make_shared<Options>();
  std::uint64_t& seed = o->train.training.seed;
  CLI::App* pos = heed.add_subcommand("pos", "part-of-speech tagging");
  pos->require_subcommand(1);

  CLI::App* demo = pos->add_subcommand("demo", "train on the built-in corpus, in seconds");
  CLI::App* ladder = pos->add_subcommand("ladder", "what each part of the model adds, on the built-in corpus");
  for (CLI::App* app : {demo, ladder}) {
    language_flag(app, *o);
    seed_flag(app, seed);
  }
  demo->callback([o, &program] {
    program.code = demo_command(o->language, o->train.training.seed, program.call.progress, program.name);
  });
  ladder->callback(
      [o, &program] { program.code = ladder_command(o->language, o->train.training.seed, program.call.progress); });

  add_train(pos, o, program);

  CLI::App* tag = pos->add_subcommand("tag", "tag sentences from standard input, one a line, words apart by spaces");
  model_argument(tag, o->model);
  choice(tag, "--format", o->format,
         {{"words", TagFormat::words}, {"conllu", TagFormat::conllu}, {"tsv", TagFormat::tsv}}, "words: word_TAG");
  tag->callback([o, &program] { program.code = tag_command(o->model, o->format); });

  add_show(pos);

  CLI::App* eval = pos->add_subcommand("eval", "score a model on a CoNLL-U file");
  model_argument(eval, o->model);
  eval->add_option("file", o->file, "CoNLL-U file with gold tags")->required()->type_name("FILE");
  file_flag(eval, "--write", o->write, "write the file with predicted tags here");
  eval->add_flag("--json", o->json, "print the report as JSON");
  number(eval, "--min-accuracy", o->min_accuracy, 0.0, 100.0, "exit with 1 below this, in percent");
  eval->callback([o, &program] { program.code = eval_command(o->model, o->file, o->write, o->min_accuracy, o->json); });

  CLI::App* corpus = pos->add_subcommand("corpus", "write the built-in corpus as CoNLL-U");
  language_flag(corpus, *o);
  number(corpus, "--sentences", o->sentences, 1, 1000000, "how many");
  seed_flag(corpus, seed);
  corpus->callback([o, &program] { program.code = corpus_command(o->language, o->sentences, o->train.training.seed); });
}

}  // namespace HEED_NAMESPACE

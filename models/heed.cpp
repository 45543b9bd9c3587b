// heed.cpp — the program: reads the command line and calls what it names.
#include <CLI/CLI.hpp>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <iostream>

#include "models/pos/commands.hpp"
#include "tensor/gemm.hpp"
#include "tensor/threads.hpp"

using namespace heed;

namespace {

std::atomic<bool> interrupted{false};

// The first Ctrl-C asks training to finish its step and save, the second ends the program.
void on_signal(int signal) {
  interrupted = true;
  std::signal(signal, SIG_DFL);
}

struct Options {
  TrainCommand train;
  std::string model, file, write;
  double min_accuracy = 0;
  std::size_t sentences = 4000;
  TagFormat format = TagFormat::words;
  Language language = Language::english;
  int threads = 0;
};

template <class T>
void choice(CLI::App* app, const char* name, T& value, const std::map<std::string, T>& names, const char* help) {
  std::vector<std::string> allowed;
  for (const auto& [text, unused] : names) allowed.push_back(text);
  app->add_option_function<std::string>(
         name, [&value, names](const std::string& text) { value = names.at(text); }, help)
      ->check(CLI::IsMember(allowed));
}

// A range does not keep it out.
std::string no_nan(const std::string& text) {
  return std::isnan(std::strtod(text.c_str(), nullptr)) ? "expected a number, got " + text : "";
}

void common(CLI::App* app, Options& o) {
  app->add_option("--seed", o.train.training.seed, "seed of every random draw")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  app->add_flag("--quiet", o.train.quiet, "no progress line");
}

void language(CLI::App* app, Options& o) {
  choice(app, "--language", o.language, {{"en", Language::english}, {"zh", Language::chinese}}, "en (default) or zh");
}

void add_train(CLI::App* pos, Options& o, int& code) {
  TrainCommand& c = o.train;
  CLI::App* app = pos->add_subcommand("train", "train on CoNLL-U files");
  app->add_option("--train", c.train, "CoNLL-U file to learn from")->required();
  app->add_option("--dev", c.dev, "CoNLL-U file to choose the best epoch by")->required();
  app->add_option("--out", c.out, "folder for the model, its log and its report")->required();
  app->add_flag("--overwrite", c.overwrite, "replace a model that is there");
  app->add_flag("--resume", c.resume, "go on where an interrupted run stopped");
  app->add_flag("--skip-bad", c.skip_bad, "leave out sentences with format errors instead of stopping");
  common(app, o);
  auto number = [&](const char* name, auto& value, auto low, auto high, const char* help) {
    app->add_option(name, value, help)->check(CLI::Range(low, high))->check(no_nan)->capture_default_str();
  };
  number("--epochs", c.training.epochs, 1, 100000, "passes over the training data");
  number("--batch-tokens", c.training.batch_tokens, 1, 1000000, "words in a batch");
  number("--lr", c.training.lr, 0.0, 1e30, "highest learning rate");
  number("--weight-decay", c.training.weight_decay, 0.0, 10.0, "decay of weights, not of biases, norms and embeddings");
  number("--average", c.training.average, 0.0, 0.99999, "decay of the running average of the weights");
  number("--label-smoothing", c.training.label_smoothing, 0.0, 0.99, "share of each target spread over all tags");
  number("--auxiliary", c.training.auxiliary, 0.0, 100.0, "weight of learning XPOS and FEATS too");
  number("--clip", c.training.clip, 1e-9, 1e30, "greatest gradient norm");
  choice(app, "--rung", c.model.rung,
         {{"word", Rung::word},
          {"window", Rung::window},
          {"attention", Rung::attention},
          {"positions", Rung::positions},
          {"multihead", Rung::multihead},
          {"encoder", Rung::encoder},
          {"strong", Rung::strong}},
         "kind of model; default strong");
  number("--dim", c.model.dim, 1, 8192, "width of the vectors");
  number("--heads", c.model.heads, 1, 256, "attention heads; must divide dim");
  number("--layers", c.model.layers, 1, 64, "encoder blocks");
  number("--hidden", c.model.hidden, 1, 65536, "width of the feed-forward networks");
  number("--window", c.model.window, 0, 16, "neighbours each side in windowed layers");
  number("--dropout", c.model.dropout, 0.0, 0.99, "dropout of the encoder");
  number("--attention-dropout", c.model.attention_dropout, 0.0, 0.99, "dropout of attention weights");
  number("--input-dropout", c.model.input_dropout, 0.0, 0.99, "dropout of word vectors");
  number("--feature-dropout", c.model.feature_dropout, 0.0, 0.99, "how often a whole feature of a word is hidden");
  number("--vector-dropout", c.model.vector_dropout, 0.0, 0.99, "how often a whole word vector is hidden");
  number("--word-dropout", c.model.word_dropout, 0.0, 1000.0,
         "a: words seen c times are hidden with probability a/(a+c)");
  app->callback([&] {
    std::signal(SIGINT, on_signal);
    std::signal(SIGTERM, on_signal);
    code = train_command(o.train, interrupted);
  });
}

void add_pos(CLI::App& heed, Options& o, int& code) {
  CLI::App* pos = heed.add_subcommand("pos", "part-of-speech tagging");
  pos->require_subcommand(1);

  CLI::App* demo = pos->add_subcommand("demo", "train on the built-in corpus, in seconds");
  language(demo, o);
  common(demo, o);
  demo->callback([&] { code = demo_command(o.language, o.train.training.seed, o.train.quiet, o.train.program); });

  CLI::App* ladder = pos->add_subcommand("ladder", "what each part of the model adds, on the built-in corpus");
  language(ladder, o);
  common(ladder, o);
  ladder->callback([&] { code = ladder_command(o.language, o.train.training.seed, o.train.quiet); });

  add_train(pos, o, code);

  CLI::App* tag = pos->add_subcommand("tag", "tag sentences from standard input, one a line, words apart by spaces");
  tag->add_option("model", o.model, "folder written by train, or a model file")->required();
  choice(tag, "--format", o.format,
         {{"words", TagFormat::words}, {"conllu", TagFormat::conllu}, {"tsv", TagFormat::tsv}},
         "words (word_TAG, default), conllu or tsv");
  tag->callback([&] { code = tag_command(o.model, o.format); });

  CLI::App* eval = pos->add_subcommand("eval", "score a model on a CoNLL-U file");
  eval->add_option("model", o.model, "folder written by train, or a model file")->required();
  eval->add_option("file", o.file, "CoNLL-U file with gold tags")->required();
  eval->add_option("--write", o.write, "write the file with predicted tags here");
  eval->add_option("--min-accuracy", o.min_accuracy, "exit with 1 below this, in percent")
      ->check(CLI::Range(0.0, 100.0))
      ->check(no_nan);
  eval->callback([&] { code = eval_command(o.model, o.file, o.write, o.min_accuracy); });

  CLI::App* corpus = pos->add_subcommand("corpus", "write the built-in corpus as CoNLL-U");
  language(corpus, o);
  corpus->add_option("--sentences", o.sentences, "how many")->check(CLI::Range(1, 1000000))->capture_default_str();
  corpus->add_option("--seed", o.train.training.seed, "seed of every random draw")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  for (CLI::App* verb : pos->get_subcommands({})) verb->footer("Everywhere: --threads N, see heed --help");
  corpus->callback([&] { code = corpus_command(o.language, o.sentences, o.train.training.seed); });
}

int info() {
  std::printf("heed %s\ncompiler  %s\nproducts  %s\nthreads   %d\n", HEED_VERSION, __VERSION__, gemm_name().c_str(),
              threads());
  return 0;
}

// What stands where a subcommand or an option should, if that is what is wrong.
std::string unknown_word(const CLI::App& app) {
  std::vector<std::string> words = app.remaining(true);
  return words.empty() ? "" : "there is no " + words[0];
}

int run(int argc, char** argv) {
  int code = 0;
  try {
    CLI::App heed("heed: attention, from one number's gradient to a tagger for real text", "heed");
    heed.set_version_flag("--version", "heed " HEED_VERSION);
    heed.require_subcommand(1);
    heed.fallthrough();
    heed.option_defaults()->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
    Options options;
    options.train.program = argv[0];
    heed.add_option("--threads", options.threads, "threads to compute with; default HEED_THREADS, else all cores")
        ->check(CLI::Range(1, 1024));
    heed.parse_complete_callback([&] {
      if (options.threads) set_threads(options.threads);
    });
    add_pos(heed, options, code);
    heed.add_subcommand("info", "what this program was built with, for bug reports")->callback([&] { code = info(); });
    try {
      heed.parse(argc, argv);
    } catch (const CLI::CallForHelp& e) {
      return heed.exit(e);
    } catch (const CLI::CallForVersion& e) {
      return heed.exit(e);
    } catch (const CLI::ParseError& e) {
      std::string unknown = unknown_word(heed);
      std::fprintf(stderr, "heed: %s (see heed --help)\n", unknown.empty() ? e.what() : unknown.c_str());
      return 2;
    }
    return code;
  } catch (const UsageError& e) {
    std::fprintf(stderr, "heed: %s\n", e.what());
    return 2;
  } catch (const Error& e) {
    std::fprintf(stderr, "%s\n", e.what());
  } catch (const std::bad_alloc&) {
    std::fprintf(stderr, "heed: not enough memory\n");
  } catch (const std::exception& e) {
    std::fprintf(stderr, "heed: %s\n", e.what());
  }
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  int code = run(argc, argv);
  if (code || (std::cout.flush() && !std::fflush(stdout) && !std::ferror(stdout))) return code;
  std::fprintf(stderr, "heed: cannot write to standard output\n");
  return 1;
}

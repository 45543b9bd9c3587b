// Language models: a causal encoder over bytes or other symbols; any mixer that can be causal.
#include "models/lm/commands.hpp"

#include <iostream>

#include "models/data/bytes.hpp"
#include "models/data/text_files.hpp"
#include "models/lm/language_model.hpp"
#include "models/run/flags.hpp"

namespace HEED_NAMESPACE {

namespace {

struct Options {
  std::string model, prompt = "The ";
  std::size_t length = 200;
  SampleOptions sampling;
  std::uint64_t seed = 1;
};

// Bytes of the prompt, or names of symbols with spaces between.
std::vector<int> read_prompt(const ExampleSet& set, const std::string& prompt) {
  if (set.symbols == byte_symbols) return bytes_to_symbols(prompt);
  std::vector<int> symbols;
  std::istringstream in(prompt);
  for (std::string word; in >> word;) {
    auto it = std::find(set.names.begin(), set.names.end(), word);
    if (it == set.names.end()) throw UsageError("--prompt: there is no symbol " + word);
    symbols.push_back(static_cast<int>(it - set.names.begin()));
  }
  return symbols;
}

int sample_command(const Options& o) {
  std::unique_ptr<Trained> trained = load_trained(lm_kind(), o.model);
  LanguageModel model(trained->set, trained->settings, trained->rng);
  assign(model.parameters(), {named_values(trained->model.parameters()), {}});
  std::vector<int> prompt = read_prompt(trained->set, o.prompt);
  if (prompt.empty()) throw UsageError("--prompt: expected at least one symbol");
  Rng rng(o.seed);
  std::vector<int> text = model.generate(prompt, o.length, o.sampling, rng);
  if (trained->set.symbols == byte_symbols) {
    std::cout << o.prompt << symbols_to_bytes(text) << '\n';
    return 0;
  }
  for (int symbol : text) std::cout << trained->set.classes.at(static_cast<std::size_t>(symbol - 1)) << ' ';
  std::cout << '\n';
  return 0;
}

}  // namespace

const ModelKind& lm_kind() {
  static const ModelKind kind{
      .name = "lm",
      .help = "language models: what comes next, in bytes or other symbols",
      .tasks = {"prose", "causal_copy"},
      .settings = encoder_settings().with(head_settings()),
      .training = {.epochs = 8, .batch_tokens = 2048, .lr = 3e-3, .average = 0.99, .label_smoothing = 0},
      .make = [](const ExampleSet& set, const Settings& s,
                 Rng& rng) { return ExampleModel(LanguageModel(set, s, rng)); },
      .read = [](const std::string& path, const ExampleSet*, const Settings&) { return read_plain_text(path); }};
  return kind;
}

void add_lm(CLI::App& heed, Program& program) {
  CLI::App* lm = add_kind(heed, program, lm_kind());
  auto o = std::make_shared<Options>();
  CLI::App* app = lm->add_subcommand("sample", "write on from a prompt");
  model_argument(app, o->model);
  app->add_option("--prompt", o->prompt, "what stands before: text, or names of symbols with spaces between")
      ->capture_default_str();
  number(app, "--length", o->length, 0, 10000000, "symbols to write");
  number(app, "--temperature", o->sampling.temperature, 0.0, 1e6,
         "below 1 safer, above 1 wilder, 0 always the likeliest");
  number(app, "--top-k", o->sampling.top_k, 0, 10000000, "only from the k likeliest; 0: from all");
  number(app, "--top-p", o->sampling.top_p, 0.0, 1.0, "only from the likeliest that together have this probability");
  seed_flag(app, o->seed);
  app->callback([o, &program] { program.code = sample_command(*o); });
}

}  // namespace HEED_NAMESPACE

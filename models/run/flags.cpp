#include "models/run/flags.hpp"

#include <charconv>
#include <cmath>
#include <cstdlib>
#include <iomanip>
#include <limits>

#include "models/data/nearest.hpp"

namespace HEED_NAMESPACE {

namespace {

std::string shortest(double x) {
  std::ostringstream text;
  text << std::setprecision(x == std::floor(x) && x < 1e16 ? 17 : 6) << x;
  return text.str();
}

// Options added while one lives stand under that heading in --help.
class Heading {
 public:
  Heading(CLI::App* app, const char* name) : app_(app) { app->option_defaults()->group(name); }
  ~Heading() { app_->option_defaults()->group("Options"); }
  Heading(const Heading&) = delete;
  Heading& operator=(const Heading&) = delete;

 private:
  CLI::App* app_;
};

}  // namespace

std::string range_text(double low, double high) { return shortest(low) + " to " + shortest(high); }

std::string number_fault(const std::string& text, double low, double high, bool whole) {
  const char *begin = text.data(), *end = begin + text.size();
  double x = 0;
  bool fits = std::from_chars(begin, end, x).ptr == end && begin != end && std::isfinite(x) && x >= low && x <= high;
  bool digits = text.find_first_not_of("0123456789", text.starts_with('-')) == text.npos;
  if (fits && (digits || !whole)) return "";
  return "got " + text + ", expected a " + (whole ? "whole " : "") + "number from " + range_text(low, high);
}

CLI::Validator in_range(double low, double high, bool whole) {
  return {[=](const std::string& text) { return number_fault(text, low, high, whole); }, range_text(low, high)};
}

CLI::Validator one_of(const std::vector<std::string>& words) {
  std::string choices, listed;
  for (const std::string& word : words) {
    choices += (choices.empty() ? "" : "|") + word;
    listed += (listed.empty() ? "" : ", ") + word;
  }
  return {[=](const std::string& text) {
            bool known = std::find(words.begin(), words.end(), text) != words.end();
            return known ? "" : "got " + text + ", expected one of " + listed + did_you_mean(text, words);
          },
          choices};
}

void seed_flag(CLI::App* app, std::uint64_t& seed) {
  app->add_option("--seed", seed, "seed of every random draw")
      ->check(in_range(0, 9007199254740992, true))
      ->type_name("N")
      ->capture_default_str();
}

void run_flags(CLI::App* app, RunOptions& run) {
  Heading heading(app, "Run");
  app->add_option("--out", run.out, "folder for the model, its log and its report")->required()->type_name("FOLDER");
  app->add_flag("--overwrite", run.overwrite, "replace a run that is there")->configurable(false);
  app->add_flag("--resume", run.resume, "go on where an interrupted run stopped")->configurable(false);
  app->add_flag_callback(
         "--detect-anomaly", [] { setenv("HEED_CHECK_NAN", "1", 1); },
         "stop at the operation that first gives a number that is not finite, and name it; slower")
      ->configurable(false);
}

void training_flags(CLI::App* app, TrainOptions& o, const char* auxiliary) {
  Heading heading(app, "Training");
  seed_flag(app, o.seed);
  number(app, "--epochs", o.epochs, 1, 100000, "passes over the training data");
  number(app, "--steps", o.steps, 0, 100000000, "updates in all, instead of epochs; 0: epochs decide");
  number(app, "--evaluate", o.evaluate, 0, 100000000, "updates from one score to the next; 0: an epoch's");
  number(app, "--patience", o.patience, 0, 100000, "stop after so many scores without a better one; 0: never");
  number(app, "--batch-tokens", o.batch_tokens, 1, 1000000, "positions in a batch, such as words");
  number(app, "--lr", o.lr, 0.0, 1e30, "highest learning rate");
  number(app, "--weight-decay", o.weight_decay, 0.0, 10.0, "decay of weights, not of biases, norms and embeddings");
  number(app, "--average", o.average, 0.0, 0.99999, "decay of the running average of the weights");
  number(app, "--label-smoothing", o.label_smoothing, 0.0, 0.99, "share of each target spread over all classes");
  number(app, "--clip", o.clip, 1e-9, 1e30, "greatest gradient norm");
  if (auxiliary) number(app, "--auxiliary", o.auxiliary, 0.0, 100.0, auxiliary);
}

}  // namespace HEED_NAMESPACE

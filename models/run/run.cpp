#include "models/run/run.hpp"

#include <chrono>
#include <cmath>
#include <csignal>
#include <iomanip>
#include <iostream>
#include <limits>
#include <sstream>

#include "models/plot/runs.hpp"
#include "models/run/log.hpp"
#include "models/run/score.hpp"
#include "models/run/trainer.hpp"
#include "nn/file.hpp"

namespace HEED_NAMESPACE {

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

template <class... X>
std::string format(const char* text, X... values) {
  char line[300];
  std::snprintf(line, sizeof line, text, values...);
  return line;
}

// A training run: the trainer, the best score so far, and what is written when.
struct Run {
  RunFolder folder;
  const TrainOptions& options;
  std::unique_ptr<Learner> learner;
  Trainer trainer;
  RunLog log;
  RoundSums sums;
  double best = -std::numeric_limits<double>::infinity();
  Size stale = 0;           // scores since the best
  double seconds_then = 0;  // of parts of the run before this one
  double rate = 0;          // items a second in the last round
  Clock::time_point start = Clock::now();

  Run(const RunOptions& run, const TrainOptions& training, const std::function<std::unique_ptr<Learner>()>& make)
      : folder(opened(run)), options(training), learner(make()), trainer(*learner, training), log(folder.log()) {
    folder.remove_leftovers();
    bool saved = run.resume && std::filesystem::exists(folder.last());
    if (saved) {
      resume();
      return;
    }
    folder.clear();  // only now: a slip in the call must not cost a model
    write_file(folder.config().string(), run.call.config + "\n");
    write_file(folder.vocabulary().string(), learner->vocabulary_text() + "\n");
    log.begin(run.call, training, *learner);
  }

  static RunFolder opened(const RunOptions& run) {
    RunFolder folder(run.out);
    folder.open(run);
    return folder;
  }

  void resume() {
    std::string file = folder.last().string();
    Checkpoint last = load_checkpoint(file);
    for (const auto& [name, text] : learner->checkpoint().metadata) {
      auto it = last.metadata.find(name);
      if (it != last.metadata.end() && it->second == text) continue;
      std::ostringstream why;
      why << "cannot resume: " << name << " of " << file << " differs; use the same training file and options";
      throw UsageError(why.str());
    }
    assign(learner->parameters(), last);
    trainer.load(last);
    sums.load(last.metadata);
    best = std::stod(last.metadata.at("train.best"));
    stale = std::stol(last.metadata.at("train.stale"));
    seconds_then = log.resume(trainer.round());
  }

  double seconds() const { return seconds_then + seconds_since(start); }
  bool out_of_patience() const { return options.patience && stale >= options.patience; }
  bool finished() const { return trainer.finished() || out_of_patience(); }

  // One line of progress a step until the next score; false when it was not reached.
  bool train(ProgressMode mode, const std::atomic<int>& stop) {
    Progress progress(
        format("%s %td/%td", trainer.by_epochs() ? "epoch" : "round", trainer.round() + 1, trainer.rounds()), mode);
    auto begin = Clock::now();
    Size seen = 0;
    bool whole = trainer.run_round([&](const StepResult& s) {
      sums.loss += s.loss;
      sums.norm += s.norm;
      sums.skipped += s.skipped;
      sums.count += s.count;
      sums.steps++;
      seen += s.count;
      progress.show(s.in_round, s.round_steps,
                    format("%.1fk %s/s, loss %.4f", static_cast<double>(seen) / 1000 / seconds_since(begin),
                           learner->unit(), s.loss));
      return !stop;
    });
    rate = static_cast<double>(seen) / seconds_since(begin);
    return whole;
  }

  // Scores the averaged weights on dev; keeps them when they are the best so far.
  Evaluation score() {
    trainer.swap_average();
    Evaluation now = learner->evaluate();
    stale++;
    if (now.worth() > best) {
      best = now.worth();
      stale = 0;
      save_checkpoint(folder.best().string(), learner->checkpoint());
      write_file(folder.report_text().string(), now.report);
      write_file(folder.report_json().string(), to_json(now) + "\n");
    }
    trainer.swap_average();
    return now;
  }

  // The score and what led to it; starts counting anew.
  Row row(const Evaluation& now) {
    double n = static_cast<double>(std::max<Size>(1, sums.steps));
    Row row{.by_epochs = trainer.by_epochs(),
            .epoch = trainer.round(),
            .step = trainer.step(),
            .steps = trainer.steps(),
            .loss = sums.loss / n,
            .norm = sums.norm / n,
            .lr = trainer.lr(),
            .rate = rate,
            .unit = learner->unit(),
            .skipped = sums.skipped,
            .metrics = now.metrics,
            .best = stale == 0,
            .seconds = seconds()};
    sums = {};
    return row;
  }

  void save_last() {
    Checkpoint last = learner->checkpoint();
    trainer.save(last);
    sums.save(last.metadata);
    std::ostringstream text;
    text << std::setprecision(17) << best;
    last.metadata["train.best"] = text.str();
    last.metadata["train.stale"] = std::to_string(stale);
    save_checkpoint(folder.last().string(), last);
  }
};

int width(const Metric& metric) { return static_cast<int>(std::max<std::size_t>(7, metric.name.size())); }

void print_header(const Row& row) {
  std::cerr << (row.by_epochs ? "epoch    step   loss   norm       lr" : "   step   loss   norm       lr");
  for (const Metric& m : row.metrics) std::cerr << format("  %*s", width(m), m.name.c_str());
  std::cerr << format("  %*s  seconds\n", std::max(7, static_cast<int>(row.unit.size()) + 2),
                      (row.unit + "/s").c_str());
}

void print_row(const Row& row) {
  if (row.by_epochs) std::cerr << format("%5td ", row.epoch);
  std::cerr << format("%7td %6.4f %6.2f %8.2e", row.step, row.loss, row.norm, row.lr);
  for (const Metric& m : row.metrics) std::cerr << format(" %*.*f%-1s", width(m), *m.unit ? 2 : 4, m.value, m.unit);
  std::cerr << format("  %*.0f %8.1f", std::max(7, static_cast<int>(row.unit.size()) + 2), row.rate, row.seconds);
  if (row.best) std::cerr << (may_colour() ? "  \033[32mbest\033[0m" : "  best");
  std::cerr << '\n';
  if (row.skipped)
    std::cerr << "  " << row.skipped << " steps skipped: nothing in their batches had an answer to learn\n";
}

}  // namespace

int train_run(const RunOptions& options, const TrainOptions& training,
              const std::function<std::unique_ptr<Learner>()>& make, const std::atomic<int>& stop) {
  Run run(options, training, make);
  Trainer& trainer = run.trainer;
  std::cerr << run.learner->headline() << "; seed " << training.seed << '\n';
  Evaluation now;
  for (bool first = true; !run.finished() && !stop; first = false) {
    if (!run.train(options.call.progress, stop)) break;
    now = run.score();
    Row row = run.row(now);
    if (first) print_header(row);
    print_row(row);
    run.log.add(row);  // before the state: resuming drops rows of the log that the state does not know
    run.save_last();
  }
  if (!run.finished()) {
    run.save_last();
    std::cerr << "interrupted at step " << trainer.step() << " of " << trainer.steps() << "; go on with:\n  "
              << resuming_command(options.call) << '\n';
    return 128 + stop;
  }
  bool early = !trainer.finished();
  if (early) std::cerr << "stopped early: " << run.stale << " scores in a row were no better than the best\n";
  run.log.finish(early ? "stopped early" : "done", run.seconds());
  if (now.metrics.empty()) now = run.learner->evaluate();  // a finished run was resumed
  draw_run(run.folder);
  const Metric& decisive = now.metrics[0];
  std::cout << format("best %s %.*f%s%s\nmodel in ", decisive.name.c_str(), *decisive.unit ? 2 : 4, std::fabs(run.best),
                      *decisive.unit ? " " : "", decisive.unit)
            << options.out;
  if (!options.next.empty()) std::cout << "; try:\n  " << options.next;
  std::cout << '\n';
  return 0;
}

namespace {
std::atomic<int> signalled{0};
void on_signal(int signal) {
  signalled = signal;
  std::signal(signal, SIG_DFL);
}
}  // namespace

const std::atomic<int>& interrupted() {
  std::signal(SIGINT, on_signal);
  std::signal(SIGTERM, on_signal);
  return signalled;
}

std::string resuming_command(const Call& call) {
  auto quoted = [](const std::string& word) {
    bool plain = !word.empty() && word.find_first_not_of(
                                      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                      "_-+=./:,@%") == word.npos;
    if (plain) return word;
    std::string text = "'";
    for (char c : word) text += c == '\'' ? "'\\''" : std::string(1, c);
    return text + "'";
  };
  std::string text;
  for (const std::string& word : call.arguments)
    if (word != "--overwrite" && word != "--resume") text += quoted(word) + " ";
  return text + "--resume";
}

}  // namespace HEED_NAMESPACE

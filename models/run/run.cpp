#include "models/run/run.hpp"

#include <chrono>
#include <cmath>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iomanip>
#include <iostream>

#include "models/run/trainer.hpp"
#include "nn/file.hpp"
#include "nn/train/progress.hpp"

namespace HEED_NAMESPACE {

namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

template <class... X>
std::string format(const char* text, X... values) {
  char line[300];
  std::snprintf(line, sizeof line, text, values...);
  return line;
}

// Files of a run, and the rule that nothing is overwritten silently.
struct RunFolder {
  fs::path folder;
  fs::path best() const { return folder / "model.safetensors"; }
  fs::path last() const { return folder / "last.safetensors"; }
  fs::path log() const { return folder / "log.jsonl"; }
  fs::path report() const { return folder / "report.txt"; }

  explicit RunFolder(const RunOptions& run) : folder(run.out) {
    bool there = fs::exists(best()) || fs::exists(last());
    if (run.overwrite && run.resume) throw UsageError("--overwrite and --resume exclude each other");
    if (run.resume && !fs::exists(last())) throw UsageError(last().string() + " does not exist; nothing to resume");
    if (there && !run.overwrite && !run.resume)
      throw UsageError(run.out + " already holds a model; give --resume to go on or --overwrite to start anew");
    std::error_code error;
    fs::create_directories(folder, error);
    if (error) throw Error("heed: cannot create " + run.out + ": " + error.message());
  }
};

// A training run: the trainer, the best score so far, and what is written when.
struct Run {
  RunFolder folder;
  TrainOptions options;
  std::unique_ptr<Learner> learner;
  Trainer trainer;
  std::ofstream log;
  double best = -std::numeric_limits<double>::infinity();
  Evaluation best_evaluation;
  Size stale = 0;  // scores since the best

  Run(const RunOptions& run, const TrainOptions& training, const std::function<std::unique_ptr<Learner>()>& make)
      : folder(run), options(training), learner(make()), trainer(*learner, training) {
    log.open(folder.log(), run.resume ? std::ios::app : std::ios::trunc);
    if (!log) throw Error("heed: cannot write " + folder.log().string());
    if (run.resume) {
      resume();
    } else {  // only now: a slip in the call must not cost a model
      fs::remove(folder.best());
      fs::remove(folder.last());
    }
    log << "{\"version\": \"" HEED_VERSION "\", \"seed\": " << training.seed << ", " << learner->log_text() << "}"
        << std::endl;
  }

  void resume() {
    Checkpoint last = load_checkpoint(folder.last().string());
    for (const auto& [name, text] : learner->checkpoint().metadata)
      if (auto it = last.metadata.find(name); it == last.metadata.end() || it->second != text)
        throw UsageError("cannot resume: " + name + " of " + folder.last().string() +
                         " differs; use the same training file and options");
    assign(learner->parameters(), last);
    trainer.load(last);
    best = std::stod(last.metadata.at("train.best"));
    stale = std::stol(last.metadata.at("train.stale"));
  }

  bool finished() const { return trainer.finished() || (options.patience && stale >= options.patience); }

  // Scores the averaged weights on dev; keeps them when they are the best so far.
  Evaluation score() {
    trainer.swap_average();
    Evaluation now = learner->evaluate();
    stale++;
    if (now.worth() > best) {
      best = now.worth();
      stale = 0;
      save_checkpoint(folder.best().string(), learner->checkpoint());
      write_file(folder.report().string(), now.report);
    }
    trainer.swap_average();
    return now;
  }

  void save_last() {
    Checkpoint last = learner->checkpoint();
    trainer.save(last);
    std::ostringstream text;
    text << std::setprecision(17) << best;
    last.metadata["train.best"] = text.str();
    last.metadata["train.stale"] = std::to_string(stale);
    save_checkpoint(folder.last().string(), last);
  }
};

// Sums over the steps of a round.
struct Round {
  double loss = 0, norm = 0;
  Size count = 0, skipped = 0, steps = 0;
  Clock::time_point start = Clock::now();
  void add(const StepResult& s) {
    loss += s.loss;
    norm += std::isfinite(s.norm) ? s.norm : 0;
    skipped += !std::isfinite(s.norm);
    count += s.count;
    steps++;
  }
};

int width(const Metric& metric) { return static_cast<int>(std::max<std::size_t>(7, metric.name.size())); }

void print_row(const std::vector<Metric>& metrics, const char* by, Size place, const Round& round, double elapsed,
               bool is_best, bool first) {
  if (first) {
    std::cerr << by << "   loss   norm";
    for (const Metric& m : metrics) std::cerr << format("  %*s", width(m), m.name.c_str());
    std::cerr << "   seconds\n";
  }
  double n = static_cast<double>(std::max<Size>(1, round.steps));
  std::cerr << format("%5td %6.4f %6.2f", place, round.loss / n, round.norm / n);
  for (const Metric& m : metrics) std::cerr << format(" %*.*f%-1s", width(m), *m.unit ? 2 : 4, m.value, m.unit);
  std::cerr << format(" %9.1f%s\n", elapsed, is_best ? "  best" : "");
  if (round.skipped) std::cerr << "  " << round.skipped << " steps skipped: their gradients were not finite\n";
}

std::string log_row(const std::vector<Metric>& metrics, const char* by, Size place, const Round& round,
                    double elapsed) {
  double n = static_cast<double>(std::max<Size>(1, round.steps));
  std::string line = format("{\"%s\": %td, \"loss\": %.6f, \"norm\": %.4f", by, place, round.loss / n, round.norm / n);
  for (const Metric& m : metrics) {
    std::string name = m.name;
    std::replace(name.begin(), name.end(), ' ', '_');
    line += format(", \"%s\": %.4f", name.c_str(), m.value);
  }
  return line + format(", \"seconds\": %.2f}", elapsed);
}

}  // namespace

int train_run(const RunOptions& options, const TrainOptions& training,
              const std::function<std::unique_ptr<Learner>()>& make, const std::atomic<bool>& stop) {
  Run run(options, training, make);
  Trainer& trainer = run.trainer;
  const char* by = trainer.by_epochs() ? "epoch" : "step";
  auto start = Clock::now();
  std::cerr << run.learner->headline() << "; seed " << training.seed << '\n';
  Evaluation now;
  for (bool first = true; !run.finished() && !stop; first = false) {
    Progress progress(format("round %td/%td", trainer.round() + 1, trainer.rounds()), options.quiet);
    Round round;
    bool whole = trainer.run_round([&](const StepResult& s) {
      round.add(s);
      progress.show(s.step, s.steps,
                    format("loss %.4f, %.1fk %s/s", s.loss,
                           static_cast<double>(round.count) / 1000 / seconds_since(round.start), run.learner->unit()));
      return !stop;
    });
    progress.clear();
    if (!whole) break;
    now = run.score();
    run.save_last();
    Size place = trainer.by_epochs() ? trainer.round() : trainer.step();
    print_row(now.metrics, by, place, round, seconds_since(start), now.worth() >= run.best, first);
    run.log << log_row(now.metrics, by, place, round, seconds_since(start)) << std::endl;
  }
  if (!run.finished()) {
    run.save_last();
    std::cerr << "interrupted; go on with --resume\n";
    return 130;
  }
  if (now.metrics.empty()) now = run.learner->evaluate();  // a finished run was resumed
  const Metric& decisive = now.metrics[0];
  std::cout << format("best %s %.*f%s%s\nmodel in ", decisive.name.c_str(), *decisive.unit ? 2 : 4, std::fabs(run.best),
                      *decisive.unit ? " " : "", decisive.unit)
            << options.out;
  if (!options.next.empty()) std::cout << "; try:\n  " << options.next;
  std::cout << '\n';
  return 0;
}

namespace {
std::atomic<bool> signalled{false};
void on_signal(int signal) {
  signalled = true;
  std::signal(signal, SIG_DFL);
}
}  // namespace

const std::atomic<bool>& interrupted() {
  std::signal(SIGINT, on_signal);
  std::signal(SIGTERM, on_signal);
  return signalled;
}

std::string model_path(const std::string& model) {
  std::string path = fs::is_directory(model) ? (fs::path(model) / "model.safetensors").string() : model;
  if (!fs::exists(path)) throw Error("heed: " + path + ": there is no such file");
  return path;
}

}  // namespace HEED_NAMESPACE

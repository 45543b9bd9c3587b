// Training on files, tagging and scoring; what runs on the built-in corpus is in builtin.cpp.
#include "models/pos/commands.hpp"

#include <unistd.h>

#include <chrono>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iomanip>
#include <iostream>

#include "models/data/utf8.hpp"
#include "models/pos/report.hpp"
#include "nn/file.hpp"
#include "nn/train/progress.hpp"

namespace HEED_NAMESPACE {

namespace {

namespace fs = std::filesystem;

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

std::vector<Sentence> read(const std::string& path, bool skip_bad) {
  std::size_t skipped = 0;
  auto report = [&](const DataError& error) {
    if (skipped++ < 5) std::cerr << "skipped: " << error.what() << '\n';
  };
  std::vector<Sentence> sentences = skip_bad ? read_conllu(path, report) : read_conllu(path);
  if (skipped) std::cerr << path << ": " << skipped << " sentences skipped\n";
  return sentences;
}

std::string model_path(const std::string& model) {
  std::string path = fs::is_directory(model) ? (fs::path(model) / "model.safetensors").string() : model;
  if (!fs::exists(path)) throw Error("heed: " + path + ": there is no such file");
  return path;
}

// Files of a run, and the rule that nothing is overwritten silently.
struct RunFolder {
  fs::path folder;
  fs::path best() const { return folder / "model.safetensors"; }
  fs::path last() const { return folder / "last.safetensors"; }
  fs::path log() const { return folder / "log.jsonl"; }
  fs::path report() const { return folder / "report.txt"; }

  explicit RunFolder(const TrainCommand& command) : folder(command.out) {
    bool there = fs::exists(best()) || fs::exists(last());
    if (command.overwrite && command.resume) throw UsageError("--overwrite and --resume exclude each other");
    if (command.resume && !fs::exists(last())) throw UsageError(last().string() + " does not exist; nothing to resume");
    if (there && !command.overwrite && !command.resume)
      throw UsageError(command.out + " already holds a model; give --resume to go on or --overwrite to start anew");
    std::error_code error;
    fs::create_directories(folder, error);
    if (error) throw Error("heed: cannot create " + command.out + ": " + error.message());
  }
};

// A training run: the trainer, the best score so far, and what is written when.
struct Run {
  const TrainCommand& command;
  RunFolder folder;
  std::vector<Sentence> train, dev;
  std::unique_ptr<PosModel> model;
  Dataset data;
  Trainer trainer;
  std::ofstream log;
  double best = -1;

  explicit Run(const TrainCommand& c)
      : command(c),
        folder(c),
        train(read(c.train, c.skip_bad)),
        dev(read(c.dev, c.skip_bad)),
        model(std::make_unique<PosModel>(Lexicon(train), c.model, c.training.seed)),
        data(model->lexicon, train),
        trainer(model->tagger, model->rng, data, c.training) {
    if (count_tags(dev).empty())
      throw Error("heed: " + c.dev + ": no word has a tag; there is nothing to choose the best epoch by");
    log.open(folder.log(), c.resume ? std::ios::app : std::ios::trunc);
    if (!log) throw Error("heed: cannot write " + folder.log().string());
    if (c.resume) {
      resume();
    } else {  // only now: a slip in the call must not cost a model
      fs::remove(folder.best());
      fs::remove(folder.last());
    }
    log << "{\"version\": \"" HEED_VERSION "\", \"seed\": " << c.training.seed << ", \"model\": " << describe(c.model)
        << ", \"parameters\": " << model->tagger.parameter_count() << ", \"words\": " << data.words() << "}"
        << std::endl;
  }

  void resume() {
    Checkpoint last = load_checkpoint(folder.last().string());
    Checkpoint now = to_checkpoint(*model);
    for (const auto& [name, text] : now.metadata)
      if (auto it = last.metadata.find(name); it == last.metadata.end() || it->second != text)
        throw UsageError("cannot resume: " + name + " of " + folder.last().string() +
                         " differs; use the same training file and options");
    assign(model->tagger.parameters(), last);
    trainer.load(last);
    best = std::stod(last.metadata.at("train.best"));
  }

  // Scores the averaged weights on dev; keeps them when they are the best so far.
  Report score() {
    trainer.swap_average();
    Report report = evaluate(*model, dev, predict(*model, dev));
    if (report.all.percent() > best) {
      best = report.all.percent();
      save_checkpoint(folder.best().string(), to_checkpoint(*model));
      std::ostringstream out;
      print(out, report);
      write_file(folder.report().string(), out.str());
    }
    trainer.swap_average();
    return report;
  }

  void save_last() {
    Checkpoint last = to_checkpoint(*model);
    trainer.save(last);
    std::ostringstream text;
    text << std::setprecision(17) << best;
    last.metadata["train.best"] = text.str();
    save_checkpoint(folder.last().string(), last);
  }
};

}  // namespace

int train_command(const TrainCommand& command, const std::atomic<bool>& stop) {
  if (command.model.rung >= Rung::multihead && command.model.dim % command.model.heads)
    throw UsageError("--heads must divide --dim; " + std::to_string(command.model.heads) + " does not divide " +
                     std::to_string(command.model.dim));
  Run run(command);
  auto start = std::chrono::steady_clock::now();
  std::cerr << run.train.size() << " sentences, " << run.data.words() << " words to train on; "
            << run.model->lexicon.tags.size() << " tags; " << run.model->tagger.parameter_count()
            << " parameters; seed " << command.training.seed
            << "\nepoch   loss   norm  dev accuracy  unknown   seconds\n";
  while (!run.trainer.finished() && !stop) {
    Size epoch = run.trainer.epoch() + 1, words = 0, skipped = 0, batches = 0;
    double loss = 0, norm = 0;
    Progress progress("epoch " + std::to_string(epoch) + "/" + std::to_string(command.training.epochs), command.quiet);
    auto epoch_start = std::chrono::steady_clock::now();
    bool whole = run.trainer.run_epoch([&](const StepResult& s) {
      loss += s.loss;
      norm += std::isfinite(s.norm) ? s.norm : 0;
      skipped += !std::isfinite(s.norm);
      words += s.words;
      batches++;
      char text[100];
      std::snprintf(text, sizeof text, "loss %.4f, %.1fk words/s", s.loss,
                    static_cast<double>(words) / 1000 / seconds_since(epoch_start));
      progress.show(s.step, s.steps, text);
      return !stop;
    });
    progress.clear();
    if (!whole) break;
    Report report = run.score();
    run.save_last();
    double n = static_cast<double>(std::max<Size>(1, batches)), elapsed = seconds_since(start);
    char line[200];
    std::snprintf(line, sizeof line, "%5td %6.4f %6.2f %12.2f%% %7.2f%% %9.1f%s\n", epoch, loss / n, norm / n,
                  report.all.percent(), report.unknown.percent(), elapsed,
                  report.all.percent() >= run.best ? "  best" : "");
    std::cerr << line;
    if (skipped) std::cerr << "  " << skipped << " steps skipped: their gradients were not finite\n";
    std::snprintf(line, sizeof line,
                  "{\"epoch\": %td, \"loss\": %.6f, \"norm\": %.4f, \"dev_accuracy\": %.4f, \"seconds\": %.2f}", epoch,
                  loss / n, norm / n, report.all.percent(), elapsed);
    run.log << line << std::endl;
  }
  if (!run.trainer.finished()) {
    run.save_last();
    std::cerr << "interrupted; go on with --resume\n";
    return 130;
  }
  std::cout << "best dev accuracy " << std::fixed << std::setprecision(2) << run.best << " %\nmodel in " << command.out
            << "; try:\n  echo \"I saw a saw .\" | " << command.program << " pos tag " << command.out << '\n';
  return 0;
}

int eval_command(const std::string& model_name, const std::string& file, const std::string& write,
                 double min_accuracy) {
  std::unique_ptr<PosModel> model = from_checkpoint(load_checkpoint(model_path(model_name)));
  std::vector<Sentence> sentences = read_conllu(file);
  auto start = std::chrono::steady_clock::now();
  std::vector<std::vector<std::string>> tags = predict(*model, sentences);
  double seconds = seconds_since(start);
  if (!write.empty()) {
    std::ostringstream out;
    write_conllu(out, sentences, tags);
    write_file(write, out.str());
  }
  Report report = evaluate(*model, sentences, tags);
  print(std::cout, report);
  std::size_t words = 0;
  for (const auto& s : tags) words += s.size();
  std::cerr << words << " words tagged in " << std::setprecision(2) << std::fixed << seconds << " s, "
            << std::setprecision(0) << static_cast<double>(words) / seconds << " words/s\n";
  return report.all.percent() < min_accuracy ? 1 : 0;
}

namespace {
// A line of at most 16 MiB; returns false at the end.
bool read_line(std::istream& in, std::string& line, std::size_t number) {
  constexpr std::size_t limit = std::size_t(16) << 20;
  line.clear();
  for (int c; (c = in.rdbuf()->sbumpc()) != std::char_traits<char>::eof();) {
    if (c == '\n') return true;
    if (c == 0) throw Error("heed: standard input, line " + std::to_string(number) + ": a NUL byte; expected text");
    if (line.size() == limit)
      throw Error("heed: standard input, line " + std::to_string(number) + ": longer than 16 MiB");
    line += static_cast<char>(c);
  }
  return !line.empty();
}

void write_tagged(const Sentence& sentence, const std::vector<std::string>& tags, TagFormat format) {
  if (format == TagFormat::conllu) return write_sentence(std::cout, sentence, tags);
  for (std::size_t i = 0; i < tags.size(); i++)
    format == TagFormat::tsv ? std::cout << sentence.form(i) << '\t' << tags[i] << '\n'
                             : std::cout << (i ? " " : "") << sentence.form(i) << '_' << tags[i];
  std::cout << '\n';
}
}  // namespace

int tag_command(const std::string& model_name, TagFormat format) {
  std::unique_ptr<PosModel> model = from_checkpoint(load_checkpoint(model_path(model_name)));
  if (isatty(STDIN_FILENO)) std::cerr << "type a sentence, words apart by spaces; Ctrl-D ends\n";
  std::ios::sync_with_stdio(false);
  std::string line;
  std::size_t tagged = 0;
  auto start = std::chrono::steady_clock::now();
  for (std::size_t number = 1; read_line(std::cin, line, number); number++) {
    if (std::size_t bad = find_invalid_utf8(line); bad != std::string::npos)
      throw Error("heed: standard input, line " + std::to_string(number) + ": invalid UTF-8 at byte " +
                  std::to_string(bad + 1));
    std::istringstream in(line);
    std::vector<std::string> words;
    for (std::string word; in >> word;) words.push_back(word);
    if (words.empty()) {
      if (format != TagFormat::conllu) std::cout << '\n';
      continue;
    }
    Sentence sentence = make_sentence(words);
    write_tagged(sentence, predict(*model, {sentence})[0], format);
    if (!std::cout.flush()) throw Error("heed: cannot write to standard output");
    tagged += words.size();
  }
  double seconds = seconds_since(start);
  std::cerr << tagged << " words, " << std::fixed << std::setprecision(0)
            << (seconds > 0 ? static_cast<double>(tagged) / seconds : 0) << " words/s\n";
  return 0;
}

}  // namespace HEED_NAMESPACE

// Training on files, tagging and scoring; what runs on the built-in corpus is in builtin.cpp.
#include "models/pos/commands.hpp"

#include <unistd.h>

#include <chrono>
#include <iomanip>
#include <iostream>

#include "models/data/utf8.hpp"
#include "models/pos/learner.hpp"
#include "models/pos/report.hpp"
#include "nn/file.hpp"

namespace HEED_NAMESPACE {

namespace {

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

// A tagger with the sentences that it learns from and is scored on.
struct Files {
  std::vector<Sentence> train, dev;
  PosModel model;
  Dataset data;
  explicit Files(const TrainCommand& c)
      : train(read(c.train, c.skip_bad)),
        dev(read(c.dev, c.skip_bad)),
        model(Lexicon(train), c.model, c.training.seed),
        data(model.lexicon, train) {
    if (count_tags(dev).empty())
      throw Error("heed: " + c.dev + ": no word has a tag; there is nothing to choose the best epoch by");
  }
};
struct FileLearner : Files, TaggerLearner {
  explicit FileLearner(const TrainCommand& c) : Files(c), TaggerLearner(model, data, dev) {}
};

}  // namespace

int train_command(const TrainCommand& command, const std::atomic<int>& stop) {
  if (command.model.rung >= Rung::multihead && command.model.dim % command.model.heads)
    throw UsageError("--heads must divide --dim; " + std::to_string(command.model.heads) + " does not divide " +
                     std::to_string(command.model.dim));
  return train_run(
      command.run, command.training, [&] { return std::make_unique<FileLearner>(command); }, stop);
}

int eval_command(const std::string& model_name, const std::string& file, const std::string& write, double min_accuracy,
                 bool json) {
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
  Evaluation evaluation = to_evaluation(report);
  std::cout << (json ? to_json(evaluation) + "\n" : evaluation.report);
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

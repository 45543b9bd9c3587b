#include "models/pos/report.hpp"

#include <algorithm>
#include <iomanip>
#include <set>
#include <sstream>

#include "models/data/utf8.hpp"
#include "tensor/kernels.hpp"

namespace HEED_NAMESPACE {

std::vector<std::vector<std::string>> predict(const PosModel& model, const std::vector<Sentence>& sentences,
                                              std::size_t batch_tokens) {
  Eval eval;
  Dataset data(model.lexicon, sentences);
  std::vector<std::vector<std::string>> tags;
  for (const Sentence& s : sentences) tags.emplace_back(s.size());
  for (const std::vector<std::size_t>& group : data.batches(batch_tokens)) {
    Batch batch = data.batch(group);
    std::vector<int> best;
    max(model.tagger(batch).tags.value(), -1, &best);
    for (std::size_t row = 0; row < group.size(); row++) {
      const Piece& piece = data.pieces()[group[row]];
      for (std::size_t i = piece.keep_begin; i < piece.keep_end; i++)
        tags[piece.sentence][i] =
            model.lexicon.tags.text(best[row * static_cast<std::size_t>(batch.length) + i - piece.begin]);
    }
  }
  return tags;
}

namespace {
// A word with its neighbours.
std::string context(const Sentence& s, std::size_t at) {
  std::string text;
  for (std::size_t i = at < 2 ? 0 : at - 2; i < std::min(s.size(), at + 3); i++) {
    if (!text.empty()) text += ' ';
    text += i == at ? "[" : "";
    text += s.form(i);
    text += i == at ? "]" : "";
  }
  return text;
}
}  // namespace

Report evaluate(const PosModel& model, const std::vector<Sentence>& sentences,
                const std::vector<std::vector<std::string>>& predicted) {
  Report report;
  std::map<std::string, std::set<std::string>, std::less<>> tags_of;
  for (const Sentence& s : sentences)
    for (std::size_t i = 0; i < s.size(); i++)
      if (s.has_gold(i)) tags_of[std::string(s.form(i))].insert(std::string(s.upos(i)));
  std::map<std::pair<std::string, std::string>, Confusion> errors;
  std::set<std::string> unseen;
  for (std::size_t n = 0; n < sentences.size(); n++) {
    const Sentence& s = sentences[n];
    for (std::size_t i = 0; i < s.size(); i++) {
      if (!s.has_gold(i)) {
        report.without_gold++;
        continue;
      }
      std::string gold(s.upos(i));
      const std::string& tag = predicted[n][i];
      bool right = gold == tag;
      if (model.lexicon.tag(gold) < 0) unseen.insert(gold);
      report.all.add(right);
      (model.lexicon.knows(s.form(i)) ? report.known : report.unknown).add(right);
      if (tags_of.find(s.form(i))->second.size() > 1) report.ambiguous.add(right);
      count(report.tags, gold, tag);
      if (right) continue;
      Confusion& error = errors[{gold, tag}];
      if (error.count++ == 0) error = {gold, tag, context(s, i), 1};
    }
  }
  report.unseen_tags.assign(unseen.begin(), unseen.end());
  for (auto& [pair, error] : errors) report.confusions.push_back(std::move(error));
  std::stable_sort(report.confusions.begin(), report.confusions.end(),
                   [](const Confusion& a, const Confusion& b) { return a.count > b.count; });
  return report;
}

void print(std::ostream& out, const Report& report) {
  if (report.all.all == 0) {
    out << "There is nothing to score: no word has a gold tag.\n";
    return;
  }
  print(out, "accuracy", report.all);
  print(out, "known words", report.known);
  print(out, "unknown words", report.unknown);
  print(out, "ambiguous words", report.ambiguous);
  if (report.without_gold) out << report.without_gold << " words without a gold tag are left out\n";
  for (const std::string& tag : report.unseen_tags)
    out << "tag " << tag << " was never seen in training; its words count as errors\n";
  print(out, report.tags, "tag", "words");
  if (report.confusions.empty()) return;
  out << "\nmost frequent errors\n";
  for (std::size_t i = 0; i < std::min<std::size_t>(10, report.confusions.size()); i++) {
    const Confusion& error = report.confusions[i];
    out << std::setw(6) << error.count << "  " << std::left << std::setw(16) << error.gold + " as " + error.predicted
        << std::right << error.example << '\n';
  }
}

Evaluation to_evaluation(const Report& report) {
  std::ostringstream text;
  print(text, report);
  std::string json = to_json({{"all", report.all},
                              {"known words", report.known},
                              {"unknown words", report.unknown},
                              {"ambiguous words", report.ambiguous}},
                             report.tags, report.confusions);
  return {{{"dev accuracy", report.all.percent()}, {"unknown", report.unknown.percent()}}, false, text.str(), json};
}

}  // namespace HEED_NAMESPACE

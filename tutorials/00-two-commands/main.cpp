// Trains a tagger on the built-in corpus and reads its report: what it is asked, what guessing would give, what it
// does.
#include <algorithm>
#include <cstdio>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "heed.hpp"
#include "models/data/corpus.hpp"
#include "models/plot/charts.hpp"
#include "models/pos/learner.hpp"
#include "models/pos/report.hpp"
#include "models/run/trainer.hpp"
#include "tutorials/tutorial.hpp"

using namespace heed;

namespace {

// [corpus]
std::vector<Sentence> corpus(std::size_t count, std::uint64_t seed, const std::vector<Sentence>& avoid = {}) {
  Rng rng(seed);
  auto below = [&](std::size_t n) { return static_cast<std::size_t>(rng.below(static_cast<Size>(n))); };
  return toy_corpus(Language::english, count, below, {}, avoid);
}
// [/corpus]

bool is_list(const Sentence& s) { return s.form(1) == ":"; }

bool is_ambiguous(std::string_view word) {
  const std::vector<std::string>& words = toy_ambiguous(Language::english);
  return std::find(words.begin(), words.end(), word) != words.end();
}

using Tags = std::vector<std::vector<std::string>>;

// [guess]
// The best that anyone can do who sees each word alone, even one who has counted the answers: its commonest tag.
Tags best_guess(const std::vector<Sentence>& sentences) {
  std::map<std::string, std::map<std::string, int>> counts;
  for (const Sentence& s : sentences)
    for (std::size_t i = 0; i < s.size(); i++) counts[std::string(s.form(i))][std::string(s.upos(i))]++;
  auto commonest = [&](std::string_view word) {
    const std::map<std::string, int>& tags = counts.at(std::string(word));
    return std::max_element(tags.begin(), tags.end(), [](auto& a, auto& b) { return a.second < b.second; })->first;
  };
  Tags guess;
  for (const Sentence& s : sentences) {
    guess.emplace_back();
    for (std::size_t i = 0; i < s.size(); i++) guess.back().push_back(commonest(s.form(i)));
  }
  return guess;
}
// [/guess]

// Accuracy in percent on the words that `chosen` picks.
template <class Chosen>
double accuracy(const std::vector<Sentence>& sentences, const Tags& tags, const Chosen& chosen) {
  Score score;
  for (std::size_t n = 0; n < sentences.size(); n++)
    for (std::size_t i = 0; i < sentences[n].size(); i++)
      if (chosen(sentences[n], i)) score.add(sentences[n].upos(i) == tags[n][i]);
  return score.percent();
}

void show(const Sentence& s, const std::vector<std::string>& tags) {
  for (std::size_t i = 0; i < s.size(); i++)
    std::printf("%s%s_%s", i ? " " : "", std::string(s.form(i)).c_str(), tags[i].c_str());
  std::printf("\n");
}

// How often each tag (row) is taken for which (column).
void draw_confusions(const std::vector<Sentence>& sentences, const Tags& tags, const Vocabulary& names) {
  HeatMap map{.title = "What the best guess confuses", .row_title = "gold tag", .column_title = "guess", .decimals = 0};
  for (int i = 0; i < names.size(); i++) map.rows.push_back(names.text(i));
  map.columns = map.rows;
  map.values.assign(map.rows.size(), std::vector<double>(map.rows.size(), 0));
  for (std::size_t n = 0; n < sentences.size(); n++)
    for (std::size_t i = 0; i < sentences[n].size(); i++)
      map.values[static_cast<std::size_t>(names.id(sentences[n].upos(i)))]
                [static_cast<std::size_t>(names.id(tags[n][i]))]++;
  tutorial::figure("confusions", heat_map(map));
}

void run() {
  std::vector<Sentence> test = corpus(1000, 3), train = corpus(4000, 2, test);
  auto everything = [](const Sentence&, std::size_t) { return true; };
  auto in_phrases = [](const Sentence& s, std::size_t i) { return !is_list(s) && is_ambiguous(s.form(i)); };
  auto in_lists = [](const Sentence& s, std::size_t i) { return is_list(s) && is_ambiguous(s.form(i)); };
  {
    tutorial::Block block("sentences");
    int phrases = 0, lists = 0;
    for (const Sentence& s : test) {
      if (s.size() > 16 || (is_list(s) ? lists : phrases)++ >= 3) continue;
      std::vector<std::string> gold;
      for (std::size_t i = 0; i < s.size(); i++) gold.emplace_back(s.upos(i));
      show(s, gold);
    }
  }
  std::set<std::string_view> distinct;
  for (const Sentence& s : train)
    for (std::size_t i = 0; i < s.size(); i++) distinct.insert(s.form(i));
  tutorial::number("vocabulary", static_cast<double>(distinct.size()));
  Tags guess = best_guess(test);
  tutorial::number("ceiling", accuracy(test, guess, everything), 1);
  tutorial::number("ceiling-phrases", accuracy(test, guess, in_phrases), 1);
  tutorial::number("ceiling-lists", accuracy(test, guess, in_lists), 1);

  // [train]
  PosModel model(
      Lexicon(train),
      {.rung = Rung::encoder, .dim = 64, .hidden = 128, .dropout = 0.05, .attention_dropout = 0, .word_dropout = 0}, 1);
  Dataset words(model.lexicon, train);
  TaggerLearner learner(model, words, test);
  Trainer trainer(learner,
                  {.seed = 1, .epochs = 8, .batch_tokens = 400, .lr = 3e-3, .average = 0.99, .label_smoothing = 0});
  Series known{"training set", {0}, {}}, held_out{"held-out set", {0}, {}};
  std::vector<Sentence> part(train.begin(), train.begin() + 1000);
  auto score = [&] {
    known.y.push_back(accuracy(part, predict(model, part), everything));
    held_out.y.push_back(accuracy(test, predict(model, test), everything));
  };
  score();
  while (!trainer.finished()) {
    trainer.run_round([](const StepResult&) { return true; });
    trainer.swap_average();
    score();
    trainer.swap_average();
    for (Series* s : {&known, &held_out}) s->x.push_back(static_cast<double>(trainer.round()));
  }
  trainer.swap_average();
  // [/train]

  Tags tags = predict(model, test);
  tutorial::number("parameters", static_cast<double>(model.tagger.parameter_count()));
  {
    tutorial::Block block("report");
    std::printf("all words              %6s %%\n",
                tutorial::number("all", accuracy(test, tags, everything), 2, 0.5).c_str());
    std::printf("noun or verb, phrases  %6s %%\n",
                tutorial::number("phrases", accuracy(test, tags, in_phrases), 2, 2).c_str());
    std::printf("noun or verb, lists    %6s %%\n",
                tutorial::number("lists", accuracy(test, tags, in_lists), 2, 2).c_str());
    Sentence saw = make_sentence({"I", "saw", "a", "saw", "."});
    show(saw, predict(model, {saw})[0]);
  }
  tutorial::number("before", held_out.y[0], 1, 15);
  tutorial::number("first", held_out.y[1], 1, 3);
  tutorial::figure("curve", line_chart({.title = "Accuracy after each pass over the training sentences, in percent",
                                        .x = {.title = "epochs"},
                                        .y = {.title = "words tagged right, %"},
                                        .series = {known, held_out},
                                        .marks = true}));
  draw_confusions(test, guess, model.lexicon.tags);
}

}  // namespace

int main(int count, char** words) { return tutorial::chapter(count, words, run); }

// How far a window gets: fully connected layers on a word and its neighbours, against ceilings that can be counted.
#include <algorithm>
#include <cstdio>
#include <map>
#include <string>
#include <vector>

#include "heed.hpp"
#include "models/data/corpus.hpp"
#include "models/plot/charts.hpp"
#include "tutorials/tutorial.hpp"

using namespace heed;

namespace {

constexpr int widest = 8;  // words on each side

// Sentences as one long row of ids with `widest` blanks (id 0) between them, so that no window sees two sentences.
struct Row {
  std::vector<int> words, tags;  // tag -1: none is asked for
};

struct Corpus {
  std::vector<Sentence> train, test;
  std::map<std::string, int, std::less<>> words{{"", 0}}, tags;

  Corpus() {
    test = draw(500, 1);
    train = draw(2000, 0);
    for (const std::vector<Sentence>* part : {&train, &test})
      for (const Sentence& s : *part)
        for (std::size_t i = 0; i < s.size(); i++) {
          words.emplace(s.form(i), static_cast<int>(words.size()));
          tags.emplace(s.upos(i), static_cast<int>(tags.size()));
        }
  }

  Row row(const Sentence* first, std::size_t count) const {
    Row row;
    auto blanks = [&] {
      row.words.insert(row.words.end(), widest, 0);
      row.tags.insert(row.tags.end(), widest, -1);
    };
    blanks();
    for (const Sentence* s = first; s != first + count; s++) {
      for (std::size_t i = 0; i < s->size(); i++) {
        row.words.push_back(words.find(s->form(i))->second);
        row.tags.push_back(tags.find(s->upos(i))->second);
      }
      blanks();
    }
    return row;
  }

 private:
  std::vector<Sentence> draw(std::size_t count, std::uint64_t seed) const {
    Rng rng(seed);
    auto below = [&](std::size_t n) { return static_cast<std::size_t>(rng.below(static_cast<Size>(n))); };
    return toy_corpus(Language::english, count, below, {.max_list = 40}, test);
  }
};

bool is_list(const Sentence& s) { return s.form(1) == ":"; }
bool is_ambiguous(std::string_view word) {
  const std::vector<std::string>& words = toy_ambiguous(Language::english);
  return std::find(words.begin(), words.end(), word) != words.end();
}

// [model]
// Each word and `reach` neighbours on each side, through one hidden layer, to a score for each tag.
struct WindowTagger : Module {
  int reach;
  Embedding words;
  Linear hidden, out;
  WindowTagger(const Corpus& corpus, int neighbours, Rng& rng)
      : reach(neighbours),
        words(sub("words", Embedding(static_cast<Size>(corpus.words.size()), 32, rng))),
        hidden(sub("hidden", Linear(Size{2 * neighbours + 1} * 32, 64, rng))),
        out(sub("out", Linear(64, static_cast<Size>(corpus.tags.size()), rng))) {}
  Var operator()(const std::vector<int>& ids) const {        // N ids
    Var x = words(ids, {1, static_cast<Size>(ids.size())});  // (1, N, 32)
    Var window = windows(x, reach, reach);                   // (1, N, (2 reach + 1) 32)
    return out(relu(hidden(window)));                        // (1, N, 64) -> (1, N, tags)
  }
};
// [/model]

// [train]
void train(const WindowTagger& model, const Corpus& corpus, const std::vector<Sentence>& sentences, int epochs) {
  constexpr std::size_t batch = 20;
  AdamW adam(model.parameters(), {.lr = 3e-3});
  for (int epoch = 0; epoch < epochs; epoch++)
    for (std::size_t first = 0; first + batch <= sentences.size(); first += batch) {
      Row row = corpus.row(&sentences[first], batch);
      cross_entropy(model(row.words), row.tags).backward();
      adam.step();
    }
}
// [/train]

struct Scores {
  double phrases, lists;  // of words that are noun or verb, in percent
};

Scores score(const WindowTagger& model, const Corpus& corpus, const std::vector<Sentence>& sentences) {
  Eval eval;
  double right[2] = {}, all[2] = {};
  for (const Sentence& s : sentences) {
    Row row = corpus.row(&s, 1);
    Tensor scores = model(row.words).value();  // (1, N, tags)
    for (std::size_t i = 0; i < s.size(); i++) {
      if (!is_ambiguous(s.form(i))) continue;
      auto at = static_cast<Size>(i) + widest, best = Size(0);
      for (Size tag = 1; tag < scores.size(2); tag++)
        if (scores.at({0, at, tag}) > scores.at({0, at, best})) best = tag;
      right[is_list(s)] += best == row.tags[static_cast<std::size_t>(at)];
      all[is_list(s)]++;
    }
  }
  return {100 * right[0] / all[0], 100 * right[1] / all[1]};
}

// [ceiling]
// The most items of lists that anyone can tag who sees `reach` words each way: those whose first word is in sight, and
// of the others the commoner half.
double list_ceiling(const std::vector<Sentence>& sentences, std::size_t reach) {
  double seen = 0, nouns = 0, verbs = 0;
  for (const Sentence& s : sentences)
    for (std::size_t i = 2; is_list(s) && i < s.size(); i++)
      if (is_ambiguous(s.form(i))) (i <= reach ? seen : s.upos(i) == "NOUN" ? nouns : verbs)++;
  return 100 * (seen + std::max(nouns, verbs)) / (seen + nouns + verbs);
}
// [/ceiling]

void run() {
  Corpus corpus;
  std::size_t longest = 0;
  for (const Sentence& s : corpus.test) longest = std::max(longest, s.size());
  tutorial::number("longest", static_cast<double>(longest));
  Series lists{"window network", {}, {}}, ceiling{"ceiling", {}, {}}, cost{"parameters", {}, {}};
  {
    tutorial::Block block("windows", 2.5);
    std::printf("reach  parameters  phrases %%  lists %%  ceiling of lists %%\n");
    for (int reach : {0, 1, 3, widest}) {
      Rng rng(1);
      WindowTagger model(corpus, reach, rng);
      train(model, corpus, corpus.train, 5);
      Scores s = score(model, corpus, corpus.test);
      double best = list_ceiling(corpus.test, static_cast<std::size_t>(reach));
      std::printf("%5d  %10td  %9.1f  %7.1f  %18.1f\n", reach, model.parameter_count(), s.phrases, s.lists, best);
      tutorial::claim(s.lists <= best + 2.5, "no window network is above its ceiling");
      lists.x.push_back(reach), lists.y.push_back(s.lists);
      ceiling.x.push_back(reach), ceiling.y.push_back(best);
      cost.x.push_back(reach), cost.y.push_back(static_cast<double>(model.parameter_count()));
    }
  }
  for (std::size_t reach = 12; reach <= 80; reach += 4)
    ceiling.x.push_back(static_cast<double>(reach)), ceiling.y.push_back(list_ceiling(corpus.test, reach));
  tutorial::figure("reach", line_chart({.title = "Items of lists tagged right, in percent, by words seen on each side",
                                        .x = {.title = "reach"},
                                        .y = {.low = 40, .high = 100},
                                        .series = {ceiling, lists},
                                        .marks = true}));
  tutorial::figure("parameters", line_chart({.title = "Parameters of the window network",
                                             .x = {.title = "reach"},
                                             .y = {.low = 0},
                                             .series = {cost},
                                             .marks = true}));

  std::vector<Sentence> few(corpus.train.begin(), corpus.train.begin() + 200);
  Rng rng(1);
  WindowTagger model(corpus, widest, rng);
  train(model, corpus, few, 60);
  Scores known = score(model, corpus, few), fresh = score(model, corpus, corpus.test);
  tutorial::Block block("overfitting", 4);
  std::printf("200 sentences, reach 8   lists %%\ntraining sentences       %6.1f\nheld-out sentences       %6.1f\n",
              known.lists, fresh.lists);
}

}  // namespace

int main(int count, char** words) { return tutorial::chapter(count, words, run); }

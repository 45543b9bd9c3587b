// Sets of vectors from five fields, what is asked of them, and vectors for words that know which words are alike.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <string>
#include <vector>

#include "heed.hpp"
#include "models/data/corpus.hpp"
#include "models/data/tasks.hpp"
#include "models/plot/charts.hpp"
#include "tutorials/tutorial.hpp"

using namespace heed;

namespace {

void show_sets() {
  struct Row {
    const char *what, *task, *vector;
  };
  tutorial::Block block("sets");
  std::printf("%-10s %4s  %-34s %5s  %s\n", "", "N", "each vector", "edges", "answer");
  for (const Row& row :
       {Row{"text", "sentiment", "one of %td symbols (bytes)"}, Row{"speech", "phones", "%td numbers of a 25 ms frame"},
        Row{"graph", "nodes", "%td numbers of a person"}, Row{"molecule", "molecules", "one of %td atoms"},
        Row{"image", "shapes", "%td numbers: red, green, blue"}}) {
    // [sets]
    ExampleSet set = make_task(row.task, 1, 1);
    const Example& item = set.items[0];
    std::size_t n =
        item.features.empty() ? item.symbols.size() : item.features.size() / static_cast<std::size_t>(set.width);
    // [/sets]
    char vector[64];
    std::snprintf(vector, sizeof vector, row.vector, set.width ? set.width : set.symbols - 1);
    std::printf("%-10s %4zu  %-34s %5zu  %s of %zu classes\n", row.what, n, vector, item.edges.size(),
                set.answer == Answer::each ? "for each, one" : "for all, one", set.classes.size());
  }
}

// The corpus as a row of ids, and what kind of word each id is.
struct Words {
  std::vector<std::string> names, kinds;
  std::vector<std::vector<int>> sentences;

  Words() {
    Rng rng(1);
    auto below = [&](std::size_t n) { return static_cast<std::size_t>(rng.below(static_cast<Size>(n))); };
    const std::vector<std::string>& both = toy_ambiguous(Language::english);
    std::map<std::string, int, std::less<>> ids;
    for (const Sentence& s : toy_corpus(Language::english, 3000, below, {.list_percent = 0})) {
      sentences.emplace_back();
      for (std::size_t i = 0; i < s.size(); i++) {
        auto [at, is_new] = ids.emplace(s.form(i), static_cast<int>(ids.size()));
        sentences.back().push_back(at->second);
        if (!is_new) continue;
        names.emplace_back(s.form(i));
        bool ambiguous = std::find(both.begin(), both.end(), names.back()) != both.end();
        kinds.push_back(ambiguous ? "NOUN or VERB" : std::string(s.upos(i)));
      }
    }
  }
};

// [nearest]
// The share of words, in percent, whose nearest other word (by cosine) is of their kind; in ties, the mean over them.
double purity(const Words& words, const Tensor& table) {
  Size count = table.size(0), dim = table.size(1);
  auto cosine = [&](Size a, Size b) {
    double ab = 0, aa = 0, bb = 0;
    for (Size d = 0; d < dim; d++) {
      double x = static_cast<double>(table.at({a, d})), y = static_cast<double>(table.at({b, d}));
      ab += x * y, aa += x * x, bb += y * y;
    }
    return ab / std::sqrt(aa * bb);
  };
  double sum = 0;
  for (Size a = 0; a < count; a++) {
    double best = -2, same = 0, tied = 0;
    for (Size b = 0; b < count; b++) {
      if (a == b || cosine(a, b) < best) continue;
      if (cosine(a, b) > best) best = cosine(a, b), same = tied = 0;
      same += words.kinds[static_cast<std::size_t>(a)] == words.kinds[static_cast<std::size_t>(b)];
      tied++;
    }
    sum += same / tied;
  }
  return 100 * sum / static_cast<double>(count);
}
// [/nearest]

// [guess]
// Guesses a word from the mean of the vectors of its two neighbours.
struct NeighbourModel : Module {
  Embedding words;
  Linear out;
  NeighbourModel(Size count, Size dim, Rng& rng)
      : words(sub("words", Embedding(count, dim, rng))), out(sub("out", Linear(dim, count, rng))) {}
  Var operator()(const std::vector<int>& neighbours) const {                   // 2 ids for each of B words
    Var x = words(neighbours, {static_cast<Size>(neighbours.size()) / 2, 2});  // (B, 2, D)
    return out(mean(x, {1}));                                                  // (B, D) -> (B, V)
  }
};
// [/guess]

Tensor train(const Words& words) {
  Rng rng(2);
  NeighbourModel model(static_cast<Size>(words.names.size()), 16, rng);
  AdamW adam(model.parameters(), {.lr = 1e-2});
  for (int epoch = 0; epoch < 6; epoch++)
    for (std::size_t first = 0; first < words.sentences.size(); first += 30) {
      std::vector<int> neighbours, middle;
      for (std::size_t n = first; n < first + 30; n++)
        for (std::size_t i = 1; i + 1 < words.sentences[n].size(); i++) {
          const std::vector<int>& s = words.sentences[n];
          neighbours.insert(neighbours.end(), {s[i - 1], s[i + 1]});
          middle.push_back(s[i]);
        }
      // [step]
      cross_entropy(model(neighbours), middle).backward();
      adam.step();
      // [/step]
    }
  return model.words.table.value();
}

// The two directions along which the rows of a table differ most, by power iteration; coordinates of each row.
std::vector<std::vector<double>> two_directions(const Tensor& table) {
  Eval eval;
  Var centred = Var(table) - mean(Var(table), {0}, true);
  std::vector<std::vector<double>> coordinates;
  Rng rng(3);
  for (int k = 0; k < 2; k++) {
    Var direction = rng.normal({table.size(1), 1}, 1);
    for (int step = 0; step < 200; step++) {
      direction = matmul(transpose(centred), matmul(centred, direction));
      direction = direction / sqrt(sum(direction * direction));
    }
    Var along = matmul(centred, direction);  // (V, 1)
    std::vector<real> values = along.value().to_vector();
    coordinates.emplace_back(values.begin(), values.end());
    centred = centred - matmul(along, transpose(direction));
  }
  return coordinates;
}

void draw(const Words& words, const Tensor& table) {
  std::vector<std::vector<double>> at = two_directions(table);
  std::map<std::string, Series> kinds;
  for (std::size_t i = 0; i < words.names.size(); i++) {
    Series& series = kinds.emplace(words.kinds[i], Series{words.kinds[i], {}, {}}).first->second;
    series.x.push_back(at[0][i]), series.y.push_back(at[1][i]);
    series.labels.push_back(words.names[i]);
  }
  ScatterChart chart{.title = "Word vectors along the two directions in which they differ most"};
  for (const auto& [name, series] : kinds) chart.series.push_back(series);
  tutorial::figure("words", scatter_chart(chart));
}

void one_hot_is_lookup() {
  Rng rng(4);
  Tensor table = rng.normal({5, 3}, 1);
  std::vector<int> ids{3, 1, 3};
  // [one-hot]
  Tensor one_hot({3, 5}, 0);
  for (int i = 0; i < 3; i++) one_hot.mut()[i * 5 + ids[static_cast<std::size_t>(i)]] = 1;
  Var product = matmul(one_hot, table);              // (N, V) (V, D) -> (N, D)
  Var lookup = embedding(Var(table), ids, {3}, -1);  // row ids[i] of the table
  // [/one-hot]
  Var difference = product - lookup;
  tutorial::claim(sum(difference * difference).item() == 0, "a one-hot vector times the table is a row of it");
  Var parameter = Var::parameter(table);
  sum(embedding(parameter, ids, {3}, -1)).backward();
  tutorial::claim(
      parameter.grad().at({3, 0}) == 2 && parameter.grad().at({1, 0}) == 1 && parameter.grad().at({0, 0}) == 0,
      "a row that is read twice gets two gradients, one that is not read none");
}

}  // namespace

int main(int count, char** words) {
  return tutorial::chapter(count, words, [] {
    show_sets();
    one_hot_is_lookup();
    Words corpus;
    auto size = static_cast<Size>(corpus.names.size());
    Tensor one_hot({size, size}, 0);
    for (Size i = 0; i < size; i++) one_hot.mut()[i * size + i] = 1;
    tutorial::number("vocabulary", static_cast<double>(size));
    tutorial::number("one-hot", purity(corpus, one_hot), 1);
    Tensor table = train(corpus);
    tutorial::number("learned", purity(corpus, table), 1, 6);
    draw(corpus, table);
  });
}

#include "tutorials/train.hpp"

#include <algorithm>
#include <sstream>

namespace heed::tutorial {

double fit(const std::vector<Parameter>& parameters, const Fit& how, const std::function<Var(Size step)>& loss) {
  AdamW optimizer(parameters, {.beta2 = 0.99, .weight_decay = 0.01});
  double sum = 0;
  Size last = std::max<Size>(1, how.steps / 10);
  for (Size step = 0; step < how.steps; step++) {
    Var error = loss(step);
    error.backward();
    clip_gradients(parameters, how.clip);
    optimizer.lr = warmup_cosine(step, {.base = how.lr, .warmup = how.steps / 20, .total = how.steps, .floor = 0.01});
    optimizer.step();
    if (step >= how.steps - last) sum += static_cast<double>(error.item()) / static_cast<double>(last);
  }
  return sum;
}

namespace {
std::vector<Sentence> sentences(Language language, std::size_t count, std::size_t max_list, std::uint64_t seed,
                                const std::vector<Sentence>& avoid = {}) {
  Rng rng(seed);
  Below below = [&](std::size_t n) { return static_cast<std::size_t>(rng.below(static_cast<Size>(n))); };
  return toy_corpus(language, count, below, {.max_list = max_list}, avoid);
}
}  // namespace

Corpus::Corpus(std::size_t max_list, Language language, std::size_t count)
    : test_text(sentences(language, 1000, max_list, 3)),
      train_text(sentences(language, count, max_list, 2, test_text)),
      lexicon(train_text),
      train(lexicon, train_text),
      test(lexicon, test_text) {}

double train(const TagModel& tagger, const std::vector<Parameter>& parameters, const Corpus& corpus, int rounds,
             double lr) {
  Rng order(1);
  std::vector<Group> groups;
  for (int round = 0; round < rounds; round++)
    for (Group& group : corpus.train.batches(400, &order)) groups.push_back(std::move(group));
  return fit(parameters, {.steps = static_cast<Size>(groups.size()), .lr = lr}, [&](Size step) {
    Batch batch = corpus.train.batch(groups[static_cast<std::size_t>(step)]);
    return cross_entropy(tagger(batch), batch.tags);
  });
}

namespace {
// The class with the greatest score in each row.
std::vector<int> best(const Tensor& scores) {
  std::vector<real> s = scores.to_vector();
  std::vector<int> ids;
  for (auto row = s.begin(); row != s.end(); row += scores.size(-1))
    ids.push_back(static_cast<int>(std::max_element(row, row + scores.size(-1)) - row));
  return ids;
}
}  // namespace

Accuracy accuracy(const TagModel& tagger, const Corpus& corpus) {
  Eval eval;
  std::vector<int> ambiguous;
  for (const std::string& word : toy_ambiguous(Language::english)) ambiguous.push_back(corpus.lexicon.words.id(word));
  for (const std::string& word : toy_ambiguous(Language::chinese)) ambiguous.push_back(corpus.lexicon.words.id(word));
  struct Count {
    double right = 0, all = 0;
    void add(bool hit) { right += hit, all++; }
    double percent() const { return all > 0 ? 100 * right / all : 0; }
  } all, phrases, lists;
  for (const Group& group : corpus.test.batches(4000)) {
    Batch batch = corpus.test.batch(group);
    std::vector<int> found = best(tagger(batch).value());
    for (std::size_t i = 0; i < found.size(); i++) {
      if (batch.tags[i] < 0) continue;
      std::size_t first = i / static_cast<std::size_t>(batch.length) * static_cast<std::size_t>(batch.length);
      const std::string& second = corpus.lexicon.words.entries()[static_cast<std::size_t>(batch.words[first + 1])];
      all.add(found[i] == batch.tags[i]);
      if (batch.words[i] > 1 && std::count(ambiguous.begin(), ambiguous.end(), batch.words[i]))
        (second == ":" || second == "：" ? lists : phrases).add(found[i] == batch.tags[i]);
    }
  }
  return {all.percent(), phrases.percent(), lists.percent()};
}

std::vector<std::string> tag(const TagModel& tagger, const Corpus& corpus, const std::string& text) {
  Eval eval;
  std::istringstream in(text);
  std::vector<std::string> words, names;
  for (std::string word; in >> word;) words.push_back(word);
  Dataset data(corpus.lexicon, {make_sentence(words)});
  for (int id : best(tagger(data.batch({0})).value()))
    names.push_back(corpus.lexicon.tags.entries()[static_cast<std::size_t>(id)]);
  return names;
}

}  // namespace heed::tutorial

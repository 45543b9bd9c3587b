// The claims of the ladder, in a small form: what each kind of model can learn and what it cannot.
#include <algorithm>

#include "tests/models/pos.hpp"

using namespace heed;
using namespace heed::testing;

namespace {

// Accuracy on the words that are noun or verb, where the word before decides and where only the first word does.
struct Outcome {
  Score phrases, lists;
};

Outcome outcome(Rung rung, int window = 1, Size epochs = 4) {
  ToyOptions lists{.max_list = 6, .list_percent = 40};
  static const std::vector<Sentence> test = corpus(300, 1, lists), data = corpus(2500, 2, lists, test);
  TaggerOptions options{
      .rung = rung, .dim = 32, .hidden = 64, .window = window, .dropout = 0, .attention_dropout = 0, .word_dropout = 0};
  PosModel model(Lexicon(data), options, 1);
  Dataset set(model.lexicon, data);
  TaggerTrainer trainer(model, set,
                        {.epochs = epochs, .batch_tokens = 200, .lr = 5e-3, .average = 0.99, .label_smoothing = 0});
  train(trainer);
  trainer.swap_average();
  std::vector<std::vector<std::string>> tags = predict(model, test);
  Outcome out;
  const std::vector<std::string>& ambiguous = toy_ambiguous(Language::english);
  for (std::size_t n = 0; n < test.size(); n++)
    for (std::size_t i = 0; i < test[n].size(); i++)
      if (std::find(ambiguous.begin(), ambiguous.end(), test[n].form(i)) != ambiguous.end())
        (test[n].form(1) == ":" ? out.lists : out.phrases).add(test[n].upos(i) == tags[n][i]);
  return out;
}

}  // namespace

TEST_CASE("ladder: each word alone cannot tell a noun from a verb") {
  Outcome word = outcome(Rung::word);
  CHECK(word.phrases.percent() < 80);
  CHECK(word.lists.percent() < 70);
}

TEST_CASE("ladder: a window of one mends phrases, not lists") {
  Outcome window = outcome(Rung::window);
  CHECK(window.phrases.percent() > 99);
  CHECK(window.lists.percent() < 85);
}

TEST_CASE("ladder: attention without positions mends lists, not phrases") {
  Outcome attention = outcome(Rung::attention);
  CHECK(attention.lists.percent() > 99);
  CHECK(attention.phrases.percent() < 90);
}

TEST_CASE("ladder: attention with positions mends both") {
  for (Rung rung : {Rung::positions, Rung::multihead, Rung::encoder}) {
    CAPTURE(static_cast<int>(rung));
    Outcome both = outcome(rung, 1, rung == Rung::encoder ? 12 : 16);
    CHECK(both.phrases.percent() > 97);
    CHECK(both.lists.percent() > 99);
    CHECK(both.phrases.right + both.lists.right > 0.99 * static_cast<double>(both.phrases.all + both.lists.all));
  }
}

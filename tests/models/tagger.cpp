// The tagger, every rung: shapes, padding, dropout.
#include <algorithm>

#include "tests/models/pos.hpp"

using namespace heed;
using namespace heed::testing;

TEST_CASE("tagger, fault 39: a batch of one sentence of one word") {
  for (Rung rung : all_rungs) {
    CAPTURE(static_cast<int>(rung));
    PosModel model(Lexicon(rich_corpus(30, 1)), small(rung), 1);
    Dataset one(model.lexicon, {sentence("saw_VERB")}), two(model.lexicon, {sentence("saw_VERB"), sentence("I_PRON")}),
        three(model.lexicon, {sentence("I_PRON saw_VERB ._PUNCT")});
    Size tags = model.lexicon.tags.size();
    for (auto [data, shape] :
         {std::pair(&one, Shape{1, 1, tags}), {&two, Shape{2, 1, tags}}, {&three, Shape{1, 3, tags}}}) {
      Batch batch = data->batch(data->batches(100)[0]);
      TagScores scores = model.tagger(batch);
      CHECK(scores.tags.shape() == shape);
      CHECK(all_finite(scores.tags.value()));
      cross_entropy(scores.tags, batch.tags).backward();
      for (const Parameter& p : model.tagger.parameters())
        if (p.var.grad().defined()) {
          CAPTURE(p.name);
          CHECK(p.var.grad().shape() == p.var.shape());
          CHECK(all_finite(p.var.grad()));
          Var(p.var).grad() = {};
        }
    }
  }
}

TEST_CASE("tagger, fault 47: a sentence scores the same alone and in a padded batch") {
  std::vector<Sentence> sentences{sentence("I saw a saw ."), long_sentence(30), sentence("saw"),
                                  sentence("unheard-of WORDS ,")};
  for (Rung rung : all_rungs) {
    CAPTURE(static_cast<int>(rung));
    PosModel model(Lexicon(corpus(100, 1)), small(rung), 1);
    std::vector<Tensor> together = scores(model, sentences);
    for (std::size_t i = 0; i < sentences.size(); i++)
      CHECK(close(together[i], scores(model, {sentences[i]})[0], 1e-5));
  }
}

TEST_CASE("tagger: order and neighbours matter to the rungs that see them") {
  // The same three words in two orders; the scores of the word in the middle.
  auto middle = [](Rung rung, const std::string& text) {
    PosModel model(Lexicon(corpus(100, 1)), small(rung), 1);
    return scores(model, {sentence(text)})[0].slice(1, 1, 2);
  };
  auto moved = [&](Rung rung) { return !close(middle(rung, "the saw ."), middle(rung, ". saw the"), 1e-4).ok; };
  auto sees = [&](Rung rung) { return !close(middle(rung, "the saw ."), middle(rung, "I saw ."), 1e-4).ok; };
  CHECK_FALSE(sees(Rung::word));
  CHECK_FALSE(moved(Rung::attention));
  CHECK(sees(Rung::attention));
  for (Rung rung : {Rung::window, Rung::positions, Rung::multihead, Rung::encoder, Rung::strong}) {
    CAPTURE(static_cast<int>(rung));
    CHECK(moved(rung));
    CHECK(sees(rung));
  }
}

TEST_CASE("tagger, fault 63: dropout is off in evaluation, on in training, each kind of it") {
  std::vector<Sentence> data = corpus(40, 1);
  TaggerOptions none = small(Rung::strong);
  none.dropout = none.attention_dropout = none.input_dropout = none.feature_dropout = none.vector_dropout =
      none.word_dropout = 0;
  PosModel plain(Lexicon(data), none, 1);
  Dataset set(plain.lexicon, data);
  Batch batch = set.batch(set.batches(200)[0]);
  Tensor expected = plain.tagger(batch).tags.value();
  for (double TaggerOptions::*kind :
       {&TaggerOptions::dropout, &TaggerOptions::attention_dropout, &TaggerOptions::input_dropout,
        &TaggerOptions::feature_dropout, &TaggerOptions::vector_dropout, &TaggerOptions::word_dropout}) {
    TaggerOptions options = none;
    options.*kind = 0.5;
    PosModel model(Lexicon(data), options, 1);  // the same weights: dropout draws nothing before the first batch
    Tensor first = model.tagger(batch).tags.value(), second = model.tagger(batch).tags.value();
    CHECK_FALSE(same_bits(first, second));
    CHECK_FALSE(same_bits(first, expected));
    Eval eval;
    CHECK(same_bits(model.tagger(batch).tags.value(), expected));
    CHECK(same_bits(model.tagger(batch).tags.value(), expected));
  }
}

TEST_CASE("tagger, fault 97: hiding words trains the vector of the unknown word, never that of padding") {
  std::vector<Sentence> data = corpus(40, 1);
  for (Rung rung : {Rung::encoder, Rung::strong}) {
    TaggerOptions options = small(rung);
    options.word_dropout = 10;
    PosModel model(Lexicon(data), options, 1);
    Dataset set(model.lexicon, data);
    Batch batch = set.batch(set.batches(200)[0]);
    cross_entropy(model.tagger(batch).tags, batch.tags).backward();
    Tensor gradient = model.tagger.words.words.table.grad();
    auto largest = [&](int row) {
      std::vector<real> values = gradient.slice(0, row, row + 1).to_vector();
      return *std::max_element(values.begin(), values.end());
    };
    CHECK(largest(model.lexicon.words.unknown()) > 0);
    CHECK(largest(model.lexicon.words.pad()) == 0);
  }
}

TEST_CASE("tagger: XPOS and FEATS are scored in training only, by the strong rung, when there are any") {
  std::vector<Sentence> plain = corpus(40, 1), rich = rich_corpus(40, 1);
  auto parts = [](const std::vector<Sentence>& data, Rung rung) {
    PosModel model(Lexicon(data), small(rung), 1);
    Dataset set(model.lexicon, data);
    TagScores scores = model.tagger(set.batch({0}));
    return int(scores.xpos.defined()) + int(scores.feats.defined());
  };
  CHECK(parts(plain, Rung::strong) == 0);
  CHECK(parts(rich, Rung::encoder) == 0);
  CHECK(parts(rich, Rung::strong) == 2);
  Eval eval;
  CHECK(parts(rich, Rung::strong) == 0);
}

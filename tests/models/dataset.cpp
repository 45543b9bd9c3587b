// Sentences as pieces and batches.
#include <algorithm>
#include <numeric>

#include "tests/models/pos.hpp"

using namespace heed;
using namespace heed::testing;

namespace {

const std::vector<Sentence>& mixed() {
  static const std::vector<Sentence> all = [] {
    std::vector<Sentence> sentences = corpus(200, 1);
    for (std::size_t length : std::vector<std::size_t>{1, 255, 256, 257, 448, 449, 1000, 20000})
      sentences.push_back(long_sentence(length));
    return sentences;
  }();
  return all;
}

}  // namespace

TEST_CASE("dataset: pieces keep each word once, with its neighbours around it") {
  Lexicon lexicon(mixed());
  Dataset data(lexicon, mixed());
  std::vector<std::size_t> next(mixed().size(), 0);
  for (const Piece& piece : data.pieces()) {
    std::size_t length = mixed()[piece.sentence].size();
    CHECK(piece.keep_begin == next[piece.sentence]);  // in order, without gaps
    CHECK(piece.keep_end > piece.keep_begin);
    next[piece.sentence] = piece.keep_end;
    CHECK(piece.size() <= Dataset::max_piece + Dataset::margin);
    CHECK(piece.begin == piece.keep_begin - std::min(piece.keep_begin, Dataset::margin));
    CHECK(piece.end == std::min(length, piece.keep_end + (piece.keep_end == length ? 0 : Dataset::margin)));
    if (length <= Dataset::max_piece) CHECK(piece.size() == length);
  }
  std::size_t words = 0;
  for (std::size_t i = 0; i < mixed().size(); i++) {
    CHECK(next[i] == mixed()[i].size());
    words += mixed()[i].size();
  }
  CHECK(data.words() == words);
  CHECK(data.gold_words() == words);
}

TEST_CASE("dataset, fault 95: batches hold each piece once and keep to their limit, padding included") {
  Lexicon lexicon(mixed());
  Dataset data(lexicon, mixed());
  for (std::size_t limit : std::vector<std::size_t>{1, 40, 500, 4096}) {
    Rng rng(limit);
    for (Rng* shuffle : {static_cast<Rng*>(nullptr), &rng}) {
      std::vector<std::size_t> seen(data.pieces().size(), 0);
      for (const auto& group : data.batches(limit, shuffle)) {
        REQUIRE(!group.empty());
        std::size_t longest = 0;
        for (std::size_t piece : group) {
          longest = std::max(longest, data.pieces()[piece].size());
          seen[piece]++;
        }
        CHECK((group.size() == 1 || group.size() * longest <= limit));
      }
      CHECK(std::all_of(seen.begin(), seen.end(), [](std::size_t times) { return times == 1; }));
    }
  }
}

TEST_CASE("dataset: the order is that of the generator") {
  Lexicon lexicon(corpus(100, 1));
  Dataset data(lexicon, corpus(100, 1));
  Rng one(1), again(1), two(2);
  auto first = data.batches(60, &one);
  CHECK(first == data.batches(60, &again));
  CHECK(first != data.batches(60, &two));
  CHECK(first != data.batches(60, &one));
  CHECK(data.batches(60) == data.batches(60));
}

TEST_CASE("dataset, fault 95: one long sentence among short ones costs what it costs alone") {
  std::vector<Sentence> sentences{long_sentence(1185)};
  for (int i = 0; i < 49; i++) sentences.push_back(sentence("I_PRON saw_VERB it_PRON ._PUNCT"));
  Lexicon lexicon(sentences);
  auto greatest = [&](const std::vector<Sentence>& list) {  // cells of attention scores in one batch
    Dataset data(lexicon, list);
    Size most = 0;
    for (const auto& group : data.batches(4096)) {
      Batch batch = data.batch(group);
      most = std::max(most, batch.batch * batch.length * batch.length);
    }
    return most;
  };
  CHECK(greatest(sentences) == greatest({sentences[0]}));
  CHECK(greatest(sentences) < 1185 * 1185);
}

TEST_CASE("dataset: a batch, field by field") {
  std::vector<Sentence> sentences{sentence("the_DET The_DET dog"), sentence("cat_NOUN")};
  Lexicon lexicon(sentences, {.min_word = 1, .min_char = 1, .min_affix = 1, .min_shape = 1});
  Batch b = Dataset(lexicon, sentences).batch({1, 0});
  CHECK(b.batch == 2);
  CHECK(b.length == 3);
  std::vector<bool> padding;
  for (Size i = 0; i < 6; i++) padding.push_back(b.padding[i]);
  CHECK(padding == std::vector<bool>{true, false, false, true, true, true});
  int cat = lexicon.features("cat").word, the = lexicon.features("the").word, dog = lexicon.features("dog").word;
  CHECK(b.words == std::vector<int>{cat, 0, 0, the, the, dog});
  int noun = lexicon.tag("NOUN"), det = lexicon.tag("DET");
  CHECK(b.tags == std::vector<int>{noun, -1, -1, det, det, -1});
  CHECK(b.xpos == std::vector<int>(6, -1));
  CHECK(b.counts == std::vector<std::size_t>{1, 0, 0, 2, 2, 1});
  CHECK(b.form == std::vector<int>{1, 0, 0, 2, 3, 4});  // The is a form of its own
  CHECK(b.forms == 5);
  CHECK(b.letters == 5);  // three characters and two marks
  CHECK(b.letter_padding.count() == 4 * 5);
  CHECK(b.shapes[2] == lexicon.features("the").shape);
  CHECK(b.shapes[3] == lexicon.features("The").shape);
  CHECK(b.affixes.size() == 5 * 7);
  std::vector<int> chars(b.chars.begin() + 5, b.chars.begin() + 10);
  CHECK(chars == lexicon.features("cat").chars);
}

TEST_CASE("dataset: context at the margins of a piece is not trained on") {
  Lexicon lexicon({long_sentence(1000)});
  Dataset data(lexicon, {long_sentence(1000)});
  Size targets = 0, cells = 0;
  for (std::size_t i = 0; i < data.pieces().size(); i++) {
    Batch b = data.batch({i});
    targets += std::count_if(b.tags.begin(), b.tags.end(), [](int tag) { return tag >= 0; });
    cells += b.length;
  }
  CHECK(targets == 1000);
  CHECK(cells > 1000);
}

TEST_CASE("dataset: no sentences") {
  Lexicon lexicon(corpus(5, 1));
  Dataset data(lexicon, {});
  CHECK(data.batches(100).empty());
  CHECK(data.words() == 0);
}

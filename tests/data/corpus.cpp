// Tests of models/data/corpus.hpp: what a tagger can reach with the word, its neighbours, the bag, and all of them.
#include "models/data/corpus.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <sstream>

#include "models/data/vocabulary.hpp"

using namespace heed;

namespace {

std::vector<Sentence> corpus(Language language, std::size_t count, std::uint64_t seed, const ToyOptions& options = {},
                             const std::vector<Sentence>& avoid = {}) {
  std::mt19937_64 engine(seed);
  return toy_corpus(
      language, count, [&engine](std::size_t n) { return static_cast<std::size_t>(engine() % n); }, options, avoid);
}

bool is_list(const Sentence& sentence) {
  const std::string_view colon = sentence.form(1);
  return colon == ":" || colon == "：";
}

bool is_ambiguous(Language language, std::string_view word) {
  const auto& words = toy_ambiguous(language);
  return std::find(words.begin(), words.end(), word) != words.end();
}

/// The best that a tagger can do which sees only `view` of a word: the share of the most frequent tag of each view.
template <class View, class Counted>
double ceiling(const std::vector<Sentence>& sentences, const View& view, const Counted& counted) {
  std::map<std::string, std::map<std::string_view, int>> seen;
  for (const Sentence& sentence : sentences)
    for (std::size_t i = 0; i < sentence.size(); ++i)
      if (counted(sentence, i)) ++seen[view(sentence, i)][sentence.upos(i)];
  int right = 0, total = 0;
  for (const auto& [key, tags] : seen) {
    int best = 0;
    for (const auto& [tag, count] : tags) {
      best = std::max(best, count);
      total += count;
    }
    right += best;
  }
  return right / static_cast<double>(total);
}

/// The best in phrases without order: words that are noun or verb can change places, so each is the verb as likely as
/// the others that could be it.
double bag_ceiling(Language language, const std::vector<Sentence>& sentences) {
  double right = 0, total = 0;
  for (const Sentence& sentence : sentences) {
    if (is_list(sentence)) continue;
    const bool agrees = language == Language::english && sentence.upos(0) == "DET";
    int all = 0, candidates = 0;
    bool verb = false;
    for (std::size_t i = 0; i < sentence.size(); ++i) {
      if (!is_ambiguous(language, sentence.form(i))) continue;
      ++all;
      verb |= sentence.upos(i) == "VERB";
      const auto& words = toy_ambiguous(language);
      candidates += !agrees || std::find(words.begin(), words.begin() + 5, sentence.form(i)) != words.begin() + 5;
    }
    total += all;
    right += !verb || candidates == 1 ? all : all - 1;
  }
  return right / total;
}

double words_per_sentence(const std::vector<Sentence>& sentences) {
  std::size_t words = 0;
  for (const Sentence& sentence : sentences) words += sentence.size();
  return static_cast<double>(words) / static_cast<double>(sentences.size());
}

std::string word(const Sentence& sentence, std::size_t i) { return std::string(sentence.form(i)); }

std::string window(const Sentence& sentence, std::size_t i) {
  return (i > 0 ? word(sentence, i - 1) : "") + ' ' + word(sentence, i) + ' ' +
         (i + 1 < sentence.size() ? word(sentence, i + 1) : "");
}

std::string text(const Sentence& sentence) {
  std::string result;
  for (std::size_t i = 0; i < sentence.size(); ++i) result += word(sentence, i) + ' ';
  return result;
}

std::string tags(const Sentence& sentence) {
  std::string result;
  for (std::size_t i = 0; i < sentence.size(); ++i) result.append(sentence.upos(i)) += ' ';
  return result;
}

constexpr Language languages[] = {Language::english, Language::chinese};

}  // namespace

TEST_CASE("corpus: with the whole sentence every tag is known") {
  // The rule of the grammar, stated a second time and without it: plain words have one tag; in a list the head decides,
  // in phrases the tag of the word before.
  for (Language language : languages) {
    const auto sentences = corpus(language, 20000, 1, {.max_list = 40, .list_percent = 25});
    std::map<std::string, std::set<std::string>> plain;
    for (const Sentence& sentence : sentences)
      for (std::size_t i = 0; i < sentence.size(); ++i) {
        const std::string form = word(sentence, i);
        if (!is_ambiguous(language, form)) {
          plain[form].emplace(sentence.upos(i));
          continue;
        }
        const std::string head = word(sentence, 0);
        const bool noun = is_list(sentence) ? head == "Nouns" || head == "名词"
                                            : sentence.upos(i - 1) == "DET" || sentence.upos(i - 1) == "ADJ";
        CHECK(sentence.upos(i) == (noun ? "NOUN" : "VERB"));
      }
    for (const auto& [form, found] : plain) CHECK(found.size() == 1);
    CHECK(count_tags(sentences).size() == 8);
    CHECK(toy_ambiguous(language).size() == 15);
    CHECK(count_forms(sentences).size() == plain.size() + 15);
  }
}

TEST_CASE("corpus: the word alone, its neighbours and the bag of words do not suffice") {
  for (Language language : languages) {
    const auto sentences = corpus(language, 20000, 2);
    const auto all = [](const Sentence&, std::size_t) { return true; };
    const auto in_phrase = [&](const Sentence& s, std::size_t i) {
      return !is_list(s) && is_ambiguous(language, s.form(i));
    };
    const auto in_list = [&](const Sentence& s, std::size_t i) {
      return is_list(s) && is_ambiguous(language, s.form(i));
    };
    const double alone = ceiling(sentences, word, all), alone_phrase = ceiling(sentences, word, in_phrase),
                 alone_list = ceiling(sentences, word, in_list), near = ceiling(sentences, window, all),
                 near_phrase = ceiling(sentences, window, in_phrase), near_list = ceiling(sentences, window, in_list),
                 bag = bag_ceiling(language, sentences);
    // Measured: English 0.854 and Chinese 0.846 with the word alone, 0.908 with a neighbour each side. On words that
    // are noun or verb, in phrases: word alone 0.61 and 0.56, neighbours 1, bag of words 0.76 and 0.70; in lists half.
    CAPTURE(alone);
    CHECK(alone > 0.83);
    CHECK(alone < 0.87);
    CHECK(alone_phrase < 0.63);
    CHECK(alone_list < 0.53);
    CHECK(near > 0.90);
    CHECK(near < 0.92);
    CHECK(near_phrase == 1);
    CHECK(near_list < 0.53);
    CHECK(bag < 0.78);
    CHECK(words_per_sentence(sentences) == doctest::Approx(9.3).epsilon(0.02));
  }
}

TEST_CASE("corpus: the same bag of words with other tags, and the same word with both") {
  for (Language language : languages) {
    const auto sentences = corpus(language, 20000, 3, {.max_list = 12, .list_percent = 0});
    std::map<std::multiset<std::string>, std::set<std::multiset<std::string>>> tagged_words;
    int twice = 0;
    for (const Sentence& sentence : sentences) {
      std::multiset<std::string> bag, tagged;
      std::map<std::string, std::set<std::string>> tags_of;
      for (std::size_t i = 0; i < sentence.size(); ++i) {
        bag.insert(word(sentence, i));
        tagged.insert(word(sentence, i) + '/' + std::string(sentence.upos(i)));
        tags_of[word(sentence, i)].emplace(sentence.upos(i));
      }
      tagged_words[bag].insert(tagged);
      twice += std::any_of(tags_of.begin(), tags_of.end(), [](const auto& entry) { return entry.second.size() > 1; });
    }
    const auto pairs = std::count_if(tagged_words.begin(), tagged_words.end(),
                                     [](const auto& entry) { return entry.second.size() > 1; });
    CHECK(pairs > 100);
    CHECK(twice > 400);
  }
}

TEST_CASE("corpus: \"I saw a saw .\" and its twin are in it") {
  const std::pair<Language, std::pair<std::string, std::string>> wanted[] = {
      {Language::english, {"I saw a saw . ", "PRON VERB DET NOUN PUNCT "}},
      {Language::chinese, {"我 锯 这个 锯 。 ", "PRON VERB DET NOUN PUNCT "}}};
  for (const auto& [language, expected] : wanted) {
    bool found = false;
    for (std::uint64_t seed = 0; seed < 20 && !found; ++seed)
      for (const Sentence& sentence : corpus(language, 50000, seed, {.max_list = 12, .list_percent = 0}))
        if (text(sentence) == expected.first) {
          found = true;
          CHECK(tags(sentence) == expected.second);
        }
    CHECK(found);
  }
}

TEST_CASE("corpus: English verbs agree with their subject") {
  // `the duck saw`, but not `the duck walk`.
  const auto& both = toy_ambiguous(Language::english);
  const std::set<std::string_view> base(both.begin() + 5, both.end());
  for (const Sentence& sentence : corpus(Language::english, 2000, 11, {.max_list = 12, .list_percent = 0}))
    for (std::size_t i = 0; i < sentence.size() && sentence.upos(0) == "DET"; ++i)
      CHECK_FALSE((sentence.upos(i) == "VERB" && base.contains(sentence.form(i))));
}

TEST_CASE("corpus: the options hold") {
  for (Language language : languages) {
    const std::size_t colon_and_ends = 2;
    std::size_t lists = 0, longest = 0;
    for (const Sentence& sentence : corpus(language, 4000, 5)) {
      if (!is_list(sentence)) continue;
      ++lists;
      longest = std::max(longest, (sentence.size() - colon_and_ends) / 2);
    }
    CHECK(longest == 12);
    CHECK(lists > 900);
    CHECK(lists < 1100);
    for (const Sentence& sentence : corpus(language, 200, 5, {.max_list = 2, .list_percent = 100}))
      CHECK(sentence.size() == 6);
  }
  CHECK_THROWS_AS(corpus(Language::english, 1, 1, {.max_list = 1, .list_percent = 25}), Error);
  CHECK_THROWS_AS(corpus(Language::english, 1, 1, {.max_list = 12, .list_percent = 101}), Error);
}

TEST_CASE("corpus: the seed decides, and nothing to avoid is made") {
  for (Language language : languages) {
    const auto test = corpus(language, 1000, 6), again = corpus(language, 1000, 6);
    const auto train = corpus(language, 4000, 7, {}, test);
    std::set<std::string> seen;
    for (std::size_t i = 0; i < test.size(); ++i) {
      CHECK(test[i].lines() == again[i].lines());
      seen.insert(text(test[i]));
    }
    CHECK(train.size() == 4000);
    for (const Sentence& sentence : train) CHECK_FALSE(seen.contains(text(sentence)));
  }
  // Every list of two is to be avoided: an error, and no endless search.
  const ToyOptions few{.max_list = 2, .list_percent = 100};
  const auto all = corpus(Language::english, 20000, 8, few);
  CHECK_THROWS_AS(corpus(Language::english, 1, 9, few, all), Error);
}

TEST_CASE("corpus: it is written and read as any other") {
  const auto sentences = corpus(Language::chinese, 50, 10);
  std::stringstream file;
  write_conllu(file, sentences);
  const auto again = read_conllu(file, "file");
  REQUIRE(again.size() == sentences.size());
  for (std::size_t i = 0; i < again.size(); ++i) CHECK(again[i].lines() == sentences[i].lines());
}

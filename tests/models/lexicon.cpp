// What the tagger reads of words.
#include "tests/models/pos.hpp"

using namespace heed;
using namespace heed::testing;

namespace {

constexpr LexiconOptions everything{.min_word = 1, .min_char = 1, .min_affix = 1, .min_shape = 1, .min_label = 1};

Lexicon of_words(const std::string& words, const LexiconOptions& options = everything) {
  return Lexicon({sentence(words + " end_X")}, options);
}

std::string shape(const Lexicon& lexicon, const std::string& form) {
  return lexicon.shapes.text(lexicon.features(form).shape);
}

std::vector<std::string> affixes(const Lexicon& lexicon, const std::string& form) {
  FormFeatures features = lexicon.features(form);
  std::vector<std::string> out;
  for (std::size_t i = 0; i < features.affixes.size(); i++) out.push_back(lexicon.affixes[i].text(features.affixes[i]));
  return out;
}

}  // namespace

TEST_CASE("lexicon: shapes") {
  for (auto [form, expected] : std::map<std::string, std::string>{{"London", "Ul"},
                                                                  {"NATO", "UU"},
                                                                  {"I", "U"},
                                                                  {"iPhone", "lUl"},
                                                                  {"1993", "dd"},
                                                                  {"U.S.", "UUp"},
                                                                  {"B-52s", "Uldp"},
                                                                  {"...", "pp"},
                                                                  {"-", "p"},
                                                                  {"été", "ll"},
                                                                  {"Été", "Ul"},
                                                                  {"北京", "ll"},
                                                                  {"٣٤", "dd"}})
    CHECK(shape(of_words(form), form) == expected);
  CHECK(shape(of_words("word"), "NATO") == "<unk>");
}

TEST_CASE("lexicon: affixes of characters, not bytes; in lower case, digits as 0; empty when the word is short") {
  using Texts = std::vector<std::string>;
  CHECK(affixes(of_words("Running"), "RUNNING") == Texts{"r", "ru", "run", "g", "ng", "ing", "ning"});
  CHECK(affixes(of_words("Été7"), "Été7") == Texts{"é", "ét", "été", "0", "é0", "té0", "été0"});
  CHECK(affixes(of_words("go"), "go") == Texts{"g", "go", "", "o", "go", "", ""});
  CHECK(affixes(of_words("word"), "zzz") == Texts{"<unk>", "<unk>", "<unk>", "<unk>", "<unk>", "<unk>", ""});
  CHECK(normalized("Ab-1993") == "ab-0000");
}

TEST_CASE("lexicon, fault 97: words in any case are one word, and digits are alike") {
  Lexicon lexicon = of_words("the the 1993");
  int the = lexicon.features("the").word;
  CHECK(the > lexicon.words.unknown());
  CHECK(lexicon.features("The").word == the);
  CHECK(lexicon.features("THE").word == the);
  CHECK(lexicon.features("THE").count == 2);
  CHECK(lexicon.features("2024").word == lexicon.features("1993").word);
  CHECK(lexicon.knows("tHe"));
  CHECK_FALSE(lexicon.knows("then"));
  CHECK(lexicon.features("then").word == lexicon.words.unknown());
  CHECK(lexicon.features("then").count == 0);
}

TEST_CASE("lexicon: rare words have no vector of their own, but are known") {
  Lexicon lexicon = of_words("often often once", {});
  CHECK(lexicon.features("often").word == lexicon.words.unknown() + 1);
  CHECK(lexicon.features("once").word == lexicon.words.unknown());
  CHECK(lexicon.features("once").count == 1);
  CHECK(lexicon.knows("once"));
  CHECK(lexicon.frequent == lexicon.words.unknown() + 2);
}

TEST_CASE("lexicon: characters, with a mark at each end; the middle of long words is left out") {
  Lexicon lexicon = of_words("ab <w> <pad> <unk>");
  std::vector<int> ab = lexicon.features("ab").chars;
  REQUIRE(ab.size() == 4);
  CHECK(lexicon.chars.text(ab[0]) == "<w>");
  CHECK(lexicon.chars.text(ab[1]) == "a");
  CHECK(lexicon.chars.text(ab[3]) == "</w>");
  CHECK(lexicon.features("<w>").chars.size() == 5);  // three characters, no mark
  CHECK(lexicon.features("<pad>").word > lexicon.words.unknown());
  CHECK(lexicon.features("<unk>").word > lexicon.words.unknown());
  CHECK(lexicon.features(std::string(100000, 'a') + "b").chars.size() == Lexicon::max_chars + 2);
  CHECK(lexicon.features(std::string(20, 'a')).chars.size() == 22);
  CHECK(lexicon.features("a" + std::string(19, 'x') + "b").chars ==
        lexicon.features("a" + std::string(500, 'x') + "b").chars);
  CHECK(lexicon.features("aß").chars[2] == lexicon.chars.unknown());
}

TEST_CASE("lexicon, fault 91: _ and tags never seen have no number") {
  Lexicon lexicon({sentence("a_DET b c_NOUN")});
  CHECK(lexicon.tags.size() == 2);
  CHECK(lexicon.tag("_") == -1);
  CHECK(lexicon.tag("VERB") == -1);
  CHECK(lexicon.tag("DET") >= 0);
  CHECK_THROWS_AS(Lexicon({sentence("a b")}), Error);
  CHECK_THROWS_AS(Lexicon(std::vector<Sentence>{}), Error);
}

TEST_CASE("lexicon: XPOS and FEATS are learned when there are any") {
  CHECK(Lexicon(corpus(50, 1)).xpos.size() <= 1);
  CHECK(Lexicon(corpus(50, 1)).feats.size() <= 1);
  Lexicon rich(rich_corpus(50, 1));
  CHECK(rich.xpos.size() > 2);
  CHECK(rich.feats.size() > 1);
  CHECK(rich.xpos.text(rich.xpos.id("XN")) == "XN");
}

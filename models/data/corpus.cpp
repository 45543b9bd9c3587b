#include "models/data/corpus.hpp"

#include <set>

#include "tensor/error.hpp"

namespace heed {
namespace {

using Words = std::vector<std::string>;

struct Lexicon {
  Words both;            // noun or verb
  std::size_t agreeing;  // so many of them are verbs that can follow a noun: `the duck saw`, but not `the duck walk`
  Words nouns, verbs, subjects, objects, determiners, adjectives, adverbs, adpositions;
  std::string noun_list, verb_list, colon, comma, stop;
  bool phrase_before_verb;
};

const Lexicon& lexicon(Language language) {
  // No noun or adjective starts with a vowel, since `a` is among the determiners.
  static const Lexicon english = {{"saw", "cut", "hit", "set", "cast", "book", "watch", "fish", "light", "duck", "run",
                                   "walk", "play", "paint", "plant"},
                                  5,
                                  {"cat", "house", "river", "garden", "friend"},
                                  {"found", "took", "liked", "kept", "made"},
                                  {"I", "you", "we", "they"},
                                  {"you", "it", "them"},
                                  {"the", "a", "this", "every", "some"},
                                  {"big", "small", "red", "new"},
                                  {"often", "never", "always", "quickly"},
                                  {"with", "near", "behind", "under"},
                                  "Nouns",
                                  "Verbs",
                                  ":",
                                  ",",
                                  ".",
                                  false};
  static const Lexicon chinese = {
      {"锁", "花", "画", "锯", "包", "报告", "计划", "建议", "研究", "设计", "翻译", "编辑", "导演", "记录", "评论"},
      15,
      {"老师", "朋友", "学校", "房子", "孩子"},
      {"看见", "喜欢", "找到", "带来", "需要"},
      {"我", "你", "我们", "他们"},
      {"你", "它", "他们"},
      {"这个", "那个", "每个", "某个"},
      {"大", "小", "新", "旧"},
      {"经常", "从不", "总是", "已经"},
      {"为", "给", "跟", "替"},
      "名词",
      "动词",
      "：",
      "、",
      "。",
      true};
  return language == Language::english ? english : chinese;
}

/// Grows one sentence from left to right.
class Grower {
 public:
  Grower(const Lexicon& lexicon, const Below& below) : lexicon_(lexicon), below_(below) {}

  Sentence list(std::size_t max_items) {
    const bool nouns = chance(50);
    add(nouns ? lexicon_.noun_list : lexicon_.verb_list, "NOUN");
    add(lexicon_.colon, "PUNCT");
    const std::size_t items = 2 + below_(max_items - 1);
    for (std::size_t i = 0; i < items; ++i) {
      if (i > 0) add(lexicon_.comma, "PUNCT");
      add(pick(lexicon_.both), nouns ? "NOUN" : "VERB");
    }
    return finish();
  }

  Sentence phrases() {
    const bool pronoun = chance(70);
    if (pronoun)
      add(pick(lexicon_.subjects), "PRON");
    else
      noun_phrase();
    if (chance(25)) add(pick(lexicon_.adverbs), "ADV");
    const bool phrase = chance(40);
    if (phrase && lexicon_.phrase_before_verb) adposition_phrase();
    if (chance(70))
      add(lexicon_.both[below_(pronoun ? lexicon_.both.size() : lexicon_.agreeing)], "VERB");
    else
      add(pick(lexicon_.verbs), "VERB");
    object();
    if (phrase && !lexicon_.phrase_before_verb) adposition_phrase();
    return finish();
  }

 private:
  bool chance(std::size_t percent) { return below_(100) < percent; }

  const std::string& pick(const Words& words) { return words[below_(words.size())]; }

  void add(const std::string& word, const char* tag) {
    words_.push_back(word);
    tags_.emplace_back(tag);
  }

  void noun_phrase() {
    add(pick(lexicon_.determiners), "DET");
    if (chance(30)) add(pick(lexicon_.adjectives), "ADJ");
    add(pick(chance(60) ? lexicon_.both : lexicon_.nouns), "NOUN");
  }

  void object() {
    if (chance(15))
      add(pick(lexicon_.objects), "PRON");
    else
      noun_phrase();
  }

  void adposition_phrase() {
    add(pick(lexicon_.adpositions), "ADP");
    object();
  }

  Sentence finish() {
    add(lexicon_.stop, "PUNCT");
    return make_sentence(words_, tags_);
  }

  const Lexicon& lexicon_;
  const Below& below_;
  Words words_, tags_;
};

}  // namespace

std::vector<Sentence> toy_corpus(Language language, std::size_t count, const Below& below, const ToyOptions& options,
                                 const std::vector<Sentence>& avoid) {
  check(options.max_list >= 2, "toy_corpus", "max_list is ", options.max_list, ", expected 2 or more");
  check(options.list_percent <= 100, "toy_corpus", "list_percent is ", options.list_percent, ", expected 0 to 100");
  constexpr int most_tries = 1000;
  std::set<std::string> avoided;
  for (const Sentence& sentence : avoid) avoided.insert(sentence.lines());
  std::vector<Sentence> sentences;
  for (int tries = 0; sentences.size() < count;) {
    Grower grower(lexicon(language), below);
    Sentence sentence = below(100) < options.list_percent ? grower.list(options.max_list) : grower.phrases();
    if (avoided.contains(sentence.lines())) {
      check(++tries < most_tries, "toy_corpus", "found nothing that is not to be avoided in ", most_tries, " tries");
      continue;
    }
    tries = 0;
    sentences.push_back(std::move(sentence));
  }
  return sentences;
}

const std::vector<std::string>& toy_ambiguous(Language language) { return lexicon(language).both; }

}  // namespace heed

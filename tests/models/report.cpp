// Predictions and scores.
#include "tests/models/pos.hpp"

using namespace heed;
using namespace heed::testing;

namespace {

PosModel& model() {
  static PosModel made(Lexicon({sentence("the_DET saw_NOUN saw_VERB I_PRON 12_NUM")}), small(Rung::strong), 1);
  return made;
}

}  // namespace

TEST_CASE("evaluate: the splits of a case worked by hand") {
  std::vector<Sentence> gold{sentence("I_PRON saw_VERB the_DET saw_NOUN"),
                             sentence("The_DET dog_NOUN 34_NUM it oh_INTJ")};
  Report r = evaluate(model(), gold, {{"PRON", "NOUN", "DET", "NOUN"}, {"DET", "VERB", "NUM", "PRON", "NOUN"}});
  CHECK(r.all.right == 5);
  CHECK(r.all.all == 8);
  CHECK(r.all.percent() == doctest::Approx(62.5));
  CHECK(r.known.right == 5);  // The and 34 are known
  CHECK(r.known.all == 6);
  CHECK(r.unknown.right == 0);  // dog, oh
  CHECK(r.unknown.all == 2);
  CHECK(r.ambiguous.right == 1);  // saw, saw
  CHECK(r.ambiguous.all == 2);
  CHECK(r.without_gold == 1);
  CHECK(r.unseen_tags == std::vector<std::string>{"INTJ"});
  CHECK(r.tags["NOUN"].gold == 2);
  CHECK(r.tags["NOUN"].predicted == 3);
  CHECK(r.tags["NOUN"].right == 1);
  CHECK(r.tags["NOUN"].precision() == doctest::Approx(1.0 / 3));
  CHECK(r.tags["NOUN"].recall() == doctest::Approx(0.5));
  CHECK(r.tags["NOUN"].f1() == doctest::Approx(0.4));
  CHECK(r.tags["INTJ"].f1() == 0);
  // PRON 1, VERB 0, DET 1, NOUN 0.4, NUM 1, INTJ 0
  CHECK(r.macro_f1() == doctest::Approx(3.4 / 6));
  REQUIRE(r.confusions.size() == 3);
  for (const Confusion& c : r.confusions) {
    CHECK(c.count == 1);
    if (c.gold == "VERB") CHECK(c.example == "I [saw] the saw");
    if (c.gold == "INTJ") CHECK(c.example == "34 it [oh]");
  }
}

TEST_CASE("evaluate: the most frequent error comes first, with its first example") {
  Report r = evaluate(model(), {sentence("a_X b_NOUN c_NOUN d_NOUN")}, {{"DET", "VERB", "VERB", "NOUN"}});
  REQUIRE(r.confusions.size() == 2);
  CHECK(r.confusions[0].count == 2);
  CHECK(r.confusions[0].gold == "NOUN");
  CHECK(r.confusions[0].predicted == "VERB");
  CHECK(r.confusions[0].example == "a [b] c d");
}

TEST_CASE("evaluate and print, fault 91: nothing to score") {
  Report r = evaluate(model(), {sentence("a b")}, {{"DET", "DET"}});
  CHECK(r.all.all == 0);
  CHECK(r.all.percent() == 0);
  CHECK(r.macro_f1() == 0);
  CHECK(r.without_gold == 2);
  std::ostringstream out;
  print(out, r);
  CHECK(out.str().find("nothing to score") != std::string::npos);
  CHECK(evaluate(model(), {}, {}).all.all == 0);
}

TEST_CASE("print: the numbers of the report") {
  std::ostringstream out;
  print(out, evaluate(model(), {sentence("I_PRON saw_INTJ the_DET it")}, {{"PRON", "VERB", "DET", "PRON"}}));
  for (const char* part :
       {"accuracy            66.67 %  (2 of 3)", "1 words without a gold tag", "tag INTJ was never seen",
        "macro                        0.6667", "     1  INTJ as VERB    I [saw] the it"}) {
    CAPTURE(part);
    CHECK(out.str().find(part) != std::string::npos);
  }
  CHECK(out.str().find("unknown words") == std::string::npos);  // there are none
}

TEST_CASE("predict: no sentences; and all tags are those of training") {
  CHECK(predict(model(), {}).empty());
  std::vector<Sentence> sentences = corpus(20, 1);
  std::vector<std::vector<std::string>> tags = predict(model(), sentences);
  REQUIRE(tags.size() == 20);
  for (std::size_t i = 0; i < tags.size(); i++) {
    CHECK(tags[i].size() == sentences[i].size());
    for (const std::string& tag : tags[i]) CHECK(model().lexicon.tag(tag) >= 0);
  }
}

TEST_CASE("predict, fault 95: the same one by one as together, in any batches, long sentences among short ones") {
  std::vector<Sentence> data = corpus(60, 1);
  PosModel tagger(Lexicon(data), small(Rung::strong), 1);
  Dataset set(tagger.lexicon, data);
  TaggerTrainer trainer(tagger, set, {.epochs = 2, .lr = 1e-2});
  train(trainer);
  data.push_back(long_sentence(1185));
  data.push_back(long_sentence(257));
  std::vector<std::vector<std::string>> together = predict(tagger, data);
  CHECK(predict(tagger, data, 1) == together);
  CHECK(predict(tagger, data, 100) == together);
  for (std::size_t i = 0; i < data.size(); i += 7) CHECK(predict(tagger, {data[i]})[0] == together[i]);
  CHECK(predict(tagger, {data[60]})[0] == together[60]);
}

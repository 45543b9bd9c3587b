// Tests of models/data/vocabulary.hpp.
#include "models/data/vocabulary.hpp"

#include <doctest/doctest.h>

using namespace heed;
using Texts = std::vector<std::string>;

TEST_CASE("vocabulary: ids by falling count, then by bytes, after the reserved entries") {
  const Counts counts{{"b", 3}, {"a", 3}, {"Z", 3}, {"often", 9}, {"once", 1}, {"词", 2}};
  const Vocabulary all(counts);
  CHECK(all.entries() == Texts{"<pad>", "<unk>", "often", "Z", "a", "b", "词", "once"});
  CHECK(all.pad() == 0);
  CHECK(all.unknown() == 1);
  CHECK(all.id("词") == 6);
  CHECK(all.text(6) == "词");
  CHECK(all.count(2) == 9);
  CHECK(all.count(1) == 0);
  CHECK(all.id("never") == 1);
  CHECK(all.id("") == 1);
  const Vocabulary frequent(counts, 2);
  CHECK(frequent.size() == 7);
  CHECK(frequent.id("once") == 1);
}

TEST_CASE("vocabulary: the reserved entries are chosen, and none is found by its name") {
  const Counts counts{{"NOUN", 2}, {"<pad>", 1}, {"<unk>", 1}};
  const Vocabulary tags(counts, 1, {.pad = false, .unknown = false});
  CHECK(tags.entries() == Texts{"NOUN", "<pad>", "<unk>"});
  CHECK(tags.pad() == Vocabulary::none);
  CHECK(tags.unknown() == Vocabulary::none);
  CHECK(tags.id("VERB") == Vocabulary::none);
  const Vocabulary no_pad(counts, 1, {.pad = false, .unknown = true});
  CHECK(no_pad.unknown() == 0);
  CHECK(no_pad.pad() == Vocabulary::none);
  const Vocabulary words(counts);
  CHECK(words.id("<pad>") == 3);
  CHECK(words.id("<unk>") == 4);
  CHECK(Vocabulary().size() == 0);
  CHECK(Vocabulary().id("a") == Vocabulary::none);
}

TEST_CASE("fault 97: words that differ in case are found by their lower-case form if that is asked for") {
  Vocabulary vocabulary(Counts{{"the", 1}, {"école", 1}, {"US", 1}, {"us", 1}});
  const std::vector<Sentence> data = {make_sentence({"The", "THE", "the", "École", "US", "cat", "Cat", "."})};
  CHECK(vocabulary.id("The") == vocabulary.unknown());
  CHECK(unknown_rate(vocabulary, data) == 6 / 8.0);
  vocabulary.fall_back_to_lower_case(true);
  CHECK(vocabulary.id("The") == vocabulary.id("the"));
  CHECK(vocabulary.id("THE") == vocabulary.id("the"));
  CHECK(vocabulary.id("ÉCOLE") == vocabulary.id("école"));
  CHECK(vocabulary.id("US") != vocabulary.id("us"));
  CHECK(unknown_rate(vocabulary, data) == 3 / 8.0);
  CHECK(unknown_rate(vocabulary, {}) == 0);
}

TEST_CASE("vocabulary: entries restore it") {
  const Vocabulary before(Counts{{"a", 2}, {"<pad>", 1}, {"词", 5}});
  const Vocabulary after(before.entries());
  CHECK(after.entries() == before.entries());
  for (const char* text : {"a", "词", "<pad>", "<unk>", "b"}) CHECK(after.id(text) == before.id(text));
  CHECK(after.count(2) == 0);
}

TEST_CASE("vocabulary: wrong entries and ids are errors") {
  CHECK_THROWS_WITH_AS(Vocabulary(Texts{"<pad>", "<unk>", "a", "b", "a"}),
                       "heed: Vocabulary: entries 2 and 4 are both 'a'", Error);
  CHECK_THROWS_WITH_AS(Vocabulary(Texts{"<pad>"}),
                       "heed: Vocabulary: entry 1: expected <unk>, found the end of the list", Error);
  CHECK_THROWS_WITH_AS(Vocabulary(Texts{"a", "b"}), "heed: Vocabulary: entry 0: expected <pad>, found a", Error);
  const Vocabulary vocabulary(Counts{{"a", 1}});
  CHECK_THROWS_WITH_AS(vocabulary.text(3), "heed: Vocabulary: id 3, expected 0 to 2", Error);
  CHECK_THROWS_AS(vocabulary.text(-1), Error);
  CHECK_THROWS_AS(vocabulary.count(3), Error);
}

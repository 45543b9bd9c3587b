#include <doctest/doctest.h>

#include EXERCISE

TEST_CASE("07.3: what no model without order can get right") {
  CHECK(surely_wrong({}, {}) == 0);
  CHECK(surely_wrong({"I", "saw", "a", "saw", "."}, {"PRON", "VERB", "DET", "NOUN", "PUNCT"}) == 1);
  CHECK(surely_wrong({"I", "book", "a", "watch", "."}, {"PRON", "VERB", "DET", "NOUN", "PUNCT"}) == 0);
  CHECK(surely_wrong({"the", "saw", "saw", "the", "saw"}, {"DET", "NOUN", "VERB", "DET", "NOUN"}) == 1);
  CHECK(surely_wrong({"saw", "saw", "cut", "cut", "cut", "cut"}, {"A", "B", "A", "B", "C", "C"}) == 3);
}

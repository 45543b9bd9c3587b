#include EXERCISE

#include <doctest/doctest.h>

using Words = std::vector<std::string>;

TEST_CASE("accuracy of all") {
  CHECK(accuracy(Words{"PRON", "VERB", "DET", "NOUN"}, Words{"PRON", "VERB", "DET", "VERB"}) == doctest::Approx(75));
  CHECK(accuracy(Words{"NOUN"}, Words{"NOUN"}) == doctest::Approx(100));
  CHECK(accuracy(Words{}, Words{}) == 0);
}

TEST_CASE("accuracy of some") {
  Words gold{"PRON", "VERB", "DET", "NOUN"}, predicted{"PRON", "VERB", "DET", "VERB"};
  CHECK(accuracy(gold, predicted, {false, true, false, true}) == doctest::Approx(50));
  CHECK(accuracy(gold, predicted, {false, false, false, true}) == 0);
  CHECK(accuracy(gold, predicted, {false, false, false, false}) == 0);
}

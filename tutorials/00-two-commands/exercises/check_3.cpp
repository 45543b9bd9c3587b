#include EXERCISE

#include <doctest/doctest.h>

using Pair = std::pair<std::string, std::string>;

TEST_CASE("most confused") {
  CHECK(most_confused({"NOUN", "VERB"}, {"NOUN", "VERB"}) == Pair{"", ""});
  CHECK(most_confused({"NOUN", "VERB", "NOUN", "ADJ"}, {"VERB", "NOUN", "VERB", "ADJ"}) == Pair{"NOUN", "VERB"});
  CHECK(most_confused({"VERB", "VERB", "NOUN"}, {"NOUN", "NOUN", "VERB"}) == Pair{"VERB", "NOUN"});
}

TEST_CASE("ties") { CHECK(most_confused({"VERB", "NOUN"}, {"NOUN", "VERB"}) == Pair{"NOUN", "VERB"}); }

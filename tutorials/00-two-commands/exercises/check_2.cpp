#include EXERCISE

#include <doctest/doctest.h>

TEST_CASE("the best guess for each word alone") {
  CHECK(best_guess({}) == 0);
  CHECK(best_guess({{"I", "PRON"}, {"saw", "VERB"}, {"a", "DET"}, {"saw", "NOUN"}}) == 3);
  CHECK(best_guess({{"saw", "VERB"}, {"saw", "NOUN"}, {"saw", "NOUN"}, {"cat", "NOUN"}}) == 3);
}

TEST_CASE("no guess is better than the commonest tag") {
  std::vector<Tagged> text;
  for (int i = 0; i < 90; i++) text.push_back({i % 2 ? "watch" : "fish", i % 3 ? "NOUN" : "VERB"});
  CHECK(best_guess(text) == 60);
}

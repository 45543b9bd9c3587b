// Language models: drawing symbols, and text by steps as by the whole.
#include <fstream>

#include "models/lm/commands.hpp"
#include "models/lm/language_model.hpp"
#include "tests/models/kinds.hpp"
#include "tests/nn/files.hpp"

using namespace heed;
using namespace heed::testing;

namespace {
// How often each index is drawn.
std::vector<int> draws(const std::vector<real>& scores, const SampleOptions& options, int count = 2000) {
  Rng rng(1);
  std::vector<int> seen(scores.size(), 0);
  for (int i = 0; i < count; i++) seen[static_cast<std::size_t>(sample(scores, options, rng))]++;
  return seen;
}
}  // namespace

TEST_CASE("sample: shares, temperature, top-k, top-p") {
  std::vector<real> scores{0, std::log(real(6)), std::log(real(3))};  // 0.1, 0.6, 0.3
  std::vector<int> seen = draws(scores, {});
  CHECK(std::abs(seen[0] - 200) < 50);
  CHECK(std::abs(seen[1] - 1200) < 80);
  CHECK(draws(scores, {.temperature = 0}) == std::vector<int>{0, 2000, 0});
  CHECK(draws(scores, {.temperature = 0.01}) == std::vector<int>{0, 2000, 0});
  CHECK(draws(scores, {.temperature = 100})[0] > 550);
  CHECK(draws(scores, {.top_k = 1}) == std::vector<int>{0, 2000, 0});
  seen = draws(scores, {.top_k = 2});
  CHECK(seen[0] == 0);
  CHECK(std::abs(seen[1] - 1333) < 80);
  CHECK(draws(scores, {.top_p = 0.5}) == std::vector<int>{0, 2000, 0});
  CHECK(draws(scores, {.top_p = 0.7})[0] == 0);
  CHECK(draws(scores, {.top_p = 0.7})[2] > 500);
  CHECK(draws(scores, {.top_p = 0}) == std::vector<int>{0, 2000, 0});
  Rng rng(1);
  CHECK_THROWS_AS(sample({}, {}, rng), Error);
  CHECK_THROWS_AS(sample(scores, {.temperature = -1}, rng), Error);
}

TEST_CASE("lm: text made by steps is that made by running the whole again") {
  ExampleSet set = make_task("causal_copy:6", 20, 1);
  for (const char* mixer : {"attention", "local:w=3", "linear", "efficient", "performer:m=8", "gru", "lstm", "gmlp"})
    for (const char* positions : {"sinusoidal", "learned", "rotary", "none"}) {
      bool own = std::string(mixer) == "attention";
      if (!own && std::string(positions) == "rotary") continue;
      CAPTURE(mixer);
      CAPTURE(positions);
      Settings settings = choose(lm_kind(), {{"dim", "16"}, {"heads", "2"}, {"hidden", "32"}, {"length", "40"}});
      settings.set("mixer", mixer);
      settings.set("positions", positions);
      Rng rng(3);
      LanguageModel model(set, settings, rng);
      std::vector<int> prompt{1, 5, 7, 13};
      Rng one(5), two(5);
      std::vector<int> text = model.generate(prompt, 20, {}, one);
      CHECK(text.size() == 20);
      CHECK(text == model.generate(prompt, 20, {}, two, true));
      CHECK(model.generate(prompt, 0, {}, one).empty());
      CHECK_THROWS_AS(model.generate({}, 3, {}, one), Error);
    }
}

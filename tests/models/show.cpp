// Tests of models/show/: what is shown is what the library computes.
#include <nlohmann/json.hpp>

#include "models/lm/commands.hpp"
#include "models/show/subjects.hpp"
#include "models/text/commands.hpp"
#include "models/translate/commands.hpp"
#include "tensor/gemm.hpp"
#include "tests/models/kinds.hpp"
#include "tests/models/plot.hpp"
#include "tests/models/pos.hpp"

using namespace heed;
using namespace heed::testing;

namespace {

const std::vector<std::string> words{"I", "saw", "a", "saw", "."};

PosModel& tagger() {
  static PosModel model(Lexicon(corpus(40, 1)), small(Rung::encoder), 3);
  return model;
}

Subject quiet_subject(const std::vector<std::string>& gold = {}) {
  static std::unique_ptr<PosModel> quiet = from_checkpoint(without_dropout(to_checkpoint(tagger())));
  return tagger_subject(*quiet, words, gold);
}

Tensor scaled(const Tensor& x, double factor) {
  return map([factor](real v) { return static_cast<real>(factor) * v; }, x);
}

std::vector<float> decoded(const std::string& text) {
  const std::string digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string bytes;
  unsigned bits = 0;
  int count = 0;
  for (char c : text) {
    if (c == '=') break;
    bits = bits << 6 | static_cast<unsigned>(digits.find(c)), count += 6;
    if (count >= 8) count -= 8, bytes += static_cast<char>(bits >> count & 255);
  }
  std::vector<float> out(bytes.size() / 4);
  std::memcpy(out.data(), bytes.data(), out.size() * 4);
  return out;
}

struct Made {
  ExampleSet set;
  Trained trained;
  Made(const ModelKind& kind, const char* task, Choices choices, std::size_t items = 3)
      : set(make_task(task, items, 1, Split::test)),
        trained(kind, set, choose(kind, with_none(std::move(choices))), 2) {}
  static Choices with_none(Choices choices) {
    choices.emplace_back("dropout", "0");
    choices.emplace_back("dim", "16");
    choices.emplace_back("hidden", "16");
    return choices;
  }
  Scene scene(std::size_t item = 0) const { return make_scene(example_subject(trained, set, item)); }
};

}  // namespace

TEST_CASE("show: forward and backward of each head are the library's, step by step") {
  const Scene scene = make_scene(quiet_subject());
  REQUIRE(scene.attention.size() == 2);
  for (const ShownAttention& a : scene.attention) {
    const SeenAttention& n = a.numbers;
    CAPTURE(a.name);
    CHECK(a.queries == words);
    CHECK(n.weights.shape() == Shape{2, 5, 5});
    CHECK(close(scaled(matmul(n.q, n.k.transpose()), n.scale), n.scores, loose));
    CHECK(close(softmax(n.scores).value(), n.weights, loose));
    CHECK(close(matmul(n.weights, n.v), n.out, loose));
    // The library computes these in another way; they must agree with the steps that are shown.
    CHECK(close(matmul(n.weights.transpose(), n.dout), n.dv, loose));
    CHECK(close(scaled(matmul(n.dscores(), n.k), n.scale), n.dq, loose));
    CHECK(close(scaled(matmul(n.dscores().transpose(), n.q), n.scale), n.dk, loose));
    CHECK_FALSE(close(n.dq, Tensor(n.dq.shape(), 0), 0));
  }
}

TEST_CASE("show: gold tags change the loss and the gradients, not the answer; wrong ones are named") {
  const Scene own = make_scene(quiet_subject()),
              gold = make_scene(quiet_subject({"PRON", "VERB", "DET", "NOUN", "PUNCT"}));
  CHECK(own.prediction.labels == gold.prediction.labels);
  CHECK(gold.loss >= own.loss);
  CHECK(same_bits(own.attention[0].numbers.weights, gold.attention[0].numbers.weights));
  CHECK_THROWS_AS(quiet_subject({"PRON"}), Error);
  CHECK_THROWS_WITH_AS(quiet_subject({"PRON", "VERB", "DET", "NOUN", "X9"}), doctest::Contains("X9"), Error);
}

TEST_CASE("show: without a head the model answers as one whose last product ignores that head") {
  const Scene scene = make_scene(quiet_subject());
  REQUIRE(scene.ablations.size() == 4);
  for (const Ablation& ablation : scene.ablations) {
    std::unique_ptr<PosModel> cut = from_checkpoint(without_dropout(to_checkpoint(tagger())));
    Var w = cut->tagger.encoder[0].blocks[ablation.attention].attention[0].o.w;
    Tensor rows = w.value().compact();
    for (Size i = 0; i < 8 * 16; i++) rows.mut()[ablation.head * 8 * 16 + i] = 0;
    w.value() = rows;
    const Prediction expected = tagger_subject(*cut, words, {}).predict();
    CHECK(expected.labels == ablation.prediction.labels);
    for (std::size_t i = 0; i < words.size(); i++)
      CHECK(expected.probability[i] == doctest::Approx(ablation.prediction.probability[i]).epsilon(1e-4));
    CHECK(expected.probability != scene.prediction.probability);
  }
}

TEST_CASE("show: the JSON holds the very bits, the page needs nothing else and survives any text") {
  Subject subject = quiet_subject();
  subject.title = "</script><b>&";
  subject.tokens[0] = "</script>@DATA@";
  const Scene scene = make_scene(subject);
  const auto json = nlohmann::json::parse(scene_json(scene));
  const SeenAttention& n = scene.attention[1].numbers;
  CHECK(decoded(json["attention"][1]["weights"]) == n.weights.to_vector());
  CHECK(decoded(json["attention"][1]["dk"]) == n.dk.to_vector());
  CHECK(json["tokens"][0] == "</script>@DATA@");
  const std::string page = scene_page(scene);
  CHECK(occurrences(page, "</script>") == 2);
  CHECK(occurrences(page, "&lt;/script&gt;&lt;b&gt;&amp;") == 2);
  CHECK(page.find("@TITLE@") == std::string::npos);
  CHECK(occurrences(page, "http") == occurrences(page, "http://www.w3.org/2000/svg"));
  CHECK(page.find("src=") == std::string::npos);
  const std::string svg = scene_svg(scene);
  CHECK(xml_fault(svg) == "");
  CHECK(occurrences(svg, "<svg ") == 5);
}

TEST_CASE("show: a pattern is shown as a pattern, weights of other mixers as they are, and what has none says so") {
  Made local(text_kind(), "vote:12", {{"reach", "2"}, {"heads", "2"}});
  Scene scene = local.scene();
  const SeenAttention& n = scene.attention.at(0).numbers;
  REQUIRE(n.kept.size() == 2);
  for (Size i = 0; i < n.queries(); i++)
    for (Size j = 0; j < n.keys(); j++) CHECK(n.kept[0][i * n.keys() + j] == (std::abs(i - j) <= 2));
  scene = Made(text_kind(), "vote:12", {{"mixer", "topk:k=3"}, {"heads", "2"}}).scene();
  CHECK(scene.attention.at(0).numbers.mixer == "TopK");
  CHECK(scene.ablations.empty());
  CHECK(scene_page(scene).size() > 1000);
  scene = Made(text_kind(), "vote:12", {{"mixer", "linformer:rank=3"}, {"heads", "2"}}).scene();
  CHECK(scene.attention.at(0).keys == std::vector<std::string>{"1", "2", "3"});
  scene = Made(text_kind(), "vote:12", {{"pool", "token"}}).scene();
  CHECK(scene.attention.at(0).queries.at(0) == "[all]");
  CHECK_THROWS_WITH_AS(Made(text_kind(), "vote:12", {{"mixer", "gru"}}).scene(),
                       doctest::Contains("no attention weights"), Error);
  CHECK_THROWS_WITH_AS(Made(text_kind(), "vote:12", {{"mixer", "sinkhorn:block=4"}}).scene(),
                       doctest::Contains("gathers positions"), Error);
  CHECK_THROWS_WITH_AS(Made(text_kind(), "vote:200", {}).scene(), doctest::Contains("at most 128"), Error);
}

TEST_CASE("show: translators by RNN and Transformer, and language models") {
  Scene scene = Made(translate_kind(), "dates", {{"model", "transformer"}, {"layers", "1"}, {"heads", "2"}}).scene();
  REQUIRE(scene.attention.size() == 3);
  CHECK(scene.attention[0].name == "encoder 1");
  CHECK(scene.attention[1].name == "decoder 1");
  CHECK(scene.attention[2].name == "decoder 1 to source");
  CHECK(scene.attention[1].keys.at(0) == "<start>");
  CHECK(scene.attention[2].keys == scene.tokens);
  CHECK(scene.ablations.size() == 6);
  scene = Made(translate_kind(), "dates", {{"model", "rnn_attention"}}).scene();
  REQUIRE(scene.attention.size() == 1);
  const SeenAttention& n = scene.attention[0].numbers;
  CHECK(n.queries() == static_cast<Size>(scene.targets.size()) + 1);
  CHECK(n.keys() == static_cast<Size>(scene.tokens.size()));
  for (Size i = 0; i < n.queries(); i++) {
    double sum = 0;
    for (Size j = 0; j < n.keys(); j++) sum += static_cast<double>(n.weights.data()[i * n.keys() + j]);
    CHECK(sum == doctest::Approx(1).epsilon(1e-4));
  }
  scene = Made(lm_kind(), "causal_copy:5", {}).scene();
  CHECK(scene.prediction.labels.size() == scene.tokens.size());
  CHECK(scene.attention.at(0).numbers.kept.size() == 4);
}

TEST_CASE("show: an item from text") {
  Made text(text_kind(), "vote:12", {});
  const ExampleSet set = written_item(text.trained, "1 2  1");
  CHECK(set.items.at(0).symbols == std::vector<int>{1, 2, 1});
  CHECK(make_scene(example_subject(text.trained, set, 0)).gold.empty());
  CHECK_THROWS_WITH_AS(written_item(text.trained, "nothing"), doctest::Contains("nothing"), Error);
  CHECK_THROWS_AS(written_item(text.trained, "0"), Error);
  CHECK_THROWS_AS(written_item(text.trained, " "), Error);
  CHECK_THROWS_AS(example_subject(text.trained, text.set, 3), Error);
}

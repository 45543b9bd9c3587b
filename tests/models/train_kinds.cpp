// What the models reach on their built-in tasks, beside what is reached without the idea; minutes. HEED_SHOW=1 prints
// it.
#include "models/detect/commands.hpp"
#include "models/glimpse/commands.hpp"
#include "models/graph/commands.hpp"
#include "models/image/commands.hpp"
#include "models/lm/commands.hpp"
#include "models/speech/commands.hpp"
#include "models/text/commands.hpp"
#include "models/translate/commands.hpp"
#include "models/words/commands.hpp"
#include "tests/models/kinds.hpp"

using namespace heed;
using namespace heed::testing;

namespace {

// The task's usual items, the kind's way of training but for the steps, and perhaps for rate and size of batches.
double reach(const ModelKind& kind, const char* task, const Choices& choices, Size steps, double lr = 0,
             std::size_t batch_tokens = 0) {
  const TaskKind& items = task_kind(task);
  TaskRun run(kind, task, choices, items.train, items.dev);
  TrainOptions options = steps_of(kind, steps);
  if (lr > 0) options.lr = lr;
  if (batch_tokens) options.batch_tokens = batch_tokens;
  std::string label = kind.name + " " + task;
  for (auto [name, value] : choices) label += std::string(" ") + name + "=" + value;
  return trained_to(label.c_str(), run, options);
}

}  // namespace

TEST_CASE("train: text, sentiment in bytes" * doctest::skip()) {
  CHECK(reach(text_kind(), "sentiment", {{"dropout", "0"}}, 1000, 3e-3, 4096) >= 98);
}

TEST_CASE("train: text, ListOps" * doctest::skip()) {
  CHECK(reach(text_kind(), "listops", {{"layers", "3"}, {"window", "0"}, {"dropout", "0"}}, 3000) >= 45);
}

TEST_CASE("train: speech, phones by truncated attention; each frame alone knows less" * doctest::skip()) {
  CHECK(reach(speech_kind(), "phones", {}, 1000) >= 90);
  double alone = reach(speech_kind(), "phones", {{"mixer", "local:w=0"}, {"reach", "0"}, {"positions", "none"}}, 1000);
  CHECK(alone >= 66);
  CHECK(alone <= 72);
}

TEST_CASE("train: speech, phones and voices from waveforms" * doctest::skip()) {
  CHECK(reach(speech_kind(), "phones_wave", {}, 100) >= 90);
  CHECK(reach(speech_kind(), "speaker", {}, 100) >= 95);
}

TEST_CASE("train: image, shapes by four kinds of model" * doctest::skip()) {
  CHECK(reach(image_kind(), "shapes", {{"dropout", "0"}}, 4000, 3e-3) >= 95);
  CHECK(reach(image_kind(), "shapes", {{"model", "cnn"}}, 800, 3e-3) >= 95);
  CHECK(reach(image_kind(), "shapes", {{"model", "mlp_mixer"}, {"dropout", "0"}}, 6000, 3e-3) >= 93);
  CHECK(reach(image_kind(), "shapes", {{"model", "gmlp"}, {"dropout", "0"}}, 3000, 3e-3) >= 95);
}

TEST_CASE("train: image, two far symbols by attention between convolutions, not without" * doctest::skip()) {
  // Nothing is learned for a thousand updates: small batches, a high rate or decay of weights end it for good.
  TrainOptions options = steps_of(image_kind(), 3000);
  options.lr = 4e-3, options.batch_tokens = 65536, options.weight_decay = 0;
  for (const char* model : {"sagan", "local"}) {
    TaskRun run(image_kind(), "far_pair", {{"model", model}, {"channels", "16"}}, 16000, 1000, 3);
    double reached = trained_to(model, run, options);
    CHECK((reached >= 95) == (std::string_view(model) == "sagan"));
    CHECK((reached <= 60) == (std::string_view(model) == "local"));
  }
}

TEST_CASE("train: graph, nodes by their neighbours; without edges they know less" * doctest::skip()) {
  CHECK(reach(graph_kind(), "nodes", {{"model", "gat"}}, 600) >= 84);
  CHECK(reach(graph_kind(), "nodes", {}, 600) >= 84);
  CHECK(reach(graph_kind(), "nodes", {{"model", "set"}}, 600) <= 62);
}

TEST_CASE("train: graph, molecules by their bonds" * doctest::skip()) {
  CHECK(reach(graph_kind(), "molecules", {}, 2000) >= 97);
  CHECK(reach(graph_kind(), "molecules", {{"model", "set"}}, 1000) <= 70);
}

TEST_CASE("train: translate, digits backwards, in order, and dates; without attention less" * doctest::skip()) {
  CHECK(reach(translate_kind(), "reverse", {}, 300) >= 97);
  CHECK(reach(translate_kind(), "reverse", {{"model", "transformer"}, {"dropout", "0"}}, 600) >= 97);
  CHECK(reach(translate_kind(), "reverse", {{"model", "rnn"}}, 300) <= 75);
  CHECK(reach(translate_kind(), "copy", {{"model", "rnn_local"}}, 600) >= 95);
  CHECK(reach(translate_kind(), "sort", {}, 600) >= 95);
  CHECK(reach(translate_kind(), "dates", {}, 1000) >= 97);
}

TEST_CASE("train: glimpse, patterns anywhere by four looks; at the centre they are not seen" * doctest::skip()) {
  CHECK(reach(glimpse_kind(), "glimpses", {}, 4000) >= 93);
  CHECK(reach(glimpse_kind(), "glimpses", {{"model", "centre"}}, 2000) <= 82);
}

TEST_CASE("train: words, neighbours of one kind" * doctest::skip()) {
  CHECK(reach(words_kind(), "topics", {}, 600) >= 95);
}

TEST_CASE("train: detect, boxes" * doctest::skip()) { CHECK(reach(detect_kind(), "boxes", {}, 2400) >= 80); }

TEST_CASE("train: lm, sentences of a grammar in bits a byte, by full and by linear attention" * doctest::skip()) {
  CHECK(reach(lm_kind(), "prose", {}, 600) <= 1.05);
  CHECK(reach(lm_kind(), "prose", {{"mixer", "linear"}}, 1500) <= 1.2);
}

TEST_CASE("train: lm, copying by full and by linear attention" * doctest::skip()) {
  CHECK(reach(lm_kind(), "causal_copy", {}, 1000) <= 0.1);  // bits
  CHECK(reach(lm_kind(), "causal_copy", {{"mixer", "linear"}}, 1500) <= 0.1);
}

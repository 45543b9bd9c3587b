// A tagger in a file, and files that hold none.
#include <nlohmann/json.hpp>

#include "tests/models/pos.hpp"
#include "tests/nn/files.hpp"

using namespace heed;
using namespace heed::testing;

namespace {

Checkpoint sound() {
  static PosModel model(Lexicon(rich_corpus(40, 1)), small(Rung::strong), 1);
  return to_checkpoint(model);
}

// With an option set to something else.
Checkpoint with_option(const std::string& name, const nlohmann::json& value) {
  Checkpoint c = sound();
  nlohmann::json options = nlohmann::json::parse(c.metadata["options"]);
  options[name] = value;
  c.metadata["options"] = options.dump();
  return c;
}

}  // namespace

TEST_CASE("model file: every rung comes back with its weights, options and vocabularies") {
  Folder folder;
  std::vector<Sentence> data = rich_corpus(40, 1), other = corpus(20, 2);
  for (Rung rung : all_rungs) {
    CAPTURE(static_cast<int>(rung));
    TaggerOptions options = small(rung);
    options.window = 2;
    options.dropout = 0.123456789012345;
    PosModel model(Lexicon(data), options, 7);
    save_checkpoint(folder / "model", to_checkpoint(model));
    std::unique_ptr<PosModel> back = from_checkpoint(load_checkpoint(folder / "model"));
    CHECK(describe(back->tagger.options) == describe(model.tagger.options));
    CHECK(back->tagger.options.dropout == 0.123456789012345);
    CHECK(back->lexicon.words.entries() == model.lexicon.words.entries());
    CHECK(back->lexicon.frequent == model.lexicon.frequent);
    CHECK(back->lexicon.tags.entries() == model.lexicon.tags.entries());
    CHECK(to_checkpoint(*back).metadata == to_checkpoint(model).metadata);
    CHECK(predict(*back, other) == predict(model, other));
    for (std::size_t i = 0; i < other.size(); i++)
      CHECK(same_bits(scores(*back, {other[i]})[0], scores(model, {other[i]})[0]));
  }
}

TEST_CASE("model file: words that need care in JSON") {
  std::vector<Sentence> data{sentence(
      "\"_PUNCT \"_PUNCT \\_PUNCT \\_PUNCT 北京_PROPN 北京_PROPN <pad>_X <pad>_X \x7f_X \x7f_X \x01_X \x01_X")};
  PosModel model(Lexicon(data), small(Rung::strong), 1);
  Folder folder;
  save_checkpoint(folder / "model", to_checkpoint(model));
  CHECK(from_checkpoint(load_checkpoint(folder / "model"))->lexicon.words.entries() == model.lexicon.words.entries());
}

TEST_CASE("model file: metadata that is missing or damaged") {
  REQUIRE(from_checkpoint(sound()));
  Checkpoint whole = sound();
  for (const auto& entry : whole.metadata) {
    const std::string& name = entry.first;
    CAPTURE(name);
    Checkpoint c = sound();
    c.metadata.erase(name);
    CHECK_THROWS_AS(from_checkpoint(c), Error);
    for (const std::string bad : {"", "{", "nonsense", "null", "[1]", "-5", "1e9", "[\"a\",\"a\"]", "{}"}) {
      CAPTURE(bad);
      c.metadata[name] = bad;
      CHECK_THROWS_AS(from_checkpoint(c), Error);
    }
  }
}

TEST_CASE("model file: options that make no sense") {
  for (const std::string name :
       {"dim", "heads", "layers", "hidden", "window", "word_dim", "char_dim", "char_filters", "affix_dim", "shape_dim"})
    for (const nlohmann::json& bad :
         {nlohmann::json(-1), nlohmann::json(0), nlohmann::json(3), nlohmann::json(1000000), nlohmann::json("x")}) {
      CAPTURE(name);
      CAPTURE(bad.dump());
      if (bad == 0 && (name == "layers" || name == "window")) continue;  // a smaller model, which the weights fill
      CHECK_THROWS_AS(from_checkpoint(with_option(name, bad)), Error);
    }
  for (const std::string name :
       {"dropout", "attention_dropout", "input_dropout", "feature_dropout", "vector_dropout", "word_dropout"})
    for (const nlohmann::json& bad : {nlohmann::json(-0.5), nlohmann::json("x"), nlohmann::json(1e9)}) {
      CAPTURE(name);
      CHECK_THROWS_AS(from_checkpoint(with_option(name, bad)), Error);
    }
  for (int rung : {-1, 5, 7, 1000}) CHECK_THROWS_AS(from_checkpoint(with_option("rung", rung)), Error);
}

TEST_CASE("model file: weights that are missing or of another size; what else is there does not matter") {
  std::size_t count = sound().tensors.size();
  for (std::size_t i = 0; i < count; i++) {
    Checkpoint c = sound();
    CAPTURE(c.tensors[i].first);
    Tensor& tensor = c.tensors[i].second;
    tensor = Tensor(tensor.shape().with(0, tensor.size(0) + 1), 0);
    CHECK_THROWS_AS(from_checkpoint(c), Error);
    c.tensors.erase(c.tensors.begin() + static_cast<std::ptrdiff_t>(i));
    CHECK_THROWS_AS(from_checkpoint(c), Error);
  }
  Checkpoint more = sound();
  more.tensors.emplace_back("other", Tensor({2}, 0));
  more.metadata["other"] = "text";
  CHECK(from_checkpoint(more));
}

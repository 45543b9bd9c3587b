// Weights that PyTorch wrote give its outputs, and come back to it unchanged: docs/python.md, python/heed_weights.py.
#include "nn/checkpoint.hpp"
#include "nn/embedding.hpp"
#include "nn/encoder.hpp"
#include "nn/recurrent.hpp"
#include "tests/nn/files.hpp"

using namespace heed;
using namespace heed::testing;

namespace {

// The same model as in tests/python.py.
struct Model : Module {
  Embedding words;
  Encoder encoder;
  Lstm memory;
  Linear out;
  explicit Model(Rng& rng)
      : words(sub("words", Embedding(11, 16, rng))),
        encoder(sub("encoder", Encoder(16, rng, {.layers = 2, .heads = 4, .hidden = 24}))),
        memory(sub("memory", Lstm(16, 8, rng))),
        out(sub("out", Linear(8, 5, rng))) {}
  Var operator()(const std::vector<int>& ids) const { return out(memory(encoder(words(ids, {2, 7})))); }
};

// Exit code of the script, by the first Python that has what it takes.
int python(const std::string& verb, const Folder& folder) {
  std::string script = "tests/python.py " + verb + " '" + (folder / "") + "'";
  return WEXITSTATUS(std::system(("python3 " + script + " || /usr/bin/python3 " + script).c_str()));
}

}  // namespace

TEST_CASE("python: weights that PyTorch wrote give its outputs to 1e-5, and come back unchanged") {
  Folder folder;
  int code = python("write", folder);
  if (code == 77 || code == 127) {
    MESSAGE("skipped: no python3 with NumPy and PyTorch");
    return;
  }
  REQUIRE(code == 0);
  Rng rng(1);
  Model model(rng);
  Checkpoint weights = load_checkpoint(folder / "weights"), output = load_checkpoint(folder / "output");
  CHECK(weights.tensors.size() == model.parameters().size());
  CHECK(weights.metadata.at("made by") == "PyTorch, 火炬");
  CHECK(same_bits(output.at("transposed"), array({3, 2}, {0, 3, 1, 4, 2, 5})));
  std::vector<int> ids;
  for (real id : output.at("ids").to_vector()) ids.push_back(static_cast<int>(id));

  Eval eval;
  assign(model.parameters(), load_checkpoint(folder / "half"));
  CHECK(max_difference(model(ids).value(), load_checkpoint(folder / "half output").at("y")) < 1e-5);
  assign(model.parameters(), weights);
  CHECK(max_difference(model(ids).value(), output.at("y")) < 1e-5);

  save_checkpoint(folder / "back", {named_values(model.parameters()), {{"made by", "heed, 火炬"}}});
  CHECK(python("read", folder) == 0);
}

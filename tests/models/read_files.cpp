// Every kind of model learns from files of its field, written here as its users have them.
#include <cmath>

#include "models/data/frames.hpp"
#include "models/graph/commands.hpp"
#include "models/image/commands.hpp"
#include "models/lm/commands.hpp"
#include "models/speech/commands.hpp"
#include "models/text/commands.hpp"
#include "models/translate/commands.hpp"
#include "models/words/commands.hpp"
#include "tests/data/files.hpp"

using namespace heed;
using heed::testing::Folder;

namespace {

// A model for what `path` holds, as `train` makes it, read again as `eval` does; its answers have the form of the
// set's.
ExampleSet learn_from(const ModelKind& kind, const std::string& path,
                      const std::vector<std::pair<const char*, const char*>>& choices = {}) {
  Settings settings = kind.settings;
  for (auto [name, value] : choices) settings.set(name, value);
  ExampleSet set = read_set(kind, path, settings);
  Trained trained(kind, set, settings, 1);
  ExampleSet again = read_set(kind, path, trained.settings, &trained.set);
  CHECK(again.classes == set.classes);
  REQUIRE(again.items.size() == set.items.size());
  for (std::size_t i = 0; i < set.items.size(); i++) {
    CHECK(fault_of(set, set.items[i]) == "");
    CHECK(again.items[i].targets == set.items[i].targets);
  }
  TrainOptions options = kind.training;
  options.label_smoothing = 0;
  Var loss = trained.model.loss(make_batch(set, {0}), options).main;
  CHECK(std::isfinite(loss.item()));
  return set;
}

std::string little(std::uint32_t value, int bytes) {
  std::string text;
  for (; bytes > 0; bytes--, value >>= 8) text += static_cast<char>(value & 255);
  return text;
}
std::string wav(std::uint32_t samples) {
  std::string data;
  for (std::uint32_t i = 0; i < samples; i++) data += little(i % 50 * 300, 2);
  return "RIFF" + little(36 + 2 * samples, 4) + "WAVEfmt " + little(16, 4) + little(1, 2) + little(1, 2) +
         little(sample_rate, 4) + little(2 * sample_rate, 4) + little(2, 2) + little(16, 2) + "data" +
         little(2 * samples, 4) + data;
}

}  // namespace

TEST_CASE("files: text, of any labels and of ListOps") {
  Folder folder;
  ExampleSet set = learn_from(text_kind(), folder.write("f.tsv", "good\tI like it\nbad\tno\n"));
  CHECK(set.classes == std::vector<std::string>{"bad", "good"});
  set = learn_from(text_kind(), folder.write("g.tsv", "Source\tTarget\n( ( ( [MAX 2 ) 9 ) ] )\t9\n"));
  CHECK(set.items[0].targets == std::vector<int>{9});
  CHECK(set.classes.size() == 10);
}

TEST_CASE("files: speech, labels for stretches and for recordings") {
  Folder folder;
  folder.write("a.wav", wav(4000));
  folder.write("a.phn", "0 2000 sil\n2000 4000 ah\n");
  ExampleSet set = learn_from(speech_kind(), folder.write("list", "a.wav\ta.phn\n"));
  CHECK(set.classes == std::vector<std::string>{"ah", "sil"});
  CHECK(set.items[0].targets.front() == 1);
  CHECK(set.items[0].targets.back() == 0);
  set = learn_from(speech_kind(), folder.write("voices", "a.wav\tAnn\n"), {{"labels", "whole"}, {"frames", "cepstra"}});
  CHECK(set.width == mfcc_width);
  CHECK(set.classes == std::vector<std::string>{"Ann"});
}

TEST_CASE("files: images, as IDX, CSV, and a folder of PPM") {
  Folder folder;
  std::string pixels(16 * 16, '\x7F');
  folder.write("train-labels-idx1-ubyte", std::string("\0\0\x08\x01\0\0\0\x01\x07", 9));
  std::string head("\0\0\x08\x03\0\0\0\x01\0\0\0\x10\0\0\0\x10", 16);
  CHECK(learn_from(image_kind(), folder.write("train-images-idx3-ubyte", head + pixels)).items[0].targets[0] == 7);
  CHECK(learn_from(image_kind(), folder.write("f.csv", "0,8,16,4,a\n"), {{"white", "16"}}).items[0].features[2] == 1);
  folder.write("set/dog/1.ppm", "P6 2 2 255\n" + pixels.substr(0, 12));
  folder.write("set/cat/1.pgm", "P5 2 2 255\n" + pixels.substr(0, 4));
  CHECK(learn_from(image_kind(), folder / "set").classes == std::vector<std::string>{"cat", "dog"});
  CHECK_THROWS_WITH_AS(learn_from(image_kind(), folder.write("f", "")), doctest::Contains("images-idx3"), DataError);
}

TEST_CASE("files: graphs, as two tables and as SMILES") {
  Folder folder;
  folder.write("g/nodes.csv", "x,y,label\n1,0,a\n0,1,b\n0,0,?\n");
  folder.write("g/edges.csv", "from,to\n0,1\n1,2\n");
  ExampleSet set = learn_from(graph_kind(), folder / "g");
  CHECK(set.items[0].edges.size() == 4);
  CHECK(learn_from(graph_kind(), folder / "g", {{"edges", "directed"}}).items[0].edges.size() == 2);
  set = learn_from(graph_kind(), folder.write("m.smi", "CCO\talcohol\nC=C\tother\n"));
  CHECK(set.items[0].symbols.size() == 9);
}

TEST_CASE("files: pairs, text to go on with, and sentences") {
  Folder folder;
  std::string pairs = folder.write("p.tsv", "1 2\teins zwei\n2\tzwei\n");
  CHECK(learn_from(translate_kind(), pairs, {{"unit", "word"}}).items[0].targets.size() == 2);
  CHECK(learn_from(translate_kind(), pairs).items[1].targets.size() == 4);
  CHECK(learn_from(lm_kind(), folder.write("t.txt", "hello\n")).items[0].targets[4] == '\n');
  CHECK(learn_from(words_kind(), folder.write("s.txt", "a b\n")).items[0].symbols.size() == 2);
}

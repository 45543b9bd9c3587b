// Tests of nn/mixer/mixer.hpp: the table, the text that names a mixer, its errors.
#include "nn/mixer/mixer.hpp"

#include <fstream>

#include "nn/attention/multihead.hpp"
#include "tests/check.hpp"

using namespace heed;
using namespace heed::testing;

namespace {

std::string error_of(const std::string& spec, const MixerOptions& options = {}, Size dim = 8) {
  Rng rng(1);
  try {
    make_mixer(spec, dim, rng, options);
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("mixers: each kind maps (B, N, D) to (B, N, D), causal where it can be, and refuses by reason where not") {
  Rng rng(1);
  Tensor x = random(rng, {2, 9, 8});
  for (const MixerKind& kind : mixer_kinds()) {
    CAPTURE(kind.name);
    for (bool causal : {false, true}) {
      MixerOptions options{.heads = 2, .length = 12, .causal = causal};
      if (causal && kind.not_causal) {
        std::string error = error_of(kind.name, options);
        CHECK(contains(error, std::string(kind.name) + " cannot be causal: "));
        CHECK(contains(error, kind.not_causal));
        continue;
      }
      Mixer mixer = make_mixer(kind.name, 8, rng, options);
      CHECK(mixer.name == kind.name);
      CHECK((mixer.cross != nullptr) == kind.cross);
      Eval eval;
      Tensor y = mixer(x).value();
      CHECK(y.shape() == x.shape());
      CHECK(all_finite(y));
      if (kind.cross && !causal)
        CHECK(mixer.cross(x.slice(1, 0, 3), x, padding_mask(std::vector<int>{9, 4}, 9)).shape() == Shape{2, 3, 8});
      std::vector<int> lengths{9, 5};
      Tensor other = x;
      for (Size i = (9 + 5) * 8; i < 18 * 8; i++) other.mut()[i] = 3;
      Mask mask = padding_mask(lengths, 9);
      CHECK(same_bits(mixer(x, mask).value().slice(1, 0, 5), mixer(other, mask).value().slice(1, 0, 5)));
    }
  }
}

TEST_CASE("mixers: the help of each kind names its arguments and their defaults") {
  for (const MixerKind& kind : mixer_kinds()) {
    Rng rng(1);
    MixerOptions options{.heads = 2};
    MixerSpec spec(kind.name, 8, rng, options);
    kind.make(spec);
    for (const std::string& key : spec.known()) {
      CAPTURE(key);
      CHECK(contains(kind.help, key + "="));
    }
  }
}

TEST_CASE("mixers: parameters are the layer's, with its names and numbers") {
  Rng a(3), b(3);
  MultiHeadAttention layer(8, 2, a, {.patterns = {local(3)}});
  Mixer mixer = make_mixer("local:w=3", 8, b, {.heads = 2});
  REQUIRE(mixer.parameters().size() == layer.parameters().size());
  for (std::size_t i = 0; i < mixer.parameters().size(); i++) {
    CHECK(mixer.parameters()[i].name == layer.parameters()[i].name);
    CHECK(same_bits(mixer.parameters()[i].var.value(), layer.parameters()[i].var.value()));
  }
  Tensor x = random(a, {2, 9, 8});
  CHECK(same_bits(mixer(x).value(), layer(x).value()));
  CHECK_FALSE(same_bits(mixer(x).value(), make_mixer("local:w=2", 8, b, {.heads = 2})(x).value()));
}

TEST_CASE("mixers: errors name what is known and what was expected") {
  CHECK(contains(error_of("locl"), "unknown mixer \"locl\": did you mean \"local\"?"));
  CHECK(contains(error_of(""), "unknown mixer \"\": known: attention"));
  CHECK(contains(error_of("zzzzzz"), "known: attention"));
  CHECK(contains(error_of("local:width=3"), "local: unknown argument \"width\": known: w"));
  CHECK(contains(error_of("attention:w=3"), "unknown argument \"w\": it takes none"));
  CHECK(contains(error_of("local:w=x"), "local: w=x: expected a whole number, at least 0"));
  CHECK(contains(error_of("local:w=-1"), "expected a whole number, at least 0"));
  CHECK(contains(error_of("local:w="), "expected a whole number, at least 0"));
  CHECK(contains(error_of("strided:s=0"), "strided: s=0: expected a whole number, at least 1"));
  CHECK(contains(error_of("strided:s=2,s=3"), "\"s\" is given twice"));
  CHECK(contains(error_of("strided:=2"), "expected key=value"));
  CHECK(contains(error_of("lstm:both=maybe"), "lstm: both=maybe: expected one of no, yes"));
  CHECK(contains(error_of("lstm:both", {.causal = true}), "looks ahead"));
  CHECK(contains(error_of("lstm", {}, 7), "even width"));
  CHECK(error_of("strided:s=2,r=1") == "no error");
}

TEST_CASE("mixers: docs/mixers.md holds the table of kinds (write it anew: UPDATE=1 and this test)") {
  const char* path = "docs/mixers.md";
  std::ifstream in(path);
  if (!in) return;  // not run from the root of the sources
  std::string text((std::istreambuf_iterator<char>(in)), {});
  in.close();
  std::string table =
      "| mixer | family | padding | causal | cross | what it is: arguments and their defaults; cost |\n"
      "|---|---|---|---|---|---|\n";
  for (const MixerKind& kind : mixer_kinds())
    table += std::string("| `") + kind.name + "` | " + family_name(kind.family) + " | yes | " +
             (kind.not_causal ? std::string("no: ") + kind.not_causal : "yes") + " | " + (kind.cross ? "yes" : "no") +
             " | " + kind.help + " |\n";
  if (std::getenv("UPDATE")) {
    text = text.substr(0, text.find("| mixer |")) + table;
    std::ofstream(path) << text;
  }
  CHECK(text.ends_with(table));
}

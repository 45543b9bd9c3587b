#include "nn/mixer/mixer.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numeric>

namespace HEED_NAMESPACE {

namespace {

// Letters to insert, remove or replace.
std::size_t edits(const std::string& a, const std::string& b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t(0));
  for (char letter : a) {
    std::size_t corner = row[0]++;
    for (std::size_t j = 0; j < b.size(); j++) {
      std::size_t replaced = corner + (letter != b[j]);
      corner = row[j + 1];
      row[j + 1] = std::min({replaced, corner + 1, row[j] + 1});
    }
  }
  return row.back();
}

// "did you mean "x"?" when one is near, else all of them.
std::string suggestion(const std::string& word, const std::vector<std::string>& known) {
  if (known.empty()) return "it takes none";
  auto nearest = *std::min_element(known.begin(), known.end(),
                                   [&](const auto& a, const auto& b) { return edits(word, a) < edits(word, b); });
  if (edits(word, nearest) <= 2 && edits(word, nearest) < nearest.size()) return "did you mean \"" + nearest + "\"?";
  std::string list = "known:";
  for (const std::string& k : known) list += " " + k;
  return list;
}

}  // namespace

MixerSpec::MixerSpec(std::string_view text, Size width, Rng& generator, const MixerOptions& choice)
    : dim(width), rng(generator), options(choice) {
  std::size_t colon = std::min(text.find(':'), text.size());
  kind_ = text.substr(0, colon);
  text.remove_prefix(std::min(colon + 1, text.size()));
  while (!text.empty()) {
    std::size_t comma = std::min(text.find(','), text.size());
    std::string_view item = text.substr(0, comma);
    text.remove_prefix(std::min(comma + 1, text.size()));
    std::size_t equals = std::min(item.find('='), item.size());
    Argument a{std::string(item.substr(0, equals)),
               equals < item.size() ? std::string(item.substr(equals + 1)) : "yes"};
    check(!a.key.empty(), "make_mixer", kind_, ": expected key=value, got \"", std::string(item), '"');
    for (const Argument& other : given_)
      check(other.key != a.key, "make_mixer", kind_, ": \"", a.key, "\" is given twice");
    given_.push_back(std::move(a));
  }
}

const std::string* MixerSpec::find(const char* key) {
  known_.emplace_back(key);
  for (const Argument& a : given_)
    if (a.key == key) return &a.value;
  return nullptr;
}

void MixerSpec::bad(const char* key, const std::string& value, const std::string& expected) const {
  fail("make_mixer", kind_, ": ", key, "=", value, ": expected ", expected);
}

Size MixerSpec::size(const char* key, Size otherwise, Size least) {
  const std::string* value = find(key);
  if (!value) return otherwise;
  char* end = nullptr;
  auto number = static_cast<Size>(std::strtoll(value->c_str(), &end, 10));
  if (*end || end == value->c_str() || number < least || number > Size(1) << 40)
    bad(key, *value, "a whole number, at least " + std::to_string(least));
  return number;
}

double MixerSpec::number(const char* key, double otherwise) {
  const std::string* value = find(key);
  if (!value) return otherwise;
  char* end = nullptr;
  double number = std::strtod(value->c_str(), &end);
  if (*end || end == value->c_str() || !std::isfinite(number)) bad(key, *value, "a number");
  return number;
}

bool MixerSpec::flag(const char* key, bool otherwise) { return word(key, otherwise, {"no", "yes"}) == 1; }

std::size_t MixerSpec::word(const char* key, std::size_t otherwise, const std::vector<std::string>& words) {
  const std::string* value = find(key);
  if (!value) return otherwise;
  auto at = std::find(words.begin(), words.end(), *value);
  if (at == words.end()) {
    std::string list;
    for (const std::string& w : words) list += (list.empty() ? "one of " : ", ") + w;
    bad(key, *value, list);
  }
  return static_cast<std::size_t>(at - words.begin());
}

void MixerSpec::finish() const {
  for (const Argument& a : given_)
    check(std::find(known_.begin(), known_.end(), a.key) != known_.end(), "make_mixer", kind_, ": unknown argument \"",
          a.key, "\": ", suggestion(a.key, known_));
}

const char* family_name(MixerFamily family) {
  const char* names[] = {"full", "skip entries", "fewer keys", "reorder", "no queries and keys", "no attention"};
  return names[static_cast<std::size_t>(family)];
}

Mixer make_mixer(std::string_view text, Size dim, Rng& rng, const MixerOptions& options) {
  MixerSpec spec(text, dim, rng, options);
  std::vector<std::string> names;
  for (const MixerKind& kind : mixer_kinds()) {
    names.emplace_back(kind.name);
    if (spec.kind() != kind.name) continue;
    check(!options.causal || !kind.not_causal, "make_mixer", kind.name,
          " cannot be causal: ", kind.not_causal ? kind.not_causal : "");
    Mixer mixer = kind.make(spec);
    spec.finish();
    mixer.name = text;
    return mixer;
  }
  fail("make_mixer", "unknown mixer \"", spec.kind(), "\": ", suggestion(spec.kind(), names));
}

}  // namespace HEED_NAMESPACE

// mixer.hpp — any layer that mixes a sequence, made from its name: one interface, one table of kinds.
//
//   Mixer mix = make_mixer("linformer:rank=64,share=heads", dim, rng, {.heads = 4, .length = 1024});
//   Var y = mix(x, key_padding_mask);  // (B, N, D) -> (B, N, D)
// A kind is a layer as usual (a struct that derives from Module) and one entry in kinds.cpp.
#pragma once

#include <any>
#include <functional>
#include <string_view>

#include "autograd/ops.hpp"
#include "nn/module.hpp"

namespace HEED_NAMESPACE {

/// What all kinds are asked; each takes from it what it needs.
struct MixerOptions {
  Size heads = 4;       ///< H; divides the width
  Size length = 512;    ///< the longest sequence, for kinds whose parameters grow with it
  bool causal = false;  ///< position i sees only j <= i; kinds that cannot be causal refuse
  double dropout = 0;   ///< on the weights of kinds that have weights
};

/// Any mixer: a layer (B, N, D) -> (B, N, D) whose type is forgotten. Parameters are the layer's, with its names.
struct Mixer : Module {
  std::string name;  ///< what it was made from, as "linformer:rank=64"
  std::function<Var(const Var& x, const Mask& key_padding_mask)> mix;  ///< the layer itself
  /// Queries from x (B, Nq, D), keys and values from `memory` (B, Nk, D), whose mask it is; empty for kinds that
  /// cannot.
  std::function<Var(const Var& x, const Var& memory, const Mask& key_padding_mask)> cross;
  /// The next positions x (B, n, D) of a sequence: `state`, empty at first, is what the earlier ones left. For causal
  /// layers that have a step; empty for others.
  std::function<Var(const Var& x, std::any& state)> step;

  /// Holds `layer`, anything with operator()(x, key_padding_mask) and perhaps operator()(x, memory, key_padding_mask),
  /// or a State and step(x, state).
  template <class L>
  explicit Mixer(const L& layer) {
    adopt(layer);
    mix = [layer](const Var& x, const Mask& mask) { return layer(x, mask); };
    if constexpr (requires(const Var& x, const Mask& mask) { layer(x, x, mask); })
      cross = [layer](const Var& x, const Var& memory, const Mask& mask) { return layer(x, memory, mask); };
    if constexpr (requires { typename L::State; })
      step = [layer](const Var& x, std::any& state) {
        if (!state.has_value()) state = typename L::State();
        return layer.step(x, std::any_cast<typename L::State&>(state));
      };
  }

  /// `key_padding_mask` (B, N), true = a real position.
  Var operator()(const Var& x, const Mask& key_padding_mask = {}) const { return mix(x, key_padding_mask); }
};

/// One request for a mixer as its maker sees it. Each argument of the text is asked for once, with its default; what
/// nobody asked for is an error, as is a value of another form.
class MixerSpec {
 public:
  Size dim;                     ///< D
  Rng& rng;                     ///< what parameters are drawn from
  const MixerOptions& options;  ///< what all kinds are asked

  MixerSpec(std::string_view text, Size width, Rng& generator, const MixerOptions& choice);
  const std::string& kind() const { return kind_; }  ///< what stands before ":"
  /// A whole number, at least `least`.
  Size size(const char* key, Size otherwise, Size least = 1);
  double number(const char* key, double otherwise);  ///< any finite number
  /// "key" or "key=yes", "key=no".
  bool flag(const char* key, bool otherwise = false);
  /// One of some words: the index of the chosen one.
  std::size_t word(const char* key, std::size_t otherwise, const std::vector<std::string>& words);
  /// One of some words, as the enumerator at its place: choice("share", Share::none, {"none", "heads"}).
  template <class E>
  E choice(const char* key, E otherwise, const std::vector<std::string>& words) {
    return static_cast<E>(word(key, static_cast<std::size_t>(otherwise), words));
  }
  /// Throws Error when an argument was given that nobody asked for.
  void finish() const;
  /// The arguments asked for so far.
  const std::vector<std::string>& known() const { return known_; }

 private:
  struct Argument {
    std::string key, value;
  };
  const std::string* find(const char* key);
  [[noreturn]] void bad(const char* key, const std::string& value, const std::string& expected) const;

  std::string kind_;
  std::vector<Argument> given_;
  std::vector<std::string> known_;
};

/// How the lectures group them.
enum class MixerFamily {
  full,     ///< every query with every key
  skip,     ///< entries of the matrix are left out
  fewer,    ///< fewer keys
  reorder,  ///< keys with values first
  no_keys,  ///< a matrix that no product of queries and keys makes
  none      ///< no attention
};
const char* family_name(MixerFamily family);  ///< as docs/mixers.md writes it

/// An entry of the table.
struct MixerKind {
  const char* name;                ///< what stands before ":"
  MixerFamily family;              ///< its group
  const char* help;                ///< one line: what it is, its arguments as key=default, its cost
  const char* not_causal;          ///< why it cannot be causal; nullptr: it can
  bool cross;                      ///< whether queries may come from another sequence than keys
  Mixer (*make)(MixerSpec& spec);  ///< asks `spec` for its arguments
};

/// All kinds, in the order of the lectures. All take a key_padding_mask.
const std::vector<MixerKind>& mixer_kinds();

/// The mixer that `text` names: a kind, then ":" and arguments "key=value" with "," between. Throws Error for a kind or
/// an argument that is not known (and names those that are), a value of another form, and causal where a kind cannot.
Mixer make_mixer(std::string_view text, Size dim, Rng& rng, const MixerOptions& options = {});

}  // namespace HEED_NAMESPACE

// encoder.hpp — the encoder block, attention then feed-forward, and a stack of them.
#pragma once

#include <optional>

#include "nn/attention/multihead.hpp"
#include "nn/feedforward.hpp"
#include "nn/mixer/mixer.hpp"
#include "nn/norm.hpp"
#include "nn/position/floater.hpp"

namespace HEED_NAMESPACE {

/// Where a block normalises: before each half (trains without warm-up), after it (the original), or nowhere and without
/// residuals (the plain stack that the lectures draw).
enum class NormPlace { pre, post, plain };

struct EncoderOptions {                         ///< Choices for Encoder.
  Size layers = 2, heads = 4;                   ///< blocks, and heads in each attention
  Size hidden = 0;                              ///< width of the feed-forward network; 0: 4 dim
  NormPlace norm = NormPlace::pre;              ///< where the norms stand
  Activation activation = Activation::gelu;     ///< of the feed-forward part
  double dropout = 0;                           ///< on both halves' outputs and inside the feed-forward network
  double attention_dropout = 0;                 ///< on the attention weights
  bool causal = false;                          ///< position i sees only j <= i
  std::vector<Pattern> patterns = {};           ///< of the attention: none, one, or one for each head
  PositionKind positions = PositionKind::none;  ///< what the attention knows of them
  Size reach = 16;                              ///< of relative positions
  std::optional<FloaterOptions> floater = {};   ///< learned dynamics as biases of every block; see Encoder
  std::string mixer = {};  ///< in place of the attention, as "linformer:rank=64", see mixer.hpp; its patterns and
                           ///< positions are then none
  Size length = 512;       ///< longest sequence, for mixers whose parameters grow with it
  int window = 0;          ///< pre only: neighbours on each side of a windowed layer before the attention, 0 for none
};

/// pre: x += attention(norm x), x += feedforward(norm x); post: x = norm(x + attention x), x = norm(x + feedforward x);
/// plain: feedforward(attention x). With a window, x += act(windowed(norm x)) comes first: it gives order and
/// neighbours directly, which attention has to learn from much text. (B, N, D) -> (B, N, D). Vaswani et al. 2017, arXiv
/// 1706.03762; pre: Xiong et al. 2020, arXiv 2002.04745. Any mixer may stand in place of the attention.
struct EncoderBlock : Module {
  NormPlace place;                            ///< where the norms stand
  Activation activation;                      ///< of the feed-forward part
  std::vector<LayerNorm> norm0;               ///< one or none
  std::vector<WindowedLinear> local;          ///< one or none
  LayerNorm norm1;                            ///< of the attention part
  std::vector<MultiHeadAttention> attention;  ///< one, or none
  std::vector<Mixer> mixer;                   ///< and this instead
  LayerNorm norm2;                            ///< of the feed-forward part
  FeedForward feedforward;                    ///< each position alone
  Dropout drop;                               ///< on what each part adds
  EncoderBlock(Size dim, Rng& rng, const EncoderOptions& options)
      : place(options.norm),
        activation(options.activation),
        norm1(norm("norm1", dim)),
        attention(attentions(dim, rng, options)),
        mixer(mixers(dim, rng, options)),
        norm2(norm("norm2", dim)),
        feedforward(sub("feedforward", FeedForward(dim, options.hidden ? options.hidden : 4 * dim, rng,
                                                   options.activation, options.dropout))),
        drop(options.dropout, rng) {
    if (options.window == 0) return;
    check(place == NormPlace::pre, "EncoderBlock", "a window needs NormPlace::pre");
    check(!options.causal, "EncoderBlock", "a window looks ahead and cannot be causal");
    norm0.push_back(sub("norm0", LayerNorm(dim)));
    local.push_back(sub("local", WindowedLinear(dim, dim, options.window, rng)));
  }

  /// `key_padding_mask` (B, N), true = a real position. `shift`: see MultiHeadAttention.
  Var operator()(Var x, const Mask& key_padding_mask = {}, const Var& shift = {}) const {
    for (std::size_t i = 0; i < local.size(); i++)
      x = x + drop(activate(activation, local[i](norm0[i](x), key_padding_mask)));
    return around(x, [&](const Var& y) { return mixed(y, key_padding_mask, shift); });
  }

  /// The next positions x (B, n, D) of a sequence: `state`, empty at first, is what the earlier ones left. Gives what
  /// the causal block gives at these positions under Eval. Throws Error for a mixer without steps.
  Var step(const Var& x, std::any& state) const {
    Eval eval;
    check(!attention.empty() || mixer[0].step, "EncoderBlock", "the mixer ", mixer.empty() ? "" : mixer[0].name,
          " takes no steps");
    return around(x, [&](const Var& y) {
      if (attention.empty()) return mixer[0].step(y, state);
      if (!state.has_value()) state = KeyValueCache();
      return attention[0].step(y, std::any_cast<KeyValueCache&>(state));
    });
  }
  bool has_steps() const { return local.empty() && (!attention.empty() || mixer[0].step); }  ///< whether step() works

 private:
  // What stands around the mixer: norms, residuals, the feed-forward network.
  template <class Mix>
  Var around(const Var& x, const Mix& mix) const {
    if (place == NormPlace::plain) return feedforward(mix(x));
    if (place == NormPlace::post) {
      Var y = norm1(x + drop(mix(x)));
      return norm2(y + drop(feedforward(y)));
    }
    Var y = x + drop(mix(norm1(x)));
    return y + drop(feedforward(norm2(y)));
  }
  Var mixed(const Var& x, const Mask& key_padding_mask, const Var& shift) const {
    return mixer.empty() ? attention[0](x, key_padding_mask, shift) : mixer[0](x, key_padding_mask);
  }
  std::vector<MultiHeadAttention> attentions(Size dim, Rng& rng, const EncoderOptions& options) {
    if (!options.mixer.empty()) return {};
    return {sub("attention", MultiHeadAttention(dim, options.heads, rng,
                                                {.causal = options.causal,
                                                 .dropout = options.attention_dropout,
                                                 .patterns = options.patterns,
                                                 .positions = options.positions,
                                                 .reach = options.reach}))};
  }
  std::vector<Mixer> mixers(Size dim, Rng& rng, const EncoderOptions& options) {
    if (options.mixer.empty()) return {};
    check(options.patterns.empty() && options.positions == PositionKind::none && !options.floater, "EncoderBlock",
          "patterns, positions and floater are the attention's, but the mixer is ", options.mixer);
    return {sub("mixer", make_mixer(options.mixer, dim, rng,
                                    {.heads = options.heads,
                                     .length = options.length,
                                     .causal = options.causal,
                                     .dropout = options.attention_dropout}))};
  }
  LayerNorm norm(const char* name, Size dim) {
    return place == NormPlace::plain ? LayerNorm(dim) : sub(name, LayerNorm(dim));
  }
};

/// A stack of encoder blocks, with a last LayerNorm when they normalise before. (B, N, D) -> (B, N, D). With `floater`,
/// one learned dynamics makes positions for the q, k and v of every block (FloaterPositions, per layer).
struct Encoder : Module {
  std::vector<FloaterPositions> floater;  ///< one or none
  std::vector<EncoderBlock> blocks;       ///< one after the other
  std::vector<LayerNorm> last;            ///< one or none
  Encoder(Size dim, Rng& rng, const EncoderOptions& options = {}) {
    for (Size i = 0; i < options.layers; i++) blocks.push_back(sub(std::to_string(i), EncoderBlock(dim, rng, options)));
    if (options.norm == NormPlace::pre) last.push_back(sub("norm", LayerNorm(dim)));
    if (options.floater)
      floater.push_back(sub("floater", FloaterPositions(dim, rng, *options.floater, options.layers)));
  }
  Var operator()(Var x, const Mask& key_padding_mask = {}) const {
    Var table;  // (layers, 3, N, D)
    if (!floater.empty()) {
      check(x.rank() == 3, "Encoder", "expected (B, N, D), got ", x.shape());
      table = floater[0].table(x.size(1));
    }
    for (std::size_t i = 0; i < blocks.size(); i++) {
      auto layer = static_cast<Size>(i);
      Var shift = table.defined() ? reshape(slice(table, 0, layer, layer + 1), {3, x.size(1), x.size(2)}) : Var();
      x = blocks[i](x, key_padding_mask, shift);
    }
    for (const LayerNorm& norm : last) x = norm(x);
    return x;
  }

  /// The next positions x (B, n, D) of a sequence, with a state for each block, empty at first; see
  /// EncoderBlock::step(). Throws Error with `floater`.
  Var step(Var x, std::vector<std::any>& states) const {
    check(floater.empty(), "Encoder", "floater's positions take no steps");
    states.resize(blocks.size());
    for (std::size_t i = 0; i < blocks.size(); i++) x = blocks[i].step(x, states[i]);
    for (const LayerNorm& norm : last) x = norm(x);
    return x;
  }
  bool has_steps() const { return floater.empty() && (blocks.empty() || blocks[0].has_steps()); }  ///< for step()
};

}  // namespace HEED_NAMESPACE

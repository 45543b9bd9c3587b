// decoder.hpp — the decoder block, attention to itself, then to a memory, then feed-forward, and a stack of them.
#pragma once

#include "nn/attention/multihead.hpp"
#include "nn/feedforward.hpp"
#include "nn/norm.hpp"

namespace HEED_NAMESPACE {

struct DecoderOptions {        ///< Choices for Decoder.
  Size layers = 2, heads = 4;  ///< blocks, and heads in each attention
  Size hidden = 0;             ///< width of the feed-forward network; 0: 4 dim
  double dropout = 0;          ///< on what each part adds
  bool causal = true;          ///< a position sees only earlier ones; false where all are asked for at once
};

/// x += self-attention (norm x), x += attention from norm x to the memory, x += feedforward (norm x): x (B, M, D) and
/// memory (B, N, D) -> (B, M, D). O(M² D + M N D). Vaswani et al. 2017, arXiv 1706.03762; norms before: Xiong et al.
/// 2020, arXiv 2002.04745.
struct DecoderBlock : Module {
  LayerNorm norm1;           ///< before `self`
  MultiHeadAttention self;   ///< causal, among targets
  LayerNorm norm2;           ///< before `cross`
  MultiHeadAttention cross;  ///< targets look at the memory
  LayerNorm norm3;           ///< before `feedforward`
  FeedForward feedforward;   ///< each position alone
  Dropout drop;              ///< on what each part adds
  DecoderBlock(Size dim, Rng& rng, const DecoderOptions& o)
      : norm1(sub("norm1", LayerNorm(dim))),
        self(sub("self", MultiHeadAttention(dim, o.heads, rng, {.causal = o.causal}))),
        norm2(sub("norm2", LayerNorm(dim))),
        cross(sub("cross", MultiHeadAttention(dim, o.heads, rng))),
        norm3(sub("norm3", LayerNorm(dim))),
        feedforward(
            sub("feedforward", FeedForward(dim, o.hidden ? o.hidden : 4 * dim, rng, Activation::gelu, o.dropout))),
        drop(o.dropout, rng) {}

  /// `memory_mask` (B, N), true = a real position of the memory.
  Var operator()(const Var& x, const Var& memory, const Mask& memory_mask = {}) const {
    Var y = x + drop(self(norm1(x)));
    y = y + drop(cross(norm2(y), memory, memory_mask));
    return y + drop(feedforward(norm3(y)));
  }
};

/// A stack of decoder blocks with a last LayerNorm.
struct Decoder : Module {
  std::vector<DecoderBlock> blocks;  ///< one after the other
  LayerNorm last;                    ///< after the last block
  Decoder(Size dim, Rng& rng, const DecoderOptions& o = {}) : last(dim) {
    for (Size i = 0; i < o.layers; i++) blocks.push_back(sub(std::to_string(i), DecoderBlock(dim, rng, o)));
    last = sub("norm", LayerNorm(dim));
  }
  Var operator()(Var x, const Var& memory, const Mask& memory_mask = {}) const {
    for (const DecoderBlock& block : blocks) x = block(x, memory, memory_mask);
    return last(x);
  }
};

}  // namespace HEED_NAMESPACE

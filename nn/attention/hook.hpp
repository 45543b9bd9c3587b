// hook.hpp — attention at work: queries, keys, values and weights as they pass, and a say in what comes out.
//
//   struct Print : AttentionHook {
//     Var attend(const Var& q, const Var& k, const Var& v, const AttentionOptions& options) override {
//       std::cout << attention_weights(q, k, options) << '\n';
//       return attention(q, k, v, options);
//     }
//   };
//   Print print;  // from here to the end of its life, every attention of this thread
//   model(x);
#pragma once

#include "nn/attention/attention.hpp"
#include "nn/attention/edges.hpp"

namespace HEED_NAMESPACE {

/// While one lives, attention() of this thread calls its attend() instead, and mixers that make weights in other ways
/// show them to see(). Inside attend(), attention() is itself again. Hooks end in the opposite order of their begin.
/// Without one, a mixer pays for a look at a pointer. For pictures and experiments, not for training.
class AttentionHook {
 public:
  AttentionHook();
  AttentionHook(const AttentionHook&) = delete;
  AttentionHook& operator=(const AttentionHook&) = delete;
  virtual ~AttentionHook();

  /// Stands for attention(q, k, v, options), which it may call: to record, to change, to watch the gradients.
  virtual Var attend(const Var& q, const Var& k, const Var& v, const AttentionOptions& options) {
    return attention(q, k, v, options);
  }
  /// Weights (B, H, Nq, Nk) of a mixer without attention(): 0 where it keeps no cell.
  virtual void see(const char* mixer, const Tensor& weights) {
    (void)mixer;
    (void)weights;
  }

  /// The youngest of this thread, nullptr when there is none or it is at work.
  static AttentionHook* current();

 private:
  friend Var attention(const Var& q, const Var& k, const Var& v, const AttentionOptions& options);
  Var ask(const Var& q, const Var& k, const Var& v, const AttentionOptions& options);
  AttentionHook* before_;
};

/// Shows weights on edges between rows of (B H Nq) queries and (B H Nk) keys, see selection.hpp, to the hook if there
/// is one. O(B H Nq Nk) then.
void show_edges(const char* mixer, const Var& weights, const Edges& edges, Size batch, Size heads);

}  // namespace HEED_NAMESPACE

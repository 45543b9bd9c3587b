// recorder.hpp — every attention of a model as it answers one item: numbers forward and backward, and heads cut out.
#pragma once

#include <functional>
#include <limits>
#include <optional>

#include "nn/attention/hook.hpp"

namespace HEED_NAMESPACE {

/// One attention of a model on one item. What a mixer does not have is undefined: those without attention() show their
/// weights alone.
struct SeenAttention {
  std::string mixer = "attention";
  std::size_t place = 0;                        // which attention of the model it is
  Tensor weights = {};                          // (H, Nq, Nk)
  Tensor q = {}, k = {}, v = {}, out = {};      // (H, Nq, d), (H, Nk, d), (H, Nk, dv), (H, Nq, dv)
  Tensor dq = {}, dk = {}, dv = {}, dout = {};  // gradients of the loss, the library's own
  Tensor scores = {};           // (H, Nq, Nk), what the softmax gets, where it is scale q · k - slope |p - j|
  std::vector<Mask> kept = {};  // of each head (Nq, Nk), empty: all cells
  double scale = 1;
  bool softmax = true;
  Size heads() const { return weights.size(0); }
  Size queries() const { return weights.size(1); }
  Size keys() const { return weights.size(2); }
  /// ∂loss/∂weights = dout v'; undefined without gradients.
  Tensor dweights() const;
  /// ∂loss/∂scores = A ∘ (dA - Σ_j A dA) of a softmax; undefined without scores or gradients.
  Tensor dscores() const;
};

/// Where the n-th attention of a pass belongs: models that go step by step pass one several times.
using PlaceOf = std::function<std::size_t(std::size_t)>;

/// Records what passes; calls of one place are joined, query by query. Batches of more than one item, and positions
/// that a mixer gathers into groups, are counted and not recorded.
class Recorder : public AttentionHook {
 public:
  explicit Recorder(PlaceOf place) : place_(std::move(place)) {}
  Var attend(const Var& q, const Var& k, const Var& v, const AttentionOptions& options) override;
  void see(const char* mixer, const Tensor& weights) override;
  /// After backward(): everything, with the gradients.
  std::vector<SeenAttention> result() const;
  /// Calls whose positions were gathered.
  std::size_t gathered() const { return gathered_; }

 private:
  struct Call {
    std::size_t place;
    SeenAttention seen;
    std::shared_ptr<Tensor> dq, dk, dv, dout;
  };
  PlaceOf place_;
  std::size_t count_ = 0, gathered_ = 0;
  std::vector<Call> calls_;
};

/// Makes the outputs of one head 0.
class HeadCut : public AttentionHook {
 public:
  HeadCut(PlaceOf place, std::size_t where, Size head) : place_(std::move(place)), where_(where), head_(head) {}
  Var attend(const Var& q, const Var& k, const Var& v, const AttentionOptions& options) override;

 private:
  PlaceOf place_;
  std::size_t where_, count_ = 0;
  Size head_;
};

}  // namespace HEED_NAMESPACE

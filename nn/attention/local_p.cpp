#include "nn/attention/local_p.hpp"

#include <cmath>

#include "nn/attention/attention.hpp"
#include "nn/init.hpp"

namespace HEED_NAMESPACE {

LocalPredictedAttention::LocalPredictedAttention(Size dim, Size window_reach, Rng& rng)
    : reach((check(window_reach > 0, "LocalPredictedAttention", "expected a reach above 0, got ", window_reach),
             window_reach)),
      place(sub("place", Linear(dim, dim, rng, {.bias = false}))),
      score(sub("score", Linear(dim, dim, rng, {.bias = false}))),
      w(param("w", xavier_uniform({dim, 1}, rng).reshape({dim}), true)) {}

Var LocalPredictedAttention::operator()(const Var& s, const Var& memory, const Mask& key_padding_mask) const {
  check_sequences("LocalPredictedAttention", s, memory);
  Size batch = s.size(0), queries = s.size(1), dim = s.size(2), keys = memory.size(1), cells = 2 * reach + 1;
  padding_keys("LocalPredictedAttention", key_padding_mask, batch, keys);
  Tensor lengths({batch, 1}, static_cast<real>(keys));
  for (Size b = 0; b < batch && key_padding_mask.defined(); b++) {
    Size count = 0;
    for (Size j = 0; j < keys; j++) count += key_padding_mask[b * keys + j];
    lengths.mut()[b] = static_cast<real>(count);
  }
  Var p = sigmoid(sum(tanh(place(s)) * w, {-1})) * lengths;  // (B, Nq)
  Tensor centres = p.value().compact(), positions({batch, queries, cells});
  std::vector<int> rows;
  std::vector<std::uint8_t> inside;
  for (Size i = 0; i < batch * queries; i++) {
    Size b = i / queries, first = static_cast<Size>(std::ceil(centres.data()[i] - static_cast<real>(reach)));
    for (Size c = 0; c < cells; c++) {
      Size j = first + c;
      bool in = j >= 0 && static_cast<real>(j) < lengths.data()[b] &&
                static_cast<real>(j) <= centres.data()[i] + static_cast<real>(reach);
      inside.push_back(in);
      rows.push_back(static_cast<int>(b * keys + (in ? j : 0)));
      positions.mut()[i * cells + c] = static_cast<real>(j);
    }
  }
  Mask keep({batch, queries, cells}, std::move(inside));
  Var window = embedding(reshape(memory, {batch * keys, dim}), rows, {batch, queries, cells});  // (B, Nq, cells, D)
  Var scores = matmul(window, reshape(score(s), {batch, queries, dim, 1}));
  real sigma = static_cast<real>(reach) / 2;
  Var gauss = exp(pow(positions - reshape(p, {batch, queries, 1}), 2) * (-1 / (2 * sigma * sigma)));
  Var weights = softmax(reshape(scores, {batch, queries, cells}), keep) * gauss;
  return reshape(matmul(reshape(weights, {batch, queries, 1, cells}), window), {batch, queries, dim});
}

}  // namespace HEED_NAMESPACE

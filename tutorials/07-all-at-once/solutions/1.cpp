// Exercise 07.1: the way back through self-attention, as products of matrices.
#include <cmath>

#include "heed.hpp"

struct AttentionGradients {
  heed::Var dq, dk, dv;
};

AttentionGradients attention_backward(const heed::Var& q, const heed::Var& k, const heed::Var& v,
                                      const heed::Var& dout) {
  heed::real scale = 1 / std::sqrt(static_cast<heed::real>(q.size(1)));
  heed::Var weights = softmax(matmul(q, transpose(k)), {}, scale);
  heed::Var dweights = matmul(dout, transpose(v));
  heed::Var dscores = weights * (dweights - sum(weights * dweights, {-1}, true)) * scale;
  return {matmul(dscores, k), matmul(transpose(dscores), q), matmul(transpose(weights), dout)};
}

// Every operation that PyTorch also has: values and gradients against those it computed (tests/golden).
#include "tests/golden.hpp"

#include "autograd/ops.hpp"

using namespace heed;
using namespace heed::testing;

namespace {
using Vars = std::vector<Var>;
}

TEST_CASE("golden: elementwise") {
  Golden golden("elementwise.txt");
  Mask keep = golden.mask("where.keep");
  check_golden(golden, "add", {"a", "b"}, [](const Vars& v) { return v[0] + v[1]; });
  check_golden(golden, "sub", {"a", "b"}, [](const Vars& v) { return v[0] - v[1]; });
  check_golden(golden, "mul", {"a", "b"}, [](const Vars& v) { return v[0] * v[1]; });
  check_golden(golden, "div", {"a", "b"}, [](const Vars& v) { return v[0] / v[1]; });
  check_golden(golden, "div_scalar", {"x"}, [](const Vars& v) { return v[0] / 3 - 2 / v[0]; });
  check_golden(golden, "pow", {"x"}, [](const Vars& v) { return pow(v[0], real(2.5)); });
  check_golden(golden, "pow_negative", {"x"}, [](const Vars& v) { return pow(v[0], real(-1.5)); });
  check_golden(golden, "pow_integer", {"x"}, [](const Vars& v) { return pow(v[0], 3); });
  check_golden(golden, "exp", {"x"}, [](const Vars& v) { return exp(v[0]); });
  check_golden(golden, "log", {"x"}, [](const Vars& v) { return log(v[0]); });
  check_golden(golden, "sqrt", {"x"}, [](const Vars& v) { return sqrt(v[0]); });
  check_golden(golden, "tanh", {"x"}, [](const Vars& v) { return tanh(v[0]); });
  check_golden(golden, "sigmoid", {"x"}, [](const Vars& v) { return sigmoid(v[0]); });
  check_golden(golden, "softplus", {"x"}, [](const Vars& v) { return softplus(v[0]); });
  check_golden(golden, "relu", {"x"}, [](const Vars& v) { return relu(v[0]); });
  check_golden(golden, "gelu_erf", {"x"}, [](const Vars& v) { return gelu(v[0]); });
  check_golden(golden, "gelu_tanh", {"x"}, [](const Vars& v) { return gelu(v[0], Gelu::tanh); });
  check_golden(golden, "where", {"a", "b"}, [&](const Vars& v) { return where(keep, v[0], v[1]); });
  keep = golden.mask("masked_fill.keep");
  check_golden(golden, "masked_fill", {"x"}, [&](const Vars& v) { return masked_fill(v[0], keep, real(-2.5)); });
}

TEST_CASE("golden: views and joins") {
  Golden golden("shape.txt");
  check_golden(golden, "reshape", {"x"}, [](const Vars& v) { return reshape(transpose(v[0], 0, 1), {3, 8}); });
  check_golden(golden, "permute", {"x"}, [](const Vars& v) { return permute(v[0], {1, 2, 0}); });
  check_golden(golden, "slice", {"x"}, [](const Vars& v) { return slice(v[0], 1, 1, 3); });
  check_golden(golden, "expand", {"x"}, [](const Vars& v) { return expand(v[0], {4, 2, 3}); });
  check_golden(golden, "concat", {"a", "b", "c"}, [](const Vars& v) { return concat(v, 1); });
  check_golden(golden, "stack", {"a", "b"}, [](const Vars& v) { return stack(v, -1); });
  check_golden(golden, "windows", {"x"}, [](const Vars& v) { return windows(v[0], 2, 1); });
  check_golden(golden, "windows_short", {"x"}, [](const Vars& v) { return windows(v[0], 3, 2); });
}

TEST_CASE("golden: products") {
  Golden golden("matmul.txt");
  for (const char* name : {"matmul", "matmul_batch", "matmul_fold"})
    check_golden(golden, name, {"a", "b"}, [](const Vars& v) { return matmul(v[0], v[1]); });
  check_golden(golden, "matmul_scores", {"a", "b"}, [](const Vars& v) { return matmul(v[0], transpose(v[1])); });
  check_golden(golden, "linear", {"x", "w", "b"}, [](const Vars& v) { return linear(v[0], v[1], v[2]); });
}

TEST_CASE("golden: reductions") {
  Golden golden("reduce.txt");
  check_golden(golden, "sum", {"x"}, [](const Vars& v) { return sum(v[0]); });
  check_golden(golden, "sum_axes", {"x"}, [](const Vars& v) { return sum(v[0], {0, 2}); });
  check_golden(golden, "sum_keep", {"x"}, [](const Vars& v) { return sum(v[0], {1}, true); });
  check_golden(golden, "mean", {"x"}, [](const Vars& v) { return mean(v[0]); });
  check_golden(golden, "mean_axes", {"x"}, [](const Vars& v) { return mean(v[0], {1, 2}); });
  check_golden(golden, "max_last", {"x"}, [](const Vars& v) { return max(v[0], -1); });
  check_golden(golden, "max_middle", {"x"}, [](const Vars& v) { return max(v[0], 1); });
  check_golden(golden, "norm", {"x"}, [](const Vars& v) { return norm(v[0]); });
}

TEST_CASE("golden: softmax and layer norm") {
  Golden golden("softmax.txt");
  Mask keep = golden.mask("softmax_masked.keep");
  for (const char* name : {"softmax", "softmax_large"})
    check_golden(golden, name, {"x"}, [](const Vars& v) { return softmax(v[0]); });
  check_golden(golden, "softmax_scaled", {"x"}, [](const Vars& v) { return softmax(v[0], {}, real(0.25)); });
  check_golden(golden, "softmax_masked", {"x"}, [&](const Vars& v) { return softmax(v[0], keep); });
  check_golden(golden, "log_softmax", {"x"}, [](const Vars& v) { return log_softmax(v[0]); });
  check_golden(golden, "logsumexp", {"x"}, [](const Vars& v) { return logsumexp(v[0]); });
  check_golden(golden, "layer_norm", {"x", "gain", "bias"}, [](const Vars& v) { return layer_norm(v[0], v[1], v[2]); });
  check_golden(golden, "layer_norm_plain", {"x"}, [](const Vars& v) { return layer_norm(v[0], {}, {}, 1e-3); });
}

TEST_CASE("golden: lookups and losses") {
  Golden golden("loss.txt");
  std::vector<int> ids = golden.ints("embedding.ids"), index = golden.ints("gather.index");
  std::vector<int> targets = golden.ints("cross_entropy.targets");
  check_golden(golden, "embedding", {"table"}, [&](const Vars& v) { return embedding(v[0], ids, {2, 3}); });
  check_golden(golden, "embedding_padding", {"table"}, [&](const Vars& v) { return embedding(v[0], ids, {2, 3}, 3); });
  check_golden(golden, "gather", {"x"}, [&](const Vars& v) { return gather(v[0], index); });
  check_golden(golden, "cross_entropy", {"x"}, [&](const Vars& v) { return cross_entropy(v[0], targets); });
  check_golden(golden, "cross_entropy_smooth", {"x"},
               [&](const Vars& v) { return cross_entropy(v[0], targets, {.label_smoothing = 0.1}); });
  check_golden(golden, "bce", {"x"}, [&](const Vars& v) { return binary_cross_entropy(v[0], golden["bce.targets"]); });
  check_golden(golden, "mse", {"a", "b"}, [](const Vars& v) { return mse(v[0], v[1]); });
}

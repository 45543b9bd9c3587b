// The decoder block, and SAGAN's block.
#include "nn/decoder.hpp"

#include "nn/attention/sagan.hpp"
#include "tests/check.hpp"

using namespace heed;
using namespace heed::testing;

TEST_CASE("decoder: causal, blind to padding of the memory, aware of the rest") {
  Rng rng(1);
  Decoder decoder(8, rng, {.layers = 2, .heads = 2, .hidden = 12});
  Var x = rng.normal({2, 5, 8}, 1), memory = rng.normal({2, 4, 8}, 1);
  Mask mask = padding_mask(std::vector<int>{4, 2}, 4);
  Tensor y = decoder(x, memory, mask).value();
  CHECK(y.shape() == Shape{2, 5, 8});
  CHECK(close(decoder(slice(x, 1, 0, 3), memory, mask).value(), y.slice(1, 0, 3), 1e-5));
  Tensor other = memory.value();
  for (Size i = 0; i < 16; i++) other.mut()[48 + i] = 5;  // the two padded positions of the second item
  CHECK(close(decoder(x, other, mask).value(), y, 1e-5));
  other.mut()[32] = 5;
  CHECK_FALSE(close(decoder(x, other, mask).value(), y, 1e-3).ok);
  Decoder both(8, rng, {.layers = 1, .heads = 2, .causal = false});
  Tensor all = both(x, memory, mask).value();
  CHECK_FALSE(close(both(slice(x, 1, 0, 3), memory, mask).value(), all.slice(1, 0, 3), 1e-3).ok);
}

TEST_CASE("sagan: the identity at first, when only gamma learns; its formula afterwards") {
  Rng rng(1);
  SaganBlock block(16, rng);
  Var x = rng.normal({2, 6, 16}, 1);
  CHECK(same_bits(block(x).value(), x.value()));
  sum(block(x) * rng.normal({2, 6, 16}, 1)).backward();
  for (const Parameter& p : block.parameters()) {
    real largest = 0;
    for (real g : p.var.grad().to_vector()) largest = std::max(largest, std::abs(g));
    CAPTURE(p.name);
    CHECK((largest > 0) == (p.name == "gamma"));
  }
  block.gamma.value() = Tensor({1}, 2);
  Var weights = softmax(matmul(block.g(x), transpose(block.f(x))));  // row j, over i
  Var expected = x + real(2) * block.v(matmul(weights, block.h(x)));
  CHECK(close(block(x).value(), expected.value(), 1e-5));
  Var image = reshape(transpose(x), {2, 16, 2, 3});
  CHECK(close(block(image).value(), reshape(transpose(expected), {2, 16, 2, 3}).value(), 1e-5));
}

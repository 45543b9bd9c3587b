// Tests of autograd/index.cpp: embedding and gather.
#include "autograd/ops.hpp"

#include "tests/autograd/gradients.hpp"

using namespace heed;
using namespace heed::testing;

namespace {
using Vars = std::vector<Var>;
using Ids = std::vector<int>;
}  // namespace

TEST_CASE("embedding: rows, and gradients that add up where they were read") {
  Var table = Var::parameter(iota({4, 2}));
  Ids ids = {3, 0, 3, 1};
  Var y = embedding(table, ids, {2, 2});
  CHECK(close(y.value(), array({2, 2, 2}, {6, 7, 0, 1, 6, 7, 2, 3})));
  y.backward(array({2, 2, 2}, {1, 2, 3, 4, 5, 6, 7, 8}));
  CHECK(close(table.grad(), array({4, 2}, {3, 4, 7, 8, 0, 0, 6, 8})));
  CHECK(embedding(table, Ids{}, {0, 5}).shape() == Shape{0, 5, 2});
  CHECK(embedding(table, Ids{2}, {}).shape() == Shape{2});
}

TEST_CASE("embedding: gradients") {
  Rng rng(1);
  Ids ids = {3, 0, 3, 1, 3, 0};
  check_gradients([&](const Vars& v) { return embedding(v[0], ids, {2, 3}); }, {random(rng, {4, 3})});
  check_gradients([&](const Vars& v) { return embedding(v[0], ids, {2, 3}, 3); }, {random(rng, {4, 3})});
  // One table looked up and multiplied, as with tied output weights.
  auto tied = [&](const Vars& v) { return matmul(embedding(v[0], ids, {6}), transpose(v[0])); };
  CHECK(gradcheck(tied, {random(rng, {4, 3})}) < gradient_tolerance);
}

TEST_CASE("fault 59: the padding row reads as zeros and gets no gradient, however often it occurs") {
  Var table = Var::parameter(Tensor({10, 8}, 1));
  Ids ids(1000, 0);
  ids[500] = 3;
  Var y = embedding(table, ids, {1000}, 0);
  CHECK(close(y.value().slice(0, 0, 500), Tensor({500, 8}, 0)));
  CHECK(close(y.value().slice(0, 500, 501), Tensor({1, 8}, 1)));
  y.backward(Tensor({1000, 8}, 1));
  Tensor expected({10, 8}, 0);
  paste(expected, 0, 3, Tensor({1, 8}, 1));
  CHECK(same_bits(table.grad(), expected));
}

TEST_CASE("gather: values and gradients") {
  Var x = Var::parameter(iota({2, 2, 3}));
  Ids index = {2, 0, 1, 1};
  Var y = gather(x, index);
  CHECK(close(y.value(), array({2, 2}, {2, 3, 7, 10})));
  y.backward(array({2, 2}, {1, 2, 3, 4}));
  CHECK(close(x.grad(), array({2, 2, 3}, {0, 0, 1, 2, 0, 0, 0, 3, 0, 0, 4, 0})));
  Rng rng(2);
  check_gradients([&](const Vars& v) { return gather(v[0], index); }, {random(rng, {2, 2, 3})});
  CHECK(gather(iota({3}), Ids{1}).item() == 1);
  CHECK(gather(Tensor({0, 3}), Ids{}).shape() == Shape{0});
}

TEST_CASE("index: errors name the id and what there is") {
  Var table = iota({4, 2});
  CHECK_THROWS_WITH(embedding(table, Ids{1, 4}, {2}),
                    "heed: embedding: id 4 at position 1 is outside a table of 4 rows");
  CHECK_THROWS_WITH(embedding(table, Ids{-1}, {1}),
                    "heed: embedding: id -1 at position 0 is outside a table of 4 rows");
  CHECK_THROWS_WITH(embedding(table, Ids{1, 2}, {3}), "heed: embedding: shape (3) needs 3 ids, got 2");
  CHECK_THROWS_WITH(embedding(iota({4}), Ids{1}, {1}), "heed: embedding: expected a table of shape (V, D), got (4)");
  CHECK_THROWS_WITH(gather(table, Ids{0, 1, 2}), "heed: gather: expected one index a row of (4, 2), got 3");
  CHECK_THROWS_WITH(gather(table, Ids{0, 1, 2, 0}), "heed: gather: index 2 of row 2 is outside 0 to 1");
  CHECK_THROWS_WITH(gather(table, Ids{0, 1, -1, 0}), "heed: gather: index -1 of row 2 is outside 0 to 1");
  CHECK_THROWS_WITH(gather(Tensor::scalar(1), Ids{0}), "heed: gather: expected one index a row of (), got 1");
}

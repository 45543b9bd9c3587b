// Tests of nn/embedding.hpp: one-hot vectors without the multiplication.
#include "nn/embedding.hpp"

#include "nn/linear.hpp"
#include "nn/optim/optimizer.hpp"
#include "tests/nn/layers.hpp"

using namespace heed;
using namespace heed::testing;

namespace {

Tensor one_hot(const std::vector<int>& ids, Size vocabulary) {
  Tensor out({static_cast<Size>(ids.size()), vocabulary}, 0);
  for (std::size_t i = 0; i < ids.size(); i++) out.mut()[static_cast<Size>(i) * vocabulary + ids[i]] = 1;
  return out;
}

}  // namespace

TEST_CASE("embedding: one-hot vectors times W are rows of W, with the same gradient") {
  Rng rng(1);
  Embedding table(6, 4, rng);
  Linear first(6, 4, rng, {.bias = false});
  first.w.value() = table.table.value();
  std::vector<int> ids{3, 0, 3, 5, 3};
  Tensor seed = random(rng, {5, 4});
  Var a = table(ids, {5}), b = first(one_hot(ids, 6));
  CHECK(same_bits(a.value(), b.value()));
  a.backward(seed);
  b.backward(seed);
  CHECK(close(table.table.grad(), first.w.grad()));
  // The words share nothing: all distances are √2, all products 0.
  Tensor all = one_hot({0, 1, 2, 3, 4, 5}, 6);
  CHECK(same_bits(matmul(all, transpose(Var(all))).value(), all));
}

TEST_CASE("embedding: a repeated word adds its gradients up, an absent word has exactly none") {
  Rng rng(2);
  Embedding table(4, 2, rng);
  std::vector<int> ids{2, 1, 2, 2};
  table(ids, {2, 2}).backward(array({2, 2, 2}, {1, 2, 10, 20, 100, 200, 1000, 2000}));
  CHECK(same_bits(table.table.grad(), array({4, 2}, {0, 0, 10, 20, 1101, 2202, 0, 0})));
  CHECK(table(ids, {2, 2}).shape() == Shape{2, 2, 2});
  CHECK(layer_gradcheck([&](const Vars&) { return table(ids, {4}); }, {}, table.parameters()) < gradient_tolerance);
}

TEST_CASE("embedding: learns step for step what a linear layer on one-hot vectors learns") {
  Rng rng(3);
  Embedding table(5, 3, rng);
  Linear first(5, 3, rng, {.bias = false}), head_a(3, 2, rng), head_b(3, 2, rng);
  first.w.value() = table.table.value();
  head_b.w.value() = head_a.w.value();
  std::vector<Parameter> a = table.parameters(), b = first.parameters();
  b[0].name = "first.w";
  a.insert(a.end(), head_a.parameters().begin(), head_a.parameters().end());
  b.insert(b.end(), head_b.parameters().begin(), head_b.parameters().end());
  Adam adam_a(a, {.lr = 0.05}), adam_b(b, {.lr = 0.05});
  std::vector<int> ids{0, 1, 2, 3, 4, 2}, targets{0, 1, 1, 0, 1, 1};
  for (int step = 0; step < 30; step++) {
    Var loss_a = cross_entropy(head_a(table(ids, {6})), targets);
    Var loss_b = cross_entropy(head_b(first(one_hot(ids, 5))), targets);
    CHECK(close(static_cast<double>(loss_a.item()), static_cast<double>(loss_b.item()), tolerance(1e-12, 1e-5)));
    loss_a.backward();
    loss_b.backward();
    adam_a.step();
    adam_b.step();
  }
}

TEST_CASE("embedding: starts N(0, 1/√D), without weight decay") {
  Rng rng(4);
  Embedding table(500, 64, rng);
  double squares = 0;
  for (real x : table.table.value().to_vector()) squares += static_cast<double>(x) * static_cast<double>(x);
  CHECK(std::abs(squares / (500 * 64) * 64 - 1) < 0.03);
  CHECK_FALSE(table.parameters()[0].decay);
}

TEST_CASE("embedding: the padding row reads as zeros, even if someone writes into it, and gets no gradient") {
  Rng rng(5);
  Embedding table(4, 3, rng, 2);
  CHECK(same_bits(table.table.value().slice(0, 2, 3), Tensor({1, 3}, 0)));
  std::vector<int> ids{2, 0, 2};
  CHECK(same_bits(table(ids, {3}).value().slice(0, 2, 3), Tensor({1, 3}, 0)));
  table(ids, {3}).backward(Tensor({3, 3}, 1));
  CHECK(same_bits(table.table.grad(), array({4, 3}, {1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0})));
  table.table.value() = Tensor({4, 3}, 7);
  CHECK(same_bits(table(ids, {3}).value(), array({3, 3}, {0, 0, 0, 7, 7, 7, 0, 0, 0})));
}

TEST_CASE("fault 59: a thousand paddings give no gradient, and AdamW with decay leaves the row at zero") {
  for (bool decay : {false, true}) {
    Rng rng(6);
    Embedding table(10, 8, rng, 0);
    std::vector<Parameter> parameters = table.parameters();
    parameters[0].decay = decay;
    AdamW adam(parameters, {.lr = 0.1, .weight_decay = 0.1});
    std::vector<int> ids(1000, 0);
    table(ids, {1000}).backward(random(rng, {1000, 8}));
    CHECK(same_bits(table.table.grad(), Tensor({10, 8}, 0)));
    adam.clear_gradients();
    ids[500] = 3;
    Tensor before = table.table.value();
    for (int step = 0; step < 100; step++) {
      table(ids, {1000}).backward(random(rng, {1000, 8}));
      adam.step();
    }
    CHECK(close(table.table.value().slice(0, 0, 1), Tensor({1, 8}, 0), 0, 1e-300));
    CHECK_FALSE(same_bits(table.table.value().slice(0, 3, 4), before.slice(0, 3, 4)));
    if (!decay) CHECK(same_bits(table.table.value().slice(0, 4, 10), before.slice(0, 4, 10)));
  }
}

TEST_CASE("embedding: ids and paddings outside the table, and shapes that do not fit, are refused") {
  Rng rng(7);
  Embedding table(3, 2, rng);
  for (int bad : {-1, 3, 1000000}) {
    std::vector<int> ids{0, bad};
    CHECK_THROWS_AS(table(ids, {2}), Error);
  }
  std::vector<int> ids{0, 1};
  CHECK_THROWS_AS(table(ids, {3}), Error);
  CHECK(table({}, {0}).shape() == Shape{0, 2});
  CHECK_THROWS_WITH_AS(Embedding(3, 2, rng, 3), "heed: Embedding: padding 3 is outside a table of 3 rows", Error);
}

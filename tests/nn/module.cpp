// Tests of nn/module.hpp and nn/init.hpp: names, tied parameters, handles that copies share.
#include "nn/module.hpp"

#include <algorithm>

#include "nn/embedding.hpp"
#include "nn/feedforward.hpp"
#include "tests/check.hpp"

using namespace heed;
using namespace heed::testing;

namespace {

std::vector<std::string> names(const Module& module) {
  std::vector<std::string> out;
  for (const Parameter& p : module.parameters()) out.push_back(p.name);
  return out;
}
using Names = std::vector<std::string>;

struct Pair : Module {
  Linear a, b;
  explicit Pair(Rng& rng) : a(sub("a", Linear(2, 3, rng))), b(sub("b", Linear(3, 2, rng, {.bias = false}))) {}
};

/// The output layer of a language model multiplies by the table of its embedding.
struct Tied : Module {
  Embedding words;
  Var out;
  explicit Tied(Rng& rng) : words(sub("words", Embedding(5, 3, rng))), out(words.table) {
    sub("again", words);  // the same variable under a second name
  }
  Var operator()(const std::vector<int>& ids) const {
    return matmul(words(ids, {static_cast<Size>(ids.size())}), transpose(out));
  }
};

struct Twice : Module {
  explicit Twice(Rng& rng) {
    sub("a", Linear(1, 1, rng));
    sub("a", Linear(1, 1, rng));
  }
};
struct SameName : Module {
  SameName() {
    param("w", Tensor({1}, 0));
    param("w", Tensor({1}, 0));
  }
};
struct Chosen : Module {
  Chosen() {
    param("matrix", Tensor({2, 2}, 0));
    param("vector", Tensor({2}, 0));
    param("cube", Tensor({2, 2, 2}, 0));
    param("table", Tensor({2, 2}, 0), false);
    param("gate", Tensor({2}, 0), true);
  }
};

}  // namespace

TEST_CASE("module: parameters in order of registration, under the names of their owners") {
  Rng rng(1);
  Pair pair(rng);
  CHECK(names(pair) == Names{"a.w", "a.b", "b.w"});
  CHECK(pair.parameter_count() == 2 * 3 + 3 + 3 * 2);
  CHECK(names(Mlp({2, 4, 4, 1}, rng)) == Names{"0.w", "0.b", "1.w", "1.b", "2.w", "2.b"});
  CHECK(pair.parameters()[0].var.same(pair.a.w));
  CHECK(pair.parameters()[0].var.requires_grad());
  CHECK(Module().parameters().empty());
  CHECK(Module().parameter_count() == 0);
}

TEST_CASE("module: a parameter registered under two names is listed and counted once") {
  Rng rng(1);
  Tied tied(rng);
  CHECK(names(tied) == Names{"words.table"});
  CHECK(tied.parameter_count() == 15);
  // Both uses give gradient to the one parameter.
  sum(tied({1, 2})).backward();
  Tensor e = tied.words.table.value(), g = tied.words.table.grad();
  for (Size c = 0; c < 3; c++) {
    double all = 0, used = static_cast<double>(e.at({1, c})) + static_cast<double>(e.at({2, c}));
    for (Size v = 0; v < 5; v++) all += static_cast<double>(e.at({v, c}));
    CHECK(close(static_cast<double>(g.at({0, c})), used));
    CHECK(close(static_cast<double>(g.at({1, c})), used + all));
  }
}

TEST_CASE("module: two parameters of one name are refused") {
  Rng rng(1);
  CHECK_THROWS_WITH_AS(Twice{rng}, "heed: Module: two parameters are named \"a.w\"", Error);
  CHECK_THROWS_WITH_AS(SameName{}, "heed: Module: two parameters are named \"w\"", Error);
}

TEST_CASE("module: copies and moves share their parameters, also in a growing vector") {
  Rng rng(1);
  std::vector<Linear> layers;
  for (int i = 0; i < 20; i++) layers.emplace_back(2, 2, rng);
  Linear copy = layers[7];
  copy.w.value() = Tensor({2, 2}, 5);
  CHECK(same_bits(layers[7].w.value(), Tensor({2, 2}, 5)));
  CHECK(same_bits(layers[7].parameters()[0].var.value(), Tensor({2, 2}, 5)));
  sum(copy(Tensor({1, 2}, 1))).backward();
  CHECK(same_bits(layers[7].w.grad(), Tensor({2, 2}, 1)));
  Linear moved = std::move(layers[7]);
  CHECK(moved.w.same(copy.w));
  CHECK_FALSE(layers[6].w.same(copy.w));
}

TEST_CASE("module: weight decay applies to arrays of two axes and more, unless said otherwise") {
  Chosen chosen;
  std::vector<bool> decay;
  for (const Parameter& p : chosen.parameters()) decay.push_back(p.decay);
  CHECK(decay == std::vector<bool>{true, false, true, false, true});
  for (const Parameter& p : chosen.parameters()) CHECK(p.lr_scale == 1);
}

TEST_CASE("module: children keep their choice of decay and rate") {
  struct Child : Module {
    Child() { param("table", Tensor({2, 2}, 0), false); }
  };
  struct Parent : Module {
    Parent() { sub("child", Child()); }
  };
  CHECK_FALSE(Parent().parameters()[0].decay);
}

TEST_CASE("module: summary lists names, shapes, counts and the total") {
  Rng rng(1);
  std::string text = summary(Pair(rng));
  CHECK(std::count(text.begin(), text.end(), '\n') == 4);
  for (const char* part : {"a.w", "(2, 3)", "a.b", "(3)", "b.w", "(3, 2)", "total", "15\n"})
    CHECK(text.find(part) != std::string::npos);
}

TEST_CASE("init: Xavier fills its bounds, He has its deviation, a seed gives the same bits") {
  Rng rng(5);
  Tensor w = xavier_uniform({200, 100}, rng);
  double bound = std::sqrt(6.0 / 300), largest = 0, squares = 0, total = 0;
  for (real x : w.to_vector()) {
    largest = std::max(largest, std::abs(static_cast<double>(x)));
    total += static_cast<double>(x);
  }
  CHECK(largest <= bound * (1 + 1e-6));
  CHECK(largest > 0.999 * bound);
  CHECK(std::abs(total / 20000) < 0.01 * bound);
  for (real x : he_normal({200, 100}, rng).to_vector()) squares += static_cast<double>(x) * static_cast<double>(x);
  CHECK(std::abs(squares / 20000 - 2.0 / 200) < 0.05 * 2 / 200);
  Rng one(7), two(7);
  CHECK(same_bits(xavier_uniform({3, 4}, one), xavier_uniform({3, 4}, two)));
  CHECK_THROWS_AS(xavier_uniform({3}, rng), Error);
  CHECK_THROWS_AS(he_normal({3}, rng), Error);
}

// Tests of nn/mixer/synthesizer.hpp: logits by their definition, term by term; what the weights depend on; errors.
#include "nn/mixer/synthesizer.hpp"

#include "tests/nn/patterns.hpp"

using namespace heed;
using namespace heed::testing;

namespace {

using enum Synthesis;

double number(const Tensor& x, std::initializer_list<Size> at) { return static_cast<double>(x.at(at)); }

/// The logit of one part for (b, h, i, j), from its parameters.
double definition(const Synthesizer& layer, const Synthesizer::Part& part, const Tensor& x, Size b, Size h, Size i,
                  Size j) {
  Size dim = x.size(2), e = layer.options.hidden, a = layer.options.columns, d = dim / layer.heads;
  auto answer = [&](const Var& w, const Var& bias, Size at) {
    double total = number(bias.value(), {h, 0, at});
    for (Size c = 0; c < e; c++) {
      double unit = number(part.b1.value(), {h * e + c});
      for (Size k = 0; k < dim; k++) unit += number(x, {b, i, k}) * number(part.w1.value(), {k, h * e + c});
      total += std::max(0.0, unit) * number(w.value(), {h, c, at});
    }
    return total;
  };
  double total = 0;
  switch (part.kind) {
    case random:
    case fixed_random:
      return number(part.table.value(), {h, i, j});
    case factorised_random:
      for (Size r = 0; r < layer.options.rank; r++)
        total += number(part.table.value(), {h, i, r}) * number(part.other.value(), {h, j, r});
      return total;
    case dense:
      return answer(part.w2, part.b2, j);
    case factorised_dense:
      return answer(part.w2, part.b2, j % a) * answer(part.w3, part.b3, j / a);
    case dot_product:
      break;
  }
  Tensor q = part.q[0](x).value(), k = part.k[0](x).value();
  for (Size c = 0; c < d; c++) total += number(q, {b, i, h * d + c}) * number(k, {b, j, h * d + c});
  return total / std::sqrt(static_cast<double>(d));
}

const std::vector<Synthesis> every{random, fixed_random, factorised_random, dense, factorised_dense, dot_product};

}  // namespace

TEST_CASE("Synthesizer: every part is its definition, alone and mixed, then softmax, masks, values and output") {
  Rng rng(1);
  std::vector<std::vector<Synthesis>> choices{every, {dense, dot_product}};
  for (Synthesis kind : every) choices.push_back({kind});
  for (const std::vector<Synthesis>& kinds : choices)
    for (bool causal : {false, true}) {
      Synthesizer layer(6, 2, 8, rng, {.parts = kinds, .hidden = 4, .rank = 3, .causal = causal});
      randomise(layer.parameters());
      Tensor x = heed::testing::random(rng, {2, 7, 6});
      Tensor logits({2, 2, 7, 7});
      std::vector<real> share(1, 1);
      if (kinds.size() > 1) share = softmax(layer.alpha).value().to_vector();
      for (Size b = 0, at = 0; b < 2; b++)
        for (Size h = 0; h < 2; h++)
          for (Size i = 0; i < 7; i++)
            for (Size j = 0; j < 7; j++, at++) {
              double total = 0;
              for (std::size_t m = 0; m < kinds.size(); m++)
                total += static_cast<double>(share[m]) * definition(layer, layer.parts[m], x, b, h, i, j);
              logits.mut()[at] = static_cast<real>(total);
            }
      CHECK(close(expand(layer.logits(x), {2, 2, 7, 7}).value(), logits, same_attention));
      for (const Mask& padding : {Mask(), padding_mask(std::vector<int>{7, 3}, 7)}) {
        Mask keep = padding_keys("test", padding, 2, 7);
        if (causal) keep = keep & causal_mask(7, 7);
        Var y = layer.o(merge_heads(matmul(softmax(logits, keep), split_heads(layer.v(x), 2))));
        CHECK(close(layer(x, padding).value(), y.value(), same_attention));
      }
    }
}

TEST_CASE("Synthesizer: gradients of every kind, in the length it was made for and in a shorter one") {
  if (!is_double) return;  // a difference in float steps over the kinks of ReLU
  Rng rng(2);
  for (Synthesis kind : every)
    for (Size n : {Size(5), Size(3)}) {
      Synthesizer layer(4, 2, 5, rng, {.parts = {kind}, .hidden = 3});
      randomise(layer.parameters());
      std::vector<Parameter> learned = layer.parameters();
      std::erase_if(learned, [](const Parameter& p) { return p.lr_scale == 0; });
      CHECK(layer_gradcheck([&](const Vars& v) { return layer(v[0]); }, {heed::testing::random(rng, {2, n, 4})},
                            learned) < gradient_tolerance);
    }
}

TEST_CASE(
    "Synthesizer: random weights are the same for all inputs, dense ones differ; fixed ones are saved, not learned") {
  Rng rng(3);
  Tensor x = heed::testing::random(rng, {3, 5, 4}), y = heed::testing::random(rng, {3, 5, 4});
  for (Synthesis kind : every) {
    Synthesizer layer(4, 2, 5, rng, {.parts = {kind}});
    randomise(layer.parameters());
    bool reads = kind == dense || kind == factorised_dense || kind == dot_product;
    CHECK(same_bits(layer.logits(x).value(), layer.logits(y).value()) != reads);
    CHECK(layer.logits(x).size(0) == (reads ? 3 : 1));
    // One matrix for the batch gives what each sequence gives alone.
    for (Size b = 0; b < 3; b++) CHECK(close(layer(x).value().slice(0, b, b + 1), layer(x.slice(0, b, b + 1)).value()));
  }
  Synthesizer fixed(4, 2, 5, rng, {.parts = {fixed_random}});
  fixed(x).backward(y);
  CHECK_FALSE(fixed.parts[0].table.grad().defined());
  CHECK(fixed.parameters().size() == 5);
  CHECK(fixed.parameter_count() == 2 * (4 * 4 + 4));
}

TEST_CASE("Synthesizer: errors") {
  Rng rng(4);
  CHECK_THROWS_WITH_AS(Synthesizer(4, 3, 5, rng), "heed: Synthesizer: 3 heads do not divide 4", Error);
  CHECK_THROWS_WITH_AS(Synthesizer(4, 2, 5, rng, {.parts = {}}), "heed: Synthesizer: expected at least one part",
                       Error);
  CHECK_THROWS_AS(Synthesizer(4, 2, 5, rng, {.parts = {dense, dense}}), Error);
  CHECK_THROWS_WITH_AS(Synthesizer(4, 2, 5, rng)(Tensor({1, 6, 4}, 1)),
                       "heed: Synthesizer: a sequence of 6 positions, but the weights are for 5", Error);
}

// length.cpp — attention or a mixer at one length, forward and backward, 4 heads of 64: the server behind lengths.py.
//
//   length NAME N THREADS   then, for each line of standard input: runs so many times, answers with a line of JSON
//   length --mixers         names and families of all mixers
//   length --generate       microseconds a position, at some positions, of layers that generate one after the other
//
// NAME is one of the forms below, without projections, or "mixer SPEC" with what make_mixer() takes, with its own.
#include <algorithm>
#include <chrono>
#include <functional>
#include <iostream>
#include <map>

#include "bench/resident.hpp"
#include "nn/attention/multihead.hpp"
#include "nn/mixer/features.hpp"
#include "nn/mixer/mixer.hpp"
#include "tensor/counters.hpp"
#include "tensor/gemm.hpp"
#include "tensor/threads.hpp"

using namespace heed;

namespace {

constexpr Size heads = 4, dim = 256, rank = 256;

// Inputs (1, N, 256) to an output of the same shape, and what else gets gradients.
struct Work {
  std::function<Var(const std::vector<Var>&)> run;
  std::vector<Var> weights = {};
  int inputs = 3;  // queries, keys and values
};

Work with(const Pattern& kept) {
  return {[=](const std::vector<Var>& in) {
    return merge_heads(attention(split_heads(in[0], heads), split_heads(in[1], heads), split_heads(in[2], heads),
                                 {.patterns = {kept}}));
  }};
}

Work linear() {
  return {[](const std::vector<Var>& in) {
    auto features = [](const Var& x) { return split_heads(elu_plus_one(x), heads); };
    return merge_heads(linear_attention(features(in[0]), features(in[1]), split_heads(in[2], heads)));
  }};
}

Work linformer(Size n, Rng& rng) {
  std::vector<Var> mix;
  for (int i = 0; i < 2; i++) mix.push_back(Var::parameter(rng.normal({rank, n}, 1 / std::sqrt(double(rank)))));
  return {[=](const std::vector<Var>& in) {
            auto few = [&](std::size_t i) { return split_heads(matmul(mix[i - 1], in[i]), heads); };
            return merge_heads(attention(split_heads(in[0], heads), few(1), few(2)));
          },
          mix};
}

Work mixer(const std::string& spec, Size n, Rng& rng) {
  Mixer layer = make_mixer(spec, dim, rng, {.heads = heads, .length = n});
  Work made{[=](const std::vector<Var>& in) { return layer(in[0]); }, {}, 1};
  for (const Parameter& each : layer.parameters())
    if (each.var.requires_grad()) made.weights.push_back(each.var);
  return made;
}

// A line here and one in lengths.py adds another form.
Work work(const std::string& name, Size n, Rng& rng) {
  const std::map<std::string, std::function<Work()>> forms{
      {"full", [] { return with(full()); }},
      {"causal", [] { return with(causal()); }},
      {"local", [] { return with(local(64)); }},
      {"longformer", [] { return with(longformer(64, {0})); }},
      {"bigbird", [] { return with(big_bird(1)); }},
      {"strided", [] { return with(strided(64, 1)); }},
      {"comb", [] { return with(strided(64)); }},
      {"linear", [] { return linear(); }},
      {"linformer", [&] { return linformer(n, rng); }},
  };
  if (name.starts_with("mixer ")) return mixer(name.substr(6), n, rng);
  check(forms.count(name), "length", "there is no ", name);
  return forms.at(name)();
}

void serve(const std::string& name, Size n) {
  Rng rng(1);
  Work work = ::work(name, n, rng);
  std::vector<Var> inputs;
  for (int i = 0; i < work.inputs; i++) inputs.push_back(Var::parameter(rng.normal({1, n, dim}, 1)));
  std::vector<Var> all = inputs;
  all.insert(all.end(), work.weights.begin(), work.weights.end());
  Tensor seed = rng.normal({1, n, dim}, 1);
  auto run = [&] {
    Var y = work.run(inputs);
    y.backward(seed);
    for (Var& each : all) each.grad() = Tensor();
  };
  for (std::string line; std::getline(std::cin, line);) {
    std::vector<double> times;
    reset_counters();
    Size held = counters().live_bytes;
    int count = std::max(1, std::stoi(line));
    for (int i = 0; i < count; i++) {
      auto begin = std::chrono::steady_clock::now();
      run();
      times.push_back(std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count());
    }
    std::sort(times.begin(), times.end());
    std::printf("{\"ms\": %.4f, \"peak\": %td, \"rss_peak\": %ld, \"multiply_adds\": %td}\n", times[times.size() / 2],
                counters().peak_bytes - held, bench::resident("VmHWM"), counters().multiply_adds / count);
    std::fflush(stdout);
  }
}

// Median microseconds of a step around some positions of a long sequence.
template <class Layer, class State>
void generate(const char* name, const Layer& layer, State state) {
  Rng rng(2);
  std::vector<double> times;
  std::printf("{\"name\": \"%s\", \"microseconds\": {", name);
  const char* comma = "";
  for (Size position = 1; position <= 10050; position++) {
    Tensor x = rng.normal({1, 1, dim}, 1);
    auto begin = std::chrono::steady_clock::now();
    layer.step(x, state);
    times.push_back(std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - begin).count());
    for (Size at : {10, 100, 1000, 10000})
      if (position == at + std::min<Size>(at / 2, 50)) {
        auto around = times.end() - 2 * std::min<Size>(at / 2, 50);
        std::nth_element(around, around + (times.end() - around) / 2, times.end());
        std::printf("%s\"%td\": %.3f", comma, at, around[(times.end() - around) / 2]);
        comma = ", ";
      }
  }
  std::printf("}}\n");
}

}  // namespace

int main(int count, char** arguments) {
  try {
    if (count == 2 && std::string(arguments[1]) == "--mixers") {
      for (const MixerKind& kind : mixer_kinds()) std::printf("%s\t%s\n", kind.name, family_name(kind.family));
      return 0;
    }
    if (count == 2 && std::string(arguments[1]) == "--generate") {
      Rng rng(1);
      generate("linear", LinearAttention(dim, heads, rng, {.causal = true}), LinearState());
      generate("performer", Performer(dim, heads, rng, {.causal = true}), LinearState());
      generate("attention", MultiHeadAttention(dim, heads, rng, {.causal = true}), KeyValueCache());
      return 0;
    }
    check(count == 4, "length", "usage: length NAME N THREADS");
    set_threads(std::stoi(arguments[3]));
    std::printf("{\"engine\": \"%s\"}\n", gemm_name().c_str());
    std::fflush(stdout);
    serve(arguments[1], std::stol(arguments[2]));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}

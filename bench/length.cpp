// length.cpp — attention at one length, forward and backward, 4 heads of 64: the server behind lengths.py.
//
//   length NAME N THREADS   then, for each line of standard input: runs so many times, answers with a line of JSON
#include <algorithm>
#include <chrono>
#include <functional>
#include <iostream>
#include <map>

#include "bench/resident.hpp"
#include "nn/attention/attention.hpp"
#include "tensor/counters.hpp"
#include "tensor/gemm.hpp"
#include "tensor/threads.hpp"

using namespace heed;

namespace {

constexpr Size heads = 4, dim = 256;

// Queries, keys and values (1, N, 256) to an output of the same shape, and what else gets gradients.
struct Work {
  std::function<Var(const Var& q, const Var& k, const Var& v)> run;
  std::vector<Var> weights = {};
};

Work with(const Pattern& kept) {
  return {[=](const Var& q, const Var& k, const Var& v) {
    return merge_heads(
        attention(split_heads(q, heads), split_heads(k, heads), split_heads(v, heads), {.patterns = {kept}}));
  }};
}

// A line here and one in lengths.py adds another.
Work work(const std::string& name) {
  const std::map<std::string, std::function<Work()>> all{
      {"full", [] { return with(full()); }},         {"causal", [] { return with(causal()); }},
      {"local", [] { return with(local(64)); }},     {"longformer", [] { return with(longformer(64, {0})); }},
      {"bigbird", [] { return with(big_bird(1)); }}, {"strided", [] { return with(strided(64, 1)); }},
      {"comb", [] { return with(strided(64)); }},
  };
  check(all.count(name), "length", "there is no ", name);
  return all.at(name)();
}

void serve(const Work& work, Size n) {
  Rng rng(1);
  std::vector<Var> inputs;
  for (int i = 0; i < 3; i++) inputs.push_back(Var::parameter(rng.normal({1, n, dim}, 1)));
  std::vector<Var> all = inputs;
  all.insert(all.end(), work.weights.begin(), work.weights.end());
  Tensor seed = rng.normal({1, n, dim}, 1);
  auto run = [&] {
    Var y = work.run(inputs[0], inputs[1], inputs[2]);
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

}  // namespace

int main(int count, char** arguments) {
  try {
    check(count == 4, "length", "usage: length NAME N THREADS");
    set_threads(std::stoi(arguments[3]));
    Work chosen = work(arguments[1]);
    std::printf("{\"engine\": \"%s\"}\n", gemm_name().c_str());
    std::fflush(stdout);
    serve(chosen, std::stol(arguments[2]));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}

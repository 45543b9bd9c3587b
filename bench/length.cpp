// length.cpp — attention at one length, forward and backward, 4 heads of 64: the server behind lengths.py.
//
//   length PATTERN N THREADS   then, for each line of standard input: runs so many times, answers with a line of JSON
#include <algorithm>
#include <chrono>
#include <iostream>
#include <map>

#include "nn/attention/attention.hpp"
#include "tensor/counters.hpp"
#include "tensor/gemm.hpp"
#include "tensor/threads.hpp"

using namespace heed;

namespace {

Pattern pattern(const std::string& name) {
  const std::map<std::string, Pattern> all{
      {"full", full()},         {"causal", causal()},        {"local", local(64)}, {"longformer", longformer(64, {0})},
      {"bigbird", big_bird(1)}, {"strided", strided(64, 1)}, {"comb", strided(64)}};
  check(all.count(name), "length", "there is no pattern ", name);
  return all.at(name);
}

void serve(const Pattern& kept, Size n) {
  Rng rng(1);
  Var x[3];
  for (Var& each : x) each = Var::parameter(rng.normal({1, n, 256}, 1));
  Tensor seed = rng.normal({1, n, 256}, 1);
  auto run = [&] {
    Var y =
        merge_heads(attention(split_heads(x[0], 4), split_heads(x[1], 4), split_heads(x[2], 4), {.patterns = {kept}}));
    y.backward(seed);
    for (Var& each : x) each.grad() = Tensor();
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
    std::printf("{\"ms\": %.4f, \"peak\": %td, \"multiply_adds\": %td}\n", times[times.size() / 2],
                counters().peak_bytes - held, counters().multiply_adds / count);
    std::fflush(stdout);
  }
}

}  // namespace

int main(int count, char** arguments) {
  try {
    check(count == 4, "length", "usage: length PATTERN N THREADS");
    set_threads(std::stoi(arguments[3]));
    std::printf("{\"engine\": \"%s\"}\n", gemm_name().c_str());
    std::fflush(stdout);
    serve(pattern(arguments[1]), std::stol(arguments[2]));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}

// ops.cpp — operations, layers (forward and backward) and whole training steps, on one and two threads. bench/peers.py
// runs PyTorch's by the same names.
//
// Each reports GF/s, two a multiply-add of the library's own count; that as a share of the ceiling; buffers fetched
// from the system in a pass; and the most bytes that tensors held.
#include <benchmark/benchmark.h>

#include <chrono>
#include <map>
#include <string>

#include "bench/pass.hpp"
#include "bench/step.hpp"
#include "nn/conv.hpp"
#include "tensor/counters.hpp"
#include "tensor/gemm.hpp"
#include "tensor/threads.hpp"

using namespace heed;
using namespace heed::bench;

namespace {

using Clock = std::chrono::steady_clock;
double since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

// Multiply-adds a second when each thread multiplies matrices of its own: what machine and BLAS can do at most.
// Measured again when a minute old, since clocks and neighbours change.
double ceiling(int thread_count) {
  constexpr Size n = 1024;
  static std::map<int, std::pair<double, Clock::time_point>> known;
  auto it = known.find(thread_count);
  if (it != known.end() && since(it->second.second) < 60) return it->second.first;
  Tensor a = pass_rng.uniform({n, n}, 1);
  std::vector<Tensor> out;
  for (int i = 0; i < thread_count; i++) out.emplace_back(Shape{n, n}, real(0));
  double best = 1e9;
  for (int i = 0; i < 12; i++) {
    auto begin = Clock::now();
    parallel_for(thread_count, 1, [&](Size first, Size last) {
      for (Size t = first; t < last; t++)
        gemm({a.data(), n}, {a.data(), n}, out[static_cast<std::size_t>(t)].mut(), n, n, n, n);
    });
    best = std::min(best, since(begin));
  }
  double rate = static_cast<double>(thread_count * n * n * n) / best;
  known[thread_count] = {rate, Clock::now()};
  return rate;
}

// Makes what is measured: its inputs live as long as what is returned.
using Make = std::function<std::function<void()>()>;

void run(benchmark::State& state, const Make& make, int thread_count) {
  set_threads(thread_count);
  double most = ceiling(thread_count);
  std::function<void()> pass = make();
  for (int i = 0; i < 2; i++) pass();  // the moments of the first step take buffers that the second has to fetch again
  reset_counters();
  auto begin = Clock::now();
  for (auto _ : state) pass();
  double seconds = since(begin);
  Counters c = counters();
  auto done = static_cast<double>(c.multiply_adds);
  state.counters["GF/s"] = 2e-9 * done / seconds;
  state.counters["of_ceiling"] = done / seconds / most;
  state.counters["allocations"] = static_cast<double>(c.allocations) / static_cast<double>(state.iterations());
  state.counters["peak_MiB"] = static_cast<double>(c.peak_bytes) / (1 << 20);
}

void add(const std::string& name, const Make& make, benchmark::TimeUnit unit = benchmark::kMillisecond) {
  for (int count : {1, 2})
    benchmark::RegisterBenchmark((name + "/threads:" + std::to_string(count)).c_str(),
                                 [=](benchmark::State& state) { run(state, make, count); })
        ->Unit(unit)
        ->UseRealTime();
}

void add_layers() {
  add("linear/4096x256x1024", [] { return both_ways(Linear(256, 1024, pass_rng), {4096, 256}); });
  add("layer_norm/4096x512", [] { return both_ways(LayerNorm(512), {4096, 512}); });
  add("softmax/32768x128", [] {
    Var x = fresh({32768, 128});
    return both_ways({x}, [=] { return softmax(x); });
  });
  for (Gelu form : {Gelu::erf, Gelu::tanh})
    add(form == Gelu::erf ? "gelu_erf/4096x1024" : "gelu_tanh/4096x1024", [form] {
      Var x = fresh({4096, 1024});
      return both_ways({x}, [=] { return gelu(x, form); });
    });
  add("dropout/4096x1024", [] {
    Var x = fresh({4096, 1024});
    return both_ways({x}, [=] { return dropout(x, 0.1, pass_rng); });
  });
  add("cross_entropy/4096x5000", [] {
    Var x = fresh({4096, 5000});
    return both_ways({x}, [x, targets = some_ids(4096, 5000)] { return cross_entropy(x, targets); });
  });
  for (Size rows : {5000, 50000})
    add("embedding/" + std::to_string(rows) + "x256", [rows] {
      Var table = fresh({rows, 256});
      return both_ways({table}, [table, ids = some_ids(4096, rows)] { return embedding(table, ids, {4096}); });
    });
}

// The cost of the graph itself.
void add_single() {
  add(
      "add/forward",
      [] {
        Var x = fresh({1}), y = fresh({1});
        return [=] { benchmark::DoNotOptimize(x + y); };
      },
      benchmark::kMicrosecond);
  add(
      "add/both",
      [] {
        Var x = fresh({1}), y = fresh({1});
        return both_ways({x, y}, [=] { return x + y; });
      },
      benchmark::kMicrosecond);
}

void add_networks() {
  add("lstm/32x64x256", [] { return both_ways(Lstm(256, 256, pass_rng), {32, 64, 256}); });
  add("gru/32x64x256", [] { return both_ways(Gru(256, 256, pass_rng), {32, 64, 256}); });
  add("lstm/1x64x256", [] { return both_ways(Lstm(256, 256, pass_rng), {1, 64, 256}); });
  add("conv1d/32x256x128/3", [] { return both_ways(Conv1d(256, 256, 3, pass_rng, {.padding = 1}), {32, 256, 128}); });
  add("conv2d/64x32x28x28/3", [] { return both_ways(Conv2d(32, 32, 3, pass_rng, {.padding = 1}), {64, 32, 28, 28}); });
  add("max_pool/64x32x28x28/2", [] {
    Var x = fresh({64, 32, 28, 28});
    return both_ways({x}, [=] { return max_pool(x); });
  });
}

void add_attention(Size batch, Size length) {
  add("attention/" + std::to_string(batch) + "x" + std::to_string(length), [=] {
    return both_ways(MultiHeadAttention(256, 8, pass_rng, {.bias = false}), {batch, length, 256});
  });
}

void add_adamw(Size tensors) {
  add("adamw/10M/" + std::to_string(tensors), [tensors]() -> std::function<void()> {
    std::vector<Parameter> parameters;
    std::vector<Tensor> gradients;
    for (Size i = 0; i < tensors; i++) {
      Shape shape{10'000'000 / tensors};
      parameters.push_back({.name = std::to_string(i), .var = Var::parameter(Tensor(shape, 1))});
      gradients.emplace_back(shape, real(1e-3));
    }
    return [=, adamw = std::make_shared<AdamW>(parameters)] {
      for (std::size_t i = 0; i < parameters.size(); i++) Var(parameters[i].var).grad() = gradients[i];
      adamw->step();
    };
  });
}

void add_matmul(const Shape& a, const Shape& b) {
  std::string name = "matmul/";
  for (Size size : a) name += std::to_string(size) + "x";
  add(name + std::to_string(b[-1]), [=] {
    Var x = fresh(a), y = fresh(b);
    return both_ways({x, y}, [=] { return matmul(x, y); });
  });
}

void add_task(const std::string& name, double dropout_rate = 0) {
  add("step/" + name + (dropout_rate > 0 ? "/dropout" : ""), [=]() -> std::function<void()> {
    return [task = std::make_shared<bench::Task>(bench::task(name, dropout_rate))] { task->pass(); };
  });
}

}  // namespace

int main(int count, char** arguments) {
  add_layers();
  add_single();
  for (Size tensors : {1, 100, 1000}) add_adamw(tensors);
  add_networks();
  add_matmul({768, 64}, {64, 64});
  add_matmul({1024, 128}, {128, 512});
  add_matmul({2048, 256}, {256, 1024});
  add_matmul({2048, 512}, {512, 2048});
  add_matmul({128, 24, 16}, {128, 16, 24});
  add_matmul({128, 32, 32}, {128, 32, 32});
  add_matmul({128, 128, 32}, {128, 32, 128});
  add_matmul({32, 512, 64}, {32, 64, 512});
  add_attention(1, 512);
  add_attention(1, 2048);
  add_attention(4, 2048);
  for (const bench::StepSize& size : bench::step_sizes)
    for (double dropout_rate : {0.0, 0.1}) add_task(std::string(size.name), dropout_rate);
  for (std::string_view name : bench::other_tasks) add_task(std::string(name));
  benchmark::AddCustomContext("engine", gemm_name());
  benchmark::Initialize(&count, arguments);
  if (benchmark::ReportUnrecognizedArguments(count, arguments)) return 1;
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
}

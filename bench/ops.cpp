// ops.cpp — single operations, forward and backward, on one and two threads. bench/peers.py runs PyTorch's by the same
// names. Each reports GF/s, two a multiply-add of the library's own count.
#include <benchmark/benchmark.h>

#include <string>

#include "bench/pass.hpp"
#include "nn/attention/multihead.hpp"
#include "nn/optim/optimizer.hpp"
#include "tensor/counters.hpp"
#include "tensor/threads.hpp"

using namespace heed;
using namespace heed::bench;

namespace {

// Makes the operation to measure: its inputs live as long as what is returned.
using Make = std::function<std::function<void()>()>;

void run(benchmark::State& state, const Make& make, int thread_count) {
  set_threads(thread_count);
  std::function<void()> pass = make();
  pass();
  reset_counters();
  for (auto _ : state) pass();
  Counters c = counters();
  state.counters["GF/s"] = benchmark::Counter(2 * static_cast<double>(c.multiply_adds), benchmark::Counter::kIsRate,
                                              benchmark::Counter::kIs1000);
  state.counters["allocations"] = static_cast<double>(c.allocations) / static_cast<double>(state.iterations());
}

void add(const std::string& name, const Make& make) {
  for (int count : {1, 2})
    benchmark::RegisterBenchmark((name + "/threads:" + std::to_string(count)).c_str(),
                                 [=](benchmark::State& state) { run(state, make, count); })
        ->Unit(benchmark::kMillisecond)
        ->UseRealTime();
}

void add_layers() {
  add("linear/4096x256x1024", [] {
    Var x = fresh({4096, 256}), w = fresh({256, 1024}), b = fresh({1024});
    return both_ways({x, w, b}, [=] { return linear(x, w, b); });
  });
  add("layer_norm/4096x512", [] {
    Var x = fresh({4096, 512}), gain = fresh({512}), bias = fresh({512});
    return both_ways({x, gain, bias}, [=] { return layer_norm(x, gain, bias); });
  });
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
    return both_ways({x}, [=] { return dropout(x, 0.1, rng); });
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

void add_attention(Size batch, Size length) {
  add("attention/" + std::to_string(batch) + "x" + std::to_string(length), [=] {
    MultiHeadAttention layer(256, 8, rng, {.bias = false});
    Var x = fresh({batch, length, 256});
    return both_ways(x, layer, [=] { return layer(x); });
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

}  // namespace

int main(int count, char** arguments) {
  add_layers();
  for (Size tensors : {1, 100, 1000}) add_adamw(tensors);
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
  benchmark::Initialize(&count, arguments);
  if (benchmark::ReportUnrecognizedArguments(count, arguments)) return 1;
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
}

// instructions.cpp — passes whose instructions are counted, see instructions.sh.
//
//   instructions         the engine of products, then the name of each case
//   instructions CASE    that case: two passes that fetch memory and fill caches, and one inside measured()
#include <cstdio>
#include <cstring>
#include <memory>

#include "bench/pass.hpp"
#include "bench/step.hpp"
#include "nn/conv.hpp"
#include "nn/recurrent.hpp"
#include "tensor/gemm.hpp"

using namespace heed;
using namespace heed::bench;

using Pass = std::function<void()>;

// Found by its name; returns something, so that the pass is no tail call, which would leave it too early.
extern "C" [[gnu::noinline]] int measured(const Pass& pass) {
  pass();
  return 0;
}

namespace {

Pass attention_pass(Size length, const Pattern& pattern) {
  MultiHeadAttention layer(64, 4, pass_rng, {.patterns = {pattern}});
  return both_ways(layer, {2, length, 64});
}

Pass task_pass(const char* name, double dropout) {
  return [all = std::make_shared<Task>(task(name, dropout))] { all->pass(); };
}

struct Case {
  const char* name;
  Pass (*make)();
};

const Case cases[] = {
    {"training-step", [] { return task_pass("tiny", 0.1); }},
    {"tagging", [] { return task_pass("tag/small/1", 0); }},
    {"linear",
     [] {
       return both_ways(Linear(64, 128, pass_rng), {512, 64});
     }},
    {"small-products",
     [] {
       Var a = fresh({64, 24, 16}), b = fresh({64, 16, 24});
       return both_ways({a, b}, [=] { return matmul(a, b); });
     }},
    {"layer-norm",
     [] {
       Var x = fresh({512, 128}), gain = fresh({128}), bias = fresh({128});
       return both_ways({x, gain, bias}, [=] { return layer_norm(x, gain, bias); });
     }},
    {"softmax",
     [] {
       Var x = fresh({1024, 64});
       return both_ways({x}, [=] { return softmax(x); });
     }},
    {"gelu",
     [] {
       Var x = fresh({512, 128});
       return both_ways({x}, [=] { return gelu(x); });
     }},
    {"dropout",
     [] {
       Var x = fresh({512, 128});
       return both_ways({x}, [=] { return dropout(x, 0.1, pass_rng); });
     }},
    {"cross-entropy",
     [] {
       Var x = fresh({256, 500});
       return both_ways({x}, [x, targets = some_ids(256, 500)] { return cross_entropy(x, targets); });
     }},
    {"embedding",
     [] {
       Var table = fresh({1000, 64});
       return both_ways({table}, [table, ids = some_ids(1024, 1000)] { return embedding(table, ids, {1024}); });
     }},
    {"attention-full", [] { return attention_pass(128, full()); }},
    {"attention-local", [] { return attention_pass(256, local(16)); }},
    {"attention-strided", [] { return attention_pass(256, strided(16)); }},
    {"conv1d",
     [] {
       return both_ways(Conv1d(32, 32, 3, pass_rng, {.padding = 1}), {8, 32, 64});
     }},
    {"lstm",
     [] {
       return both_ways(Lstm(32, 32, pass_rng), {8, 32, 32});
     }},
    {"adamw",
     []() -> Pass {
       std::vector<Parameter> parameters;
       for (Size i = 0; i < 16; i++) parameters.push_back({.name = std::to_string(i), .var = fresh({100, 100})});
       return [=, adamw = std::make_shared<AdamW>(parameters), gradient = Tensor({100, 100}, real(1e-3))] {
         for (const Parameter& p : parameters) Var(p.var).grad() = gradient;
         adamw->step();
       };
     }},
};

}  // namespace

int main(int count, char** arguments) {
  if (count < 2) std::printf("%s\n", gemm_name().c_str());
  for (const auto& [name, make] : cases) {
    if (count < 2) std::printf("%s\n", name);
    if (count < 2 || std::strcmp(name, arguments[1]) != 0) continue;
    Pass pass = make();
    pass();
    pass();
    return measured(pass);
  }
  return count < 2 ? 0 : 1;
}

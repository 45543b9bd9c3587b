// Tests of tensor/threads.cpp: every element once, and the same bits for every number of threads.
#include "tensor/threads.hpp"

#include <sys/resource.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "autograd/ops.hpp"
#include "tensor/gemm.hpp"
#include "tests/check.hpp"

using namespace heed;
using namespace heed::testing;

namespace {

// f() has to give the same bits with 1, 2 and 3 threads.
void check_same_bits(const char* name, const std::function<Tensor()>& f) {
  CAPTURE(name);
  Tensor one = with_threads(1, f);
  for (int count : {2, 3})
    for (int repeat = 0; repeat < 3; repeat++) CHECK(same_bits(with_threads(count, f), one));
}

}  // namespace

TEST_CASE("threads: ranges cover everything once") {
  for (int count : {1, 2, 3, 5})
    with_threads(count, [&] {
      CHECK(threads() == count);
      for (Size n : {0, 1, 99, 100, 101, 1000, 12345}) {
        std::vector<std::atomic<int>> seen(static_cast<std::size_t>(n));
        std::atomic<bool> sane{true};
        parallel_for(n, 100, [&](Size begin, Size end) {
          if (begin >= end) sane = false;
          for (Size i = begin; i < end; i++) seen[static_cast<std::size_t>(i)]++;
        });
        CHECK(sane);
        CHECK(std::all_of(seen.begin(), seen.end(), [](const auto& times) { return times == 1; }));
      }
      return 0;
    });
}

TEST_CASE("threads: short ranges stay on the calling thread") {
  with_threads(3, [] {
    auto caller = std::this_thread::get_id();
    int calls = 0;
    parallel_for(100, 100, [&](Size, Size) { calls += std::this_thread::get_id() == caller; });
    CHECK(calls == 1);
    return 0;
  });
}

TEST_CASE("threads: a loop inside a loop") {
  std::atomic<Size> total{0};
  with_threads(3, [&] {
    parallel_for(64, 1, [&](Size begin, Size end) {
      for (Size i = begin; i < end; i++) parallel_for(1000, 10, [&](Size from, Size to) { total += to - from; });
    });
    return 0;
  });
  CHECK(total == 64 * 1000);
}

TEST_CASE("threads: several callers at once") {
  Rng rng(1);
  Tensor a = random(rng, {120, 130}), b = random(rng, {130, 110}), expected = matmul(a, b);
  const double total = static_cast<double>(sum(a).item());
  std::atomic<int> wrong{0};
  with_threads(3, [&] {
    std::vector<std::thread> callers;
    for (int caller = 0; caller < 4; caller++)
      callers.emplace_back([&, caller] {
        for (int repeat = 0; repeat < 40; repeat++) {
          wrong += !same_bits(matmul(a, b), expected);
          wrong += !close(static_cast<double>(sum(a).item()), total);
          Tensor mine = map([](real x, real y) { return x + y; }, a, Tensor::scalar(static_cast<real>(caller)));
          add_into(mine, a);
          wrong += mine.at({3, 4}) != a.at({3, 4}) + static_cast<real>(caller) + a.at({3, 4});
          // A graph of one's own on every thread; Eval is of this thread only.
          Var w = Var::parameter(a);
          if (caller == 0) {
            Eval eval;
            wrong += (w * w).requires_grad();
          } else {
            sum(w * w).backward();
            wrong += !close(w.grad(), map([](real x) { return 2 * x; }, a)).ok;
          }
        }
      });
    for (std::thread& caller : callers) caller.join();
    return 0;
  });
  CHECK(wrong == 0);
}

TEST_CASE("threads: starting and stopping them often") {
  for (int repeat = 0; repeat < 50; repeat++)
    with_threads(1 + repeat % 4, [] {
      std::atomic<Size> total{0};
      parallel_for(5000, 10, [&](Size begin, Size end) { total += end - begin; });
      CHECK(total == 5000);
      return 0;
    });
}

TEST_CASE("fault 99: small products and elementwise loops keep to the caller's thread and wake no other") {
  auto processor_time = [] {
    rusage used;
    getrusage(RUSAGE_SELF, &used);
    return static_cast<double>(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
           1e-6 * static_cast<double>(used.ru_utime.tv_usec + used.ru_stime.tv_usec);
  };
  Rng rng(5);
  Tensor a = random(rng, {25, 25}), b = random(rng, {25, 25});
  with_threads(4, [&] {
    matmul(random(rng, {300, 300}), random(rng, {300, 300}));  // wakes the workers
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    double before = processor_time();
    auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < 5000; i++) map([](real x) { return x + 1; }, matmul(a, b));
    double wall = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    CHECK(processor_time() - before <= 1.3 * wall + 0.01);
    return 0;
  });
}

TEST_CASE("fault 105: the same bits for any number of threads, kernels") {
  Rng rng(2);
  Tensor a = random(rng, {300, 257}), b = random(rng, {257, 530}), q = random(rng, {6, 4, 50, 32});
  const int first[] = {0}, last[] = {1};
  check_same_bits("map", [&] { return map([](real x, real y) { return x * y + x; }, a, a.slice(0, 1, 2)); });
  check_same_bits("sum", [&] { return sum(a); });
  check_same_bits("sum down", [&] { return sum(a, first); });
  check_same_bits("sum across", [&] { return sum(a, last); });
  check_same_bits("sum of many", [&] { return sum(b, first); });
  check_same_bits("max", [&] {
    std::vector<int> where;
    return max(a, 0, &where);
  });
  check_same_bits("matmul", [&] { return matmul(a, b); });
  check_same_bits("matmul transposed", [&] { return matmul(b.transpose(), a.transpose()); });
  check_same_bits("matmul batch", [&] { return matmul(q, q.transpose()); });
  check_same_bits("concat", [&] { return concat(std::vector<Tensor>{a, a}, 1); });
}

TEST_CASE("fault 105: the same bits for any number of threads, operations and their gradients") {
  Rng rng(3);
  Tensor x = random(rng, {400, 130}), seed = random(rng, {400, 130}), gain = random(rng, {130}),
         bias = random(rng, {130});
  Tensor w = random(rng, {130, 130});
  std::vector<int> targets;
  for (int i = 0; i < 400; i++) targets.push_back(static_cast<int>(rng.below(130)));
  std::vector<Var> leaves;
  auto check_op = [&](const char* name, const std::function<Var(const std::vector<Var>&)>& f,
                      const std::vector<Tensor>& in) {
    for (std::size_t part = 0; part <= in.size(); part++)
      check_same_bits(name, [&] {
        leaves.clear();
        for (const Tensor& t : in) leaves.push_back(Var::parameter(t));
        Var y = f(leaves);
        Tensor value = y.value();
        y.backward(y.numel() == 1 ? Tensor() : seed);
        return part == 0 ? value : leaves[part - 1].grad();
      });
  };
  using Vars = std::vector<Var>;
  check_op("layer_norm", [](const Vars& v) { return layer_norm(v[0], v[1], v[2]); }, {x, gain, bias});
  check_op("dropout",
           [](const Vars& v) {
             Rng fixed(4);
             return dropout(v[0], 0.3, fixed);
           },
           {x});
  check_op("softmax", [](const Vars& v) { return softmax(v[0], causal_mask(400, 130)); }, {x});
  check_op("log_softmax", [](const Vars& v) { return log_softmax(v[0]); }, {x});
  check_op("cross_entropy", [&](const Vars& v) { return cross_entropy(v[0], targets); }, {x});
  check_op("linear", [](const Vars& v) { return linear(v[0], v[1], v[2]); }, {x, w, bias});
  check_op("gelu", [](const Vars& v) { return gelu(v[0]) * v[1]; }, {x, bias});
  leaves.clear();
}

TEST_CASE("threads: errors") {
  CHECK_THROWS_WITH(set_threads(0), "heed: set_threads: expected 1 to 1024 threads, got 0");
  CHECK_THROWS_WITH(set_threads(1025), "heed: set_threads: expected 1 to 1024 threads, got 1025");
  CHECK(threads() >= 1);
}

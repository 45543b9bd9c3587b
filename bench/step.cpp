// step.cpp — measures a task of step.hpp; one JSON object a line.
//
//   step TASK DROPOUT THREADS PASSES  the first pass, then PASSES more as one group
//   step TASK DROPOUT THREADS serve   reads commands, so that two programs can take turns: a number makes as many
//                                     passes, "save PATH" writes weights, batches and the loss without dropout
#include "bench/step.hpp"

#include <chrono>
#include <cstring>
#include <ctime>
#include <iostream>
#include <string>

#include "bench/resident.hpp"
#include "nn/checkpoint.hpp"
#include "tensor/counters.hpp"
#include "tensor/gemm.hpp"
#include "tensor/threads.hpp"

using namespace heed;

namespace {

// Makes `passes` passes and prints what they took.
void group(const bench::Task& task, int passes) {
  std::vector<double> times;
  real loss = 0;
  reset_counters();
  std::clock_t cpu = std::clock();
  for (int i = 0; i < passes; i++) {
    auto begin = std::chrono::steady_clock::now();
    loss = task.pass();
    times.push_back(std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count());
  }
  double cpu_ms = 1e3 * static_cast<double>(std::clock() - cpu) / CLOCKS_PER_SEC / passes;
  std::sort(times.begin(), times.end());
  Counters c = counters();
  std::printf(
      "{\"passes\": %d, \"ms_min\": %.4f, \"ms\": %.4f, \"cpu_ms\": %.4f, \"live_peak\": %td, \"buffers\": %.1f, "
      "\"allocations\": %.2f, \"multiply_adds\": %td, \"rss_peak\": %ld, \"loss\": %.6f}\n",
      passes, times.front(), times[times.size() / 2], cpu_ms, c.peak_bytes, static_cast<double>(c.buffers) / passes,
      static_cast<double>(c.allocations) / passes, c.multiply_adds / passes, bench::resident("VmHWM"),
      static_cast<double>(loss));
  std::fflush(stdout);
}

Tensor as_tensor(const std::vector<int>& numbers, const Shape& shape) {
  return Tensor(shape, std::vector<real>(numbers.begin(), numbers.end()));
}

// The loss is the mean over batches, dropout off.
void save(const bench::Task& task, const std::string& path) {
  Eval eval;
  Checkpoint all{named_values(task.parameters), {{"heads", std::to_string(task.heads)}}};
  double loss = 0;
  Size count = 0;
  for (std::size_t i = 0; i < task.batches.size(); i++) {
    const bench::Batch& batch = task.batches[i];
    all.tensors.emplace_back("ids." + std::to_string(i), as_tensor(batch.ids, batch.shape));
    all.tensors.emplace_back("targets." + std::to_string(i), as_tensor(batch.targets, batch.shape));
    loss += static_cast<double>(task.loss(batch).item());
  }
  for (const Parameter& p : task.parameters) count += p.var.value().numel();
  save_checkpoint(path, all);
  std::printf("{\"loss\": %.7f, \"parameters\": %td}\n", loss / static_cast<double>(task.batches.size()), count);
  std::fflush(stdout);
}

void serve(const bench::Task& task) {
  for (std::string line; std::getline(std::cin, line);) {
    if (line.starts_with("save "))
      save(task, line.substr(5));
    else
      group(task, std::max(1, std::stoi(line)));
  }
}

}  // namespace

int main(int count, char** arguments) {
  try {
    check(count == 5, "bench", "usage: step TASK DROPOUT THREADS PASSES|serve");
    long idle = bench::resident("VmRSS");
    set_threads(std::stoi(arguments[3]));
    bench::Task task = bench::task(arguments[1], std::stod(arguments[2]));
    std::printf("{\"threads\": %d, \"rss_idle\": %ld, \"engine\": \"%s\"}\n", threads(), idle, gemm_name().c_str());
    std::fflush(stdout);
    if (std::strcmp(arguments[4], "serve") == 0) return serve(task), 0;
    group(task, 1);
    group(task, std::max(1, std::stoi(arguments[4])));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}

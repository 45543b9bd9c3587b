// step.cpp — measures training steps; one JSON object a line.
//
//   step SIZE DROPOUT THREADS STEPS   the first step, then STEPS more as one group
//   step SIZE DROPOUT THREADS serve   reads commands, so that two programs can take turns: a number runs as many
//                                     steps, "save PATH" writes weights, batch and the loss without dropout
#include "bench/step.hpp"

#include <sys/resource.h>

#include <chrono>
#include <cstring>
#include <ctime>
#include <fstream>
#include <iostream>
#include <string>

#include "nn/checkpoint.hpp"
#include "tensor/counters.hpp"
#include "tensor/gemm.hpp"
#include "tensor/threads.hpp"

using namespace heed;

namespace {

// Bytes resident now (VmRSS) or at most so far (VmHWM). Not getrusage where it can be avoided: its maximum starts with
// that of the program that started this one.
long resident([[maybe_unused]] const std::string& field) {
#ifdef __linux__
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with(field)) return std::stol(line.substr(field.size() + 1)) * 1024;
#endif
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss;
}

// Runs `steps` steps and prints what they took.
void group(bench::StepBench& bench, int steps) {
  std::vector<double> times;
  real loss = 0;
  reset_counters();
  std::clock_t cpu = std::clock();
  for (int i = 0; i < steps; i++) {
    auto begin = std::chrono::steady_clock::now();
    loss = bench.step();
    times.push_back(std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count());
  }
  double cpu_ms = 1e3 * static_cast<double>(std::clock() - cpu) / CLOCKS_PER_SEC / steps;
  std::sort(times.begin(), times.end());
  Counters c = counters();
  std::printf(
      "{\"steps\": %d, \"ms_min\": %.4f, \"ms_median\": %.4f, \"cpu_ms\": %.4f, \"live_peak\": %td, "
      "\"buffers_per_step\": %.1f, "
      "\"allocations_per_step\": %.2f, \"multiply_adds\": %td, \"rss_peak\": %ld, \"loss\": %.6f}\n",
      steps, times.front(), times[times.size() / 2], cpu_ms, c.peak_bytes, static_cast<double>(c.buffers) / steps,
      static_cast<double>(c.allocations) / steps, c.multiply_adds / steps, resident("VmHWM"),
      static_cast<double>(loss));
  std::fflush(stdout);
}

Tensor as_tensor(const std::vector<int>& numbers) {
  return Tensor({static_cast<Size>(numbers.size())}, std::vector<real>(numbers.begin(), numbers.end()));
}

void save(const bench::StepBench& bench, const std::string& path) {
  Eval eval;
  Checkpoint all{named_values(bench.model.parameters()), {}};
  all.tensors.emplace_back("ids", as_tensor(bench.ids));
  all.tensors.emplace_back("targets", as_tensor(bench.targets));
  save_checkpoint(path, all);
  std::printf("{\"loss\": %.7f, \"parameters\": %td}\n", static_cast<double>(bench.loss().item()),
              bench.model.parameter_count());
  std::fflush(stdout);
}

void serve(bench::StepBench& bench) {
  for (std::string line; std::getline(std::cin, line);) {
    if (line.starts_with("save "))
      save(bench, line.substr(5));
    else
      group(bench, std::max(1, std::stoi(line)));
  }
}

}  // namespace

int main(int count, char** arguments) {
  try {
    check(count == 5, "bench", "usage: step tiny|small|base|large DROPOUT THREADS STEPS|serve");
    long idle = resident("VmRSS");
    set_threads(std::stoi(arguments[3]));
    bench::StepBench bench(bench::step_size(arguments[1]), std::stod(arguments[2]));
    std::printf(
        "{\"size\": \"%s\", \"dropout\": %s, \"threads\": %d, \"parameters\": %td, \"rss_idle\": %ld, \"engine\": "
        "\"%s\"}\n",
        arguments[1], arguments[2], threads(), bench.model.parameter_count(), idle, gemm_name().c_str());
    std::fflush(stdout);
    if (std::strcmp(arguments[4], "serve") == 0) return serve(bench), 0;
    group(bench, 1);
    group(bench, std::max(1, std::stoi(arguments[4])));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}

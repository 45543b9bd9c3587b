#include "tensor/threads.hpp"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <fstream>
#include <mutex>
#include <thread>
#include <vector>

#include "tensor/error.hpp"

namespace HEED_NAMESPACE {

namespace {

void pause() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#else
  std::this_thread::yield();
#endif
}

int default_threads() {
  if (const char* text = std::getenv("HEED_THREADS")) {
    char* end = nullptr;
    long count = std::strtol(text, &end, 10);
    check(end != text && !*end && count >= 1 && count <= 1024, "HEED_THREADS",
          "expected a number from 1 to 1024, got \"", text, '"');
    return static_cast<int>(count);
  }
  int logical = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  int hyperthreads = 0;
  std::ifstream("/sys/devices/system/cpu/smt/active") >> hyperthreads;
  return hyperthreads == 1 ? std::max(1, logical / 2) : logical;
}

struct Job {
  detail::Body body;
  const void* context;
  Size n, chunk;
};

// Items that one thread takes first: always the same share of a job, so that what it wrote is still in its caches when
// the next job reads that.
struct alignas(64) Share {
  std::atomic<Size> next{0};  // first item nobody has claimed
  Size end = 0;
};

struct Workers {
  std::mutex busy;                 // held by the one caller whose job runs
  Job job{};                       // written while no worker is inside
  std::atomic<int> generation{0};  // a new value starts a job
  std::atomic<bool> open{false};   // whether the job still takes workers
  std::atomic<int> inside{0};      // workers that may still touch the job
  std::atomic<bool> quit{false};
  std::vector<std::thread> pool;
  std::vector<Share> shares{1};
  int count = 1;

  ~Workers() { resize(1); }

  void resize(int threads) {
    quit = true;
    generation++;
    generation.notify_all();
    for (auto& worker : pool) worker.join();
    pool.clear();
    quit = false;
    count = threads;
    shares = std::vector<Share>(static_cast<std::size_t>(threads));
    int start = generation;
    for (std::size_t i = 1; i < shares.size(); i++) pool.emplace_back([this, start, i] { work(start, i); });
  }

  // Its own share, then what others have left.
  void claim_parts(std::size_t me) {
    Job now = job;
    for (std::size_t i = 0; i < shares.size(); i++) {
      Share& share = shares[(me + i) % shares.size()];
      for (Size begin; (begin = share.next.fetch_add(now.chunk)) < share.end;)
        now.body(now.context, begin, std::min(share.end, begin + now.chunk));
    }
  }

  void work(int seen, std::size_t me) {
    for (;;) {
      for (int spins = 0; generation.load(std::memory_order_acquire) == seen && spins < 2000; spins++) pause();
      generation.wait(seen);
      seen = generation;
      if (quit) return;
      inside++;
      if (open) claim_parts(me);
      inside--;
    }
  }

  void run(const Job& todo) {
    job = todo;
    Size parts = (todo.n + todo.chunk - 1) / todo.chunk, threads = count;
    for (Size i = 0; i < threads; i++) {
      Share& share = shares[static_cast<std::size_t>(i)];
      share.next = parts * i / threads * todo.chunk;
      share.end = std::min(todo.n, parts * (i + 1) / threads * todo.chunk);
    }
    open = true;
    generation++;
    generation.notify_all();
    claim_parts(0);
    open = false;  // a worker that wakes up only now is not waited for
    for (int spins = 0; inside.load(std::memory_order_acquire) > 0; spins++)
      spins < 20000 ? pause() : std::this_thread::yield();
  }
};

// `count`: how many to start with, when this is the first call; 0 for the default.
Workers& workers(int count = 0) {
  static Workers all;
  static std::once_flag once;
  std::call_once(once, [count] { all.resize(count ? count : default_threads()); });
  return all;
}

}  // namespace

void set_threads(int count) {
  check(count >= 1 && count <= 1024, "set_threads", "expected 1 to 1024 threads, got ", count);
  if (Workers& w = workers(count); w.count != count) w.resize(count);
}

int threads() { return workers().count; }

void detail::parallel_for(Size n, Size grain, Body body, const void* context) {
  Workers& w = workers();
  if (w.count > 1 && w.busy.try_lock()) {
    Size parts = std::min<Size>((n + grain - 1) / grain, Size(w.count) * 4);
    w.run({body, context, n, (n + parts - 1) / parts});
    w.busy.unlock();
  } else {
    body(context, 0, n);
  }
}

}  // namespace HEED_NAMESPACE

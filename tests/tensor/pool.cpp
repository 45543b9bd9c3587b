// Tests of tensor/pool.cpp and counters.hpp: buffers come back, and are counted.
#include "tensor/pool.hpp"

#include "autograd/ops.hpp"
#include "tensor/gemm.hpp"
#include "tests/check.hpp"

using namespace heed;
using namespace heed::testing;

// Under the address sanitizer buffers are not recycled.
#if defined(__SANITIZE_ADDRESS__)
constexpr bool recycled = false;
#elif defined(__has_feature)
constexpr bool recycled = !__has_feature(address_sanitizer);
#else
constexpr bool recycled = true;
#endif

TEST_CASE("pool: handles share a buffer, the last one returns it") {
  const Size start = counters().live_bytes;
  {
    Buffer none, a(1000), b = a, c = std::move(b), d;
    CHECK_FALSE(none.defined());
    CHECK_FALSE(b.defined());
    CHECK(a.same(c));
    CHECK_FALSE(a.unique());
    d = c;
    c = Buffer();
    const Buffer& itself = a;
    a = itself;
    CHECK(d.same(a));
    d = Buffer(10);
    CHECK(a.unique());
    CHECK_FALSE(d.same(a));
    CHECK(reinterpret_cast<std::uintptr_t>(a.data()) % 64 == 0);
    CHECK(counters().live_bytes > start);
  }
  CHECK(counters().live_bytes == start);
}

TEST_CASE("pool: every size is aligned, large enough, and not much larger") {
  for (Size bytes = 0; bytes < 6'000'000; bytes = bytes * 9 / 8 + 1) {
    CAPTURE(bytes);
    Size before = counters().live_bytes;
    Buffer buffer(bytes);
    Size size = counters().live_bytes - before;
    CHECK(size >= bytes);
    CHECK(size <= std::max<Size>(256, bytes * 5 / 4 + 1));
    CHECK(reinterpret_cast<std::uintptr_t>(buffer.data()) % 64 == 0);
    std::memset(buffer.data(), 1, static_cast<std::size_t>(bytes));
  }
}

TEST_CASE("pool: a buffer is handed out again") {
  const void* where = nullptr;
  {
    Buffer a(5000);
    where = a.data();
  }
  Buffer b(5000);
  CHECK((b.data() == where) == recycled);
  Buffer c(5000);
  CHECK(c.data() != where);
}

TEST_CASE("pool: a training loop fetches nothing from the system once it runs") {
  const Size start = counters().live_bytes;
  {
    Rng rng(1);
    Var w = Var::parameter(rng.uniform({32, 32}, 0.1)), b = Var::parameter(Tensor({32}, 0));
    Tensor x = rng.uniform({64, 32}, 1), target = rng.uniform({64, 32}, 1);
    Size live = 0;
    for (int step = 0; step < 20; step++) {
      if (step == 3) reset_counters(), live = counters().live_bytes;
      Var loss = mse(tanh(linear(dropout(x, 0.1, rng), w, b)), target);
      loss.backward();
      for (Var* p : {&w, &b}) {
        p->value() = map([](real v, real g) { return v - real(0.1) * g; }, std::move(p->value()), p->grad());
        p->grad() = {};
      }
    }
    if (recycled) CHECK(counters().allocations == 0);
    CHECK(counters().buffers > 100);
    CHECK(counters().live_bytes == live);
  }
  CHECK(counters().live_bytes == start);
}

TEST_CASE("counters: work, buffers, peak") {
  Tensor x = iota({3, 4}), y = iota({4, 5});
  reset_counters();
  Counters zero = counters();
  CHECK(zero.multiply_adds == 0);
  CHECK(zero.buffers == 0);
  CHECK(zero.allocations == 0);
  CHECK(zero.peak_bytes == zero.live_bytes);
  matmul(x, y);
  CHECK(counters().multiply_adds == 3 * 4 * 5);
  CHECK(counters().buffers == 1);
  CHECK(counters().peak_bytes == zero.live_bytes + 256);
  CHECK(counters().live_bytes == zero.live_bytes);
  map([](real v) { return v + 1; }, x);
  CHECK(counters().multiply_adds == 60 + 12);
  count_work(100);
  CHECK(counters().multiply_adds == 172);
  x.transpose().slice(0, 1, 2).expand({7, 1, 3}).reshape({7, 3});
  CHECK(counters().buffers == 2);  // views need none
  Size before = counters().multiply_adds;
  softmax(x);
  CHECK(counters().multiply_adds == before + 12);
}

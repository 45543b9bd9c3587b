#include "tensor/pool.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdlib>
#include <limits>
#include <mutex>
#include <new>

#include "tensor/counters.hpp"
#ifdef __linux__
#include <sys/mman.h>
#endif

namespace HEED_NAMESPACE {

namespace {
constexpr Size huge_page = Size(2) << 20;
constexpr Size slab_bytes = 2 * huge_page;

// Under the address sanitizer every buffer is its own allocation and really freed, so that misuse is seen.
#if defined(__SANITIZE_ADDRESS__)
constexpr bool recycle = false;
#elif defined(__has_feature)
constexpr bool recycle = !__has_feature(address_sanitizer);
#else
constexpr bool recycle = true;
#endif

std::atomic<Size> work{0};

void* fresh(Size bytes) {
  Size alignment = bytes >= huge_page ? huge_page : 64;
  void* memory = std::aligned_alloc(static_cast<std::size_t>(alignment),
                                    static_cast<std::size_t>((bytes + alignment - 1) / alignment * alignment));
  if (!memory) throw std::bad_alloc();
#ifdef __linux__
  if (bytes >= huge_page) madvise(memory, static_cast<std::size_t>(bytes), MADV_HUGEPAGE);
#endif
  return memory;
}
}  // namespace

struct Pool {
  std::mutex mutex;
  std::array<Buffer::Header*, 256> free{};
  Size live = 0, peak = 0, buffers = 0, allocations = 0;
  char* slab = nullptr;  // small buffers are cut from huge pages
  Size slab_left = 0;

  // Class c holds (4 + c % 4) * 2^(c / 4) bytes; the smallest 256, so that all are multiples of 64.
  static int class_of(Size bytes) {
    bytes = std::max(bytes, Size(256));
    int power = static_cast<int>(std::bit_width(static_cast<std::size_t>(bytes - 1))) - 3;
    return power * 4 + static_cast<int>((bytes - 1) >> power) + 1 - 4;
  }
  static Size class_bytes(int size_class) { return Size(4 + size_class % 4) << (size_class / 4); }

  Buffer::Header* take(Size bytes) {
    int c = class_of(bytes);
    Size size = class_bytes(c);
    std::lock_guard lock(mutex);
    Buffer::Header* header = free[static_cast<std::size_t>(c)];
    if (header) {
      free[static_cast<std::size_t>(c)] = header->next;
    } else {
      header = made(size);
      allocations++;
      header->bytes = size;
      header->size_class = c;
    }
    buffers++;
    live += size;
    peak = std::max(peak, live);
    return header;
  }

  // Large buffers start on a huge page of their own, so their header lies elsewhere.
  Buffer::Header* made(Size size) {
    if (recycle && size > slab_bytes / 8) {
      auto* header = static_cast<Buffer::Header*>(cut(sizeof(Buffer::Header)));
      header->data = fresh(size);
      return header;
    }
    auto* header = static_cast<Buffer::Header*>(cut(size + static_cast<Size>(sizeof(Buffer::Header))));
    header->data = header + 1;
    return header;
  }

  void* cut(Size size) {
    if (!recycle || size > slab_bytes / 8) return fresh(size);
    if (slab_left < size) {
      slab = static_cast<char*>(fresh(slab_bytes));
      slab_left = slab_bytes;
    }
    slab_left -= size;
    return std::exchange(slab, slab + size);
  }

  void give(Buffer::Header* header) {
    std::lock_guard lock(mutex);
    live -= header->bytes;
    if (!recycle) return std::free(header);
    auto& list = free[static_cast<std::size_t>(header->size_class)];
    header->next = list;
    list = header;
  }
};

static Pool& pool() {
  static Pool* immortal = new Pool;
  return *immortal;
}

Buffer::Buffer(Size bytes) {
  header_ = pool().take(bytes);
  header_->uses.store(1, std::memory_order_relaxed);
#ifdef HEED_POISON
  std::fill_n(static_cast<real*>(data()), bytes / static_cast<Size>(sizeof(real)),
              std::numeric_limits<real>::quiet_NaN());
#endif
}

void Buffer::release(Header* header) { pool().give(header); }

Counters counters() {
  Pool& p = pool();
  std::lock_guard lock(p.mutex);
  return {work.load(std::memory_order_relaxed), p.live, p.peak, p.buffers, p.allocations};
}

void reset_counters() {
  Pool& p = pool();
  std::lock_guard lock(p.mutex);
  work.store(0, std::memory_order_relaxed);
  p.peak = p.live;
  p.buffers = p.allocations = 0;
}

void count_work(Size multiply_adds) { work.fetch_add(multiply_adds, std::memory_order_relaxed); }

}  // namespace HEED_NAMESPACE

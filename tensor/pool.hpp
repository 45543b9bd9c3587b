// pool.hpp — reference-counted, 64-byte aligned buffers, recycled by size.
//
// Touching fresh memory costs hundreds of times what touching warm memory does, so a buffer is never given back to the
// system: it waits in a free list of its size class (four classes a power of two, at most 25 % waste) for the next
// tensor of about its size. The lists are immortal, so a static tensor may outlive everything else.
#pragma once

#include <atomic>
#include <utility>

#include "tensor/real.hpp"

namespace HEED_NAMESPACE {

/// A handle on one buffer. Copies share it; the last handle returns it to the pool. Thread-safe like a shared_ptr.
class Buffer {
 public:
  Buffer() = default;
  /// A buffer of at least `bytes` bytes, uninitialised (filled with NaN when compiled with HEED_POISON).
  explicit Buffer(Size bytes);
  Buffer(const Buffer& other) : header_(other.header_) {
    if (header_) header_->uses.fetch_add(1, std::memory_order_relaxed);
  }
  Buffer(Buffer&& other) noexcept : header_(std::exchange(other.header_, nullptr)) {}
  Buffer& operator=(Buffer other) noexcept {  ///< Shares the buffer of the other.
    std::swap(header_, other.header_);
    return *this;
  }
  ~Buffer() {
    if (header_ && header_->uses.fetch_sub(1, std::memory_order_acq_rel) == 1) release(header_);
  }

  void* data() const { return header_ ? header_->data : nullptr; }  ///< null when undefined
  bool defined() const { return header_ != nullptr; }               ///< false for Buffer()
  /// True when no other handle shares the buffer.
  bool unique() const { return header_->uses.load(std::memory_order_acquire) == 1; }
  bool same(const Buffer& other) const { return header_ == other.header_; }  ///< whether both are handles on one buffer

 private:
  struct alignas(64) Header {
    std::atomic<Size> uses;
    Size bytes;    // of the class
    Header* next;  // in the free list
    int size_class;
    void* data;
  };
  friend struct Pool;
  static void release(Header* header);
  Header* header_ = nullptr;
};

}  // namespace HEED_NAMESPACE

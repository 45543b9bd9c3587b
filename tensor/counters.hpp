// counters.hpp — what the library did: arithmetic and memory, so that a cost can be shown instead of stated.
//
// Counted once an operation, never in an inner loop; the counts are exact and the same for every number of threads.
#pragma once

#include <atomic>

#include "tensor/real.hpp"

namespace HEED_NAMESPACE {

/// Totals since the start of the program (or the last reset_counters()).
struct Counters {
  Size multiply_adds;  ///< arithmetic: one a multiply-add of a product, one an element of any other operation
  Size live_bytes;     ///< bytes held by tensors now
  Size peak_bytes;     ///< the most bytes held at once
  Size buffers;        ///< buffers handed out
  Size allocations;    ///< of these, how many had to be fetched from the system: 0 in a training loop's steady state
};

/// A snapshot of the counters.
Counters counters();

/// Sets multiply_adds, buffers and allocations to 0, and peak_bytes to live_bytes.
void reset_counters();

/// Adds to Counters::multiply_adds; every kernel calls it once.
void count_work(Size multiply_adds);

}  // namespace HEED_NAMESPACE

// rng.hpp — the one source of randomness: a counter run through a mixing function, seeded by the caller.
//
// The same seed gives the same numbers on every machine, compiler and number of threads: integers come from splitmix64
// (Steele, Lea, Flood 2014) and normals from the inverse of the distribution function with + - * / sqrt only.
#pragma once

#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "tensor/tensor.hpp"

namespace HEED_NAMESPACE {

/// A seeded generator. Copy it to replay, keep state() to resume.
class Rng {
 public:
  explicit Rng(std::uint64_t seed = 1) : state_(seed) {}

  /// The next 64 random bits.
  std::uint64_t bits();
  /// Uniform in [0, 1), with 53 bits.
  double uniform() { return static_cast<double>(bits() >> 11) * 0x1p-53; }
  /// Standard normal (Wichura 1988, algorithm AS 241).
  double normal();
  /// Uniform integer in [0, n). Throws Error unless n > 0.
  Size below(Size n);

  /// Tensor of uniform values in [-bound, bound).
  Tensor uniform(const Shape& shape, double bound);
  /// Tensor of normal values with mean 0.
  Tensor normal(const Shape& shape, double deviation);

  /// Reorders `items` uniformly (Fisher and Yates).
  template <class T>
  void shuffle(std::vector<T>& items) {
    for (std::size_t i = items.size(); i > 1; i--)
      std::swap(items[i - 1], items[static_cast<std::size_t>(below(static_cast<Size>(i)))]);
  }
  /// The numbers 0 to n-1 in random order.
  std::vector<int> permutation(int n) {
    std::vector<int> order(static_cast<std::size_t>(n));
    std::iota(order.begin(), order.end(), 0);
    shuffle(order);
    return order;
  }

  std::uint64_t state() const { return state_; }           ///< to save
  void set_state(std::uint64_t state) { state_ = state; }  ///< to go on from what was saved

 private:
  std::uint64_t state_;
};

}  // namespace HEED_NAMESPACE

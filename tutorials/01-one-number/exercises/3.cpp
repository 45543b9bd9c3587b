// Exercise 3: numbers that are used twice, or whose gradient is asked for twice.
#include "tutorials/01-one-number/value.hpp"

using scalar::Value;

// How many values the graph below y holds, y among them and each counted once.
inline std::size_t count_nodes(const Value& y) {
  return 0;  // TODO
}

// The sum of the products of all paths from x to y in a chain of n doublings x = x + x: what dy/dx is.
inline double doubled(int n) {
  return 0;  // TODO: build the chain and ask it
}

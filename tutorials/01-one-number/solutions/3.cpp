#include "tutorials/01-one-number/value.hpp"

using scalar::Value;

inline std::size_t count_nodes(const Value& y) {
  std::unordered_set<scalar::Node*> seen;
  std::vector<scalar::Node*> order;
  scalar::in_order(y.node, seen, order);
  return order.size();
}

inline double doubled(int n) {
  Value start = 1, x = start;
  for (int i = 0; i < n; i++) x = x + x;
  x.backward();
  return start.gradient();
}

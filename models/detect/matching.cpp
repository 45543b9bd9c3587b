#include "models/detect/matching.hpp"

#include <limits>

namespace HEED_NAMESPACE {

std::vector<int> hungarian(const std::vector<std::vector<double>>& cost) {
  std::size_t rows = cost.size(), columns = rows ? cost[0].size() : 0;
  check(rows <= columns, "hungarian", "expected no more rows than columns, got ", rows, " and ", columns);
  // Row and column 0 stand for "none"; owner[c] is the row that has column c.
  std::vector<double> of_row(rows + 1, 0), of_column(columns + 1, 0);
  std::vector<std::size_t> owner(columns + 1, 0), before(columns + 1, 0);
  for (std::size_t row = 1; row <= rows; row++) {
    std::vector<double> least(columns + 1, std::numeric_limits<double>::infinity());
    std::vector<bool> done(columns + 1, false);
    std::size_t at = 0;
    owner[0] = row;
    do {  // the cheapest way to a free column, as Dijkstra finds it
      done[at] = true;
      std::size_t from = owner[at], next = 0;
      double step = std::numeric_limits<double>::infinity();
      for (std::size_t c = 1; c <= columns; c++) {
        if (done[c]) continue;
        double reduced = cost[from - 1][c - 1] - of_row[from] - of_column[c];
        if (reduced < least[c]) least[c] = reduced, before[c] = at;
        if (least[c] < step) step = least[c], next = c;
      }
      for (std::size_t c = 0; c <= columns; c++) {
        if (done[c])
          of_row[owner[c]] += step, of_column[c] -= step;
        else
          least[c] -= step;
      }
      at = next;
    } while (owner[at] != 0);
    for (; at != 0; at = before[at]) owner[at] = owner[before[at]];
  }
  std::vector<int> column_of(rows, -1);
  for (std::size_t c = 1; c <= columns; c++)
    if (owner[c]) column_of[owner[c] - 1] = static_cast<int>(c) - 1;
  return column_of;
}

namespace {
Var larger(const Var& a, const Var& b) { return a + relu(b - a); }
Var smaller(const Var& a, const Var& b) { return a - relu(a - b); }
}  // namespace

Var generalised_iou(const Var& a, const Var& b) {
  auto part = [](const Var& x, Size i) { return slice(x, -1, i, i + 1); };
  Var both = Tensor::scalar(1), hull = Tensor::scalar(1);
  for (Size axis = 0; axis < 2; axis++) {
    Var a_low = part(a, axis) - part(a, axis + 2) * real(0.5), a_high = part(a, axis) + part(a, axis + 2) * real(0.5);
    Var b_low = part(b, axis) - part(b, axis + 2) * real(0.5), b_high = part(b, axis) + part(b, axis + 2) * real(0.5);
    both = both * relu(smaller(a_high, b_high) - larger(a_low, b_low));
    hull = hull * (larger(a_high, b_high) - smaller(a_low, b_low));
  }
  constexpr real tiny = real(1e-7);
  Var either = part(a, 2) * part(a, 3) + part(b, 2) * part(b, 3) - both;
  return reshape(both / (either + tiny) - (hull - either) / (hull + tiny), {a.size(0)});
}

}  // namespace HEED_NAMESPACE

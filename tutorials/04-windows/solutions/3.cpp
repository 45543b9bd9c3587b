#include <algorithm>
#include <vector>

struct Item {
  int place;
  bool is_noun;
};

inline double ceiling(const std::vector<Item>& items, int reach) {
  double seen = 0, nouns = 0, verbs = 0;
  for (const Item& item : items) {
    if (item.place <= reach)
      seen++;
    else if (item.is_noun)
      nouns++;
    else
      verbs++;
  }
  return items.empty() ? 0 : 100 * (seen + std::max(nouns, verbs)) / static_cast<double>(items.size());
}

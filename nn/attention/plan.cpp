#include "nn/attention/plan.hpp"

#include <algorithm>
#include <map>
#include <mutex>
#include <tuple>

namespace HEED_NAMESPACE {

namespace {

// What a tile costs, in cells: a fixed part, and packing its queries and keys for the products. Measured with heads of
// 64 numbers; constants of the machine would make the choice, and the last bits of results, differ from run to run.
constexpr Size tile_cost = 300, edge_cost = 4;
// A cell reached edge by edge costs about this many cells of a tile.
constexpr Size edge_to_cell = 8;
constexpr Size widest = 256;

struct Planner {
  const Pattern::Rule* rule;
  Pattern::Rule::Place place;
  Size queries, keys, height;
  Plan plan;
  std::vector<Span> spans;

  // Queries [begin, end) of a lattice, at most `height` at a time.
  void rows(const Lattice& all, const Lattice& key_lattice, Size begin, Size end) {
    Size pieces = (end - begin + height - 1) / height, size = (end - begin + pieces - 1) / std::max<Size>(1, pieces);
    for (; begin < end; begin += size) block({all[begin], std::min(size, end - begin), all.step}, key_lattice);
  }

  void block(const Lattice& rows, const Lattice& key_lattice) {
    spans.clear();
    if (rule)
      rule->spans(place, {rows.first + keys - queries, rows.count, rows.step}, key_lattice, spans);
    else
      spans.push_back({0, key_lattice.count, true});
    std::size_t first = plan.tiles.size();
    for (std::size_t i = 0, next; i < spans.size(); i = next) {
      for (next = i + 1; next < spans.size() && spans[next].begin == spans[next - 1].end;) next++;
      cut(i, next, key_lattice);
    }
    plan.blocks.push_back({rows, first, plan.tiles.size()});
    plan.most_queries = std::max(plan.most_queries, rows.count);
    for (std::size_t t = first; t < plan.tiles.size(); t++) plan.cells += rows.count * plan.tiles[t].keys.count;
  }

  // Spans [i, next) touch each other: tiles of about equal width.
  void cut(std::size_t i, std::size_t next, const Lattice& key_lattice) {
    Size begin = spans[i].begin, end = spans[next - 1].end, pieces = (end - begin + widest - 1) / widest;
    Size width = ((end - begin + pieces - 1) / pieces + 15) / 16 * 16;
    for (; begin < end; begin += width) {
      Size stop = std::min(end, begin + width);
      bool all = true;
      for (std::size_t s = i; s < next; s++)
        all = all && (spans[s].all || spans[s].end <= begin || spans[s].begin >= stop);
      plan.tiles.push_back({{key_lattice[begin], stop - begin, key_lattice.step}, all});
      plan.most_keys = std::max(plan.most_keys, stop - begin);
    }
  }

  Size build(Size rows_at_most) {
    height = rows_at_most;
    plan = {};
    Size classes = rule ? std::min(rule->classes(), std::max(queries, keys)) : 1;
    std::vector<Size> busy;
    if (rule && classes == 1) rule->busy(busy);
    std::sort(busy.begin(), busy.end());
    for (Size c = 0; c < classes; c++) {
      Size key_class = ((c + keys - queries) % classes + classes) % classes;
      Lattice mine{c, (queries - c + classes - 1) / classes, classes};
      Lattice theirs{key_class, (keys - key_class + classes - 1) / classes, classes};
      Size from = 0;
      for (std::size_t b = 0, next; b < busy.size(); b = next) {
        for (next = b + 1; next < busy.size() && busy[next] <= busy[next - 1] + 1;) next++;
        Size at = std::clamp<Size>(busy[b] - keys + queries, from, queries);
        Size stop = std::clamp<Size>(busy[next - 1] + 1 - keys + queries, at, queries);
        rows(mine, theirs, from, at);
        rows(mine, theirs, at, stop);
        from = stop;
      }
      rows(mine, theirs, from, mine.count);
    }
    Size cost = plan.cells;
    for (const Plan::Block& b : plan.blocks)
      for (std::size_t t = b.first_tile; t < b.end_tile; t++)
        cost += tile_cost + edge_cost * (b.queries.count + plan.tiles[t].keys.count);
    return cost;
  }
};

// The kept cells of a plan, one by one, if that is cheaper than its tiles.
std::optional<Edges> one_by_one(const Planner& planner) {
  std::vector<Edges::Pair> pairs;
  std::vector<std::uint8_t> keep;
  Size most = planner.plan.cells / edge_to_cell;
  for (const Plan::Block& b : planner.plan.blocks)
    for (std::size_t t = b.first_tile; t < b.end_tile; t++) {
      const Lattice& keys = planner.plan.tiles[t].keys;
      keep.resize(static_cast<std::size_t>(keys.count));
      for (Size i = 0; i < b.queries.count; i++) {
        planner.rule->row(planner.place, b.queries[i] + planner.keys - planner.queries, keys, keep.data());
        for (Size j = 0; j < keys.count; j++)
          if (keep[static_cast<std::size_t>(j)])
            pairs.push_back({static_cast<int>(b.queries[i]), static_cast<int>(keys[j])});
        if (static_cast<Size>(pairs.size()) > most) return {};
      }
    }
  return Edges(planner.queries, planner.keys, pairs);
}

std::shared_ptr<const Plan> plan_anew(const Pattern& pattern, Size queries, Size keys, Size head) {
  Planner planner{pattern.rule().get(), {head, keys}, queries, keys, 0, {}, {}};
  if (!planner.rule) {
    planner.build(256);
  } else {
    Size best = 0, height = 0;
    for (Size rows : {256, 128, 64, 32})
      if (Size cost = planner.build(rows); !height || cost < best) best = cost, height = rows;
    planner.build(height);
    Size step = planner.rule->classes();
    if (planner.rule->scattered(step)) planner.plan.edges = one_by_one(planner);
  }
  return std::make_shared<const Plan>(std::move(planner.plan));
}

}  // namespace

std::shared_ptr<const Plan> make_plan(const Pattern& pattern, Size queries, Size keys, Size head) {
  using Key = std::tuple<Size, Size, Size>;
  struct Known {
    std::weak_ptr<const Pattern::Rule> rule;
    std::map<Key, std::shared_ptr<const Plan>> plans;
  };
  static std::mutex mutex;
  static std::map<const Pattern::Rule*, Known>& known = *new std::map<const Pattern::Rule*, Known>;
  const Pattern::Rule* rule = pattern.rule().get();
  if (rule && !rule->by_head()) head = 0;
  std::lock_guard lock(mutex);
  Known& mine = known[rule];
  if (rule && mine.rule.lock() != pattern.rule()) {  // the address was another pattern's
    std::erase_if(known,
                  [&](const auto& entry) { return entry.first != rule && entry.first && entry.second.rule.expired(); });
    mine = {pattern.rule(), {}};
  }
  if (mine.plans.size() > 64) mine.plans.clear();
  std::shared_ptr<const Plan>& plan = mine.plans[{queries, keys, head}];
  if (!plan) plan = plan_anew(pattern, queries, keys, head);
  return plan;
}

}  // namespace HEED_NAMESPACE

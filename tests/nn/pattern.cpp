// Tests of nn/attention/pattern.cpp and plan.cpp: which cells a pattern keeps, and that its tiles hold them once each.
#include "nn/attention/pattern.hpp"

#include "nn/attention/plan.hpp"
#include "tests/nn/patterns.hpp"

using namespace heed;
using namespace heed::testing;

namespace {

struct Lengths {
  Size queries, keys;
};
const std::vector<Lengths> lengths{{1, 1}, {2, 2}, {7, 7}, {40, 40}, {130, 130}, {1, 9}, {6, 11}, {11, 6}, {300, 300}};

/// How often the tiles of a plan visit each cell, and whether a tile that promises all of them keeps its word.
std::vector<int> visits(const Plan& plan, const Mask& mask, Size keys, bool& honest) {
  std::vector<int> seen(static_cast<std::size_t>(mask.numel()), 0);
  for (const Plan::Block& block : plan.blocks)
    for (std::size_t t = block.first_tile; t < block.end_tile; t++)
      for (Size i = 0; i < block.queries.count; i++)
        for (Size j = 0; j < plan.tiles[t].keys.count; j++) {
          Size at = block.queries[i] * keys + plan.tiles[t].keys[j];
          seen[static_cast<std::size_t>(at)]++;
          honest = honest && (!plan.tiles[t].all || mask[at]);
        }
  return seen;
}

void check_plan(const Pattern& pattern, const Mask& mask, Size queries, Size keys, Size head = 0) {
  std::shared_ptr<const Plan> plan = make_plan(pattern, queries, keys, head);
  bool honest = true;
  std::vector<int> seen = visits(*plan, mask, keys, honest);
  CHECK(honest);
  int lost = 0, twice = 0;
  for (std::size_t i = 0; i < seen.size(); i++) {
    lost += mask[static_cast<Size>(i)] && seen[i] == 0;
    twice += seen[i] > 1;
  }
  CHECK(lost == 0);
  CHECK(twice == 0);
  std::vector<int> rows(static_cast<std::size_t>(queries), 0);
  for (const Plan::Block& block : plan->blocks)
    for (Size i = 0; i < block.queries.count; i++) rows[static_cast<std::size_t>(block.queries[i])]++;
  CHECK(std::all_of(rows.begin(), rows.end(), [](int n) { return n == 1; }));
  if (plan->edges) CHECK(plan->edges->count() == mask.count());
}

}  // namespace

TEST_CASE("patterns keep what their definitions say, and tiles cover that once") {
  for (const NamedPattern& named : named_patterns())
    for (const Lengths& n : lengths) {
      CAPTURE(named.name);
      CAPTURE(n.queries);
      CAPTURE(n.keys);
      Mask expected = definition(named, n.queries, n.keys), mask = named.pattern.mask(n.queries, n.keys);
      CHECK(std::equal(mask.data(), mask.data() + mask.numel(), expected.data()));
      check_plan(named.pattern, expected, n.queries, n.keys);
    }
}

TEST_CASE(
    "patterns: random blocks are drawn once, without replacement, outside window and globals, anew for each head") {
  Size size = 4, blocks = 20, n = size * blocks - 1;  // the last block is short
  Pattern pattern = random_blocks(size, 3, 11, 3, {0});
  int heads_alike = 0;
  for (Size head = 0; head < 3; head++) {
    Mask mask = pattern.mask(n, n, head), again = random_blocks(size, 3, 11, 3, {0}).mask(n, n, head);
    CHECK(std::equal(mask.data(), mask.data() + mask.numel(), again.data()));
    heads_alike += std::equal(mask.data(), mask.data() + mask.numel(), pattern.mask(n, n, 0).data());
    for (Size i = 0; i < n; i++) {
      std::vector<Size> kept;
      for (Size b = 0; b < blocks; b++) {
        Size in_block = 0, width = std::min(size, n - b * size);
        for (Size j = b * size; j < b * size + width; j++) in_block += mask[i * n + j];
        CHECK((in_block == 0 || in_block == width));
        if (in_block) kept.push_back(b);
      }
      CHECK(kept.size() == 3);
      for (Size b : kept) CHECK((b != 0 && std::abs(b - i / size) > 1));
    }
    check_plan(pattern, mask, n, n, head);
    Pattern bird = big_bird(3, {.block = size, .window = 3, .random = 2, .global = {0, 2}});
    check_plan(bird, bird.mask(n, n, head), n, n, head);
  }
  CHECK(heads_alike == 1);
  CHECK(random_blocks(4, 3, 1, 3).mask(24, 24).count() == 24 * 24);  // 6 blocks: no more than 3 + 3
  CHECK(random_blocks(4, 3, 1, 3).mask(28, 28).count() == 28 * 12);
}

TEST_CASE("patterns: edges of a graph") {
  Edges edges(8, 8, lecture_graph());
  CHECK(edges.count() == 16);
  Mask mask = edges.pattern().mask(8, 8);
  std::vector<std::uint8_t> expected(64, 0);
  for (const Edges::Pair& p : lecture_graph()) expected[static_cast<std::size_t>(p.query * 8 + p.key)] = 1;
  CHECK(std::equal(expected.begin(), expected.end(), mask.data()));
  check_plan(edges.pattern(), mask, 8, 8);
  check_plan(edges.pattern() | local(1), (edges.pattern() | local(1)).mask(8, 8), 8, 8);
}

TEST_CASE("patterns: numbers that make no sense are refused") {
  CHECK_THROWS_WITH_AS(local(-1), "heed: local: expected a reach of 0 or more, got -1", Error);
  CHECK_THROWS_AS(truncated(1, -1), Error);
  CHECK_THROWS_AS(strided(0), Error);
  CHECK_THROWS_AS(dilated(1, 0), Error);
  CHECK_THROWS_AS(local_blocks(4, 2), Error);
  CHECK_THROWS_AS(random_blocks(0, 1, 1), Error);
  CHECK_THROWS_WITH_AS(global_tokens({3, -2}), "heed: global_tokens: position -2 is negative", Error);
}

TEST_CASE("plans: a pattern's tiles hold little more than what it keeps") {
  Size n = 4096;
  for (const auto& each : std::vector<std::pair<Pattern, double>>{{full(), 1},
                                                                  {causal(), 1.1},
                                                                  {local(64), 1.6},
                                                                  {longformer(64, {0}), 1.6},
                                                                  {strided(64), 1.01},
                                                                  {causal() & local(128), 1.6},
                                                                  {big_bird(1), 1.05},
                                                                  {local_blocks(64), 1.01}}) {
    const Pattern& pattern = each.first;
    std::shared_ptr<const Plan> plan = make_plan(pattern, n, n, 0);
    double kept = static_cast<double>(pattern.count(n, n)), cells = static_cast<double>(plan->cells);
    CAPTURE(cells / kept);
    CHECK(cells <= each.second * kept);
    CHECK_FALSE(plan->edges);
  }
  CHECK(make_plan(sparse_transformer(64), n, n, 0)->edges);  // a window and a comb together lie scattered
}

// plan.hpp — the tiles of queries x keys that an attention kernel visits for a pattern, chosen to cost least.
#pragma once

#include "nn/attention/edges.hpp"

namespace HEED_NAMESPACE {

struct Plan {
  struct Tile {
    Lattice keys;
    bool all;  // every query of the block uses every key
  };
  struct Block {
    Lattice queries;  // indices, not positions
    std::size_t first_tile, end_tile;
  };
  std::vector<Block> blocks;
  std::vector<Tile> tiles;
  Size most_queries = 0, most_keys = 0;  // in one tile
  Size cells = 0;                        // in all tiles
  std::optional<Edges> edges;            // the cells one by one, when tiles would mostly hold others
};

/// The cheapest cover of a pattern by tiles for one head. Made once for each pattern and size, then remembered.
std::shared_ptr<const Plan> make_plan(const Pattern& pattern, Size queries, Size keys, Size head);

}  // namespace HEED_NAMESPACE

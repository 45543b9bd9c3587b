// plan.hpp — the tiles of queries x keys that an attention kernel visits for a pattern, chosen to cost least.
#pragma once

#include "nn/attention/edges.hpp"

namespace HEED_NAMESPACE {

struct Plan {      ///< Blocks of queries, and the tiles of keys that each visits.
  struct Tile {    ///< Keys for one block of queries.
    Lattice keys;  ///< indices
    bool all;      ///< every query of the block uses every key
  };
  struct Block {                       ///< Queries that share their tiles.
    Lattice queries;                   ///< indices, not positions
    std::size_t first_tile, end_tile;  ///< range of `tiles`
  };
  std::vector<Block> blocks;  ///< in the order of queries
  std::vector<Tile> tiles;
  Size most_queries = 0, most_keys = 0;  ///< in one tile
  Size cells = 0;                        ///< in all tiles
  std::optional<Edges> edges;            ///< the cells one by one, when tiles would mostly hold others
};

/// The cheapest cover of a pattern by tiles for one head. Made once for each pattern and size, then remembered.
std::shared_ptr<const Plan> make_plan(const Pattern& pattern, Size queries, Size keys, Size head);

}  // namespace HEED_NAMESPACE

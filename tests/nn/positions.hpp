// positions.hpp — the kinds of positions that attention knows, by name.
#pragma once

#include "tests/nn/layers.hpp"

namespace HEED_NAMESPACE::testing {

constexpr PositionKind position_kinds[] = {PositionKind::none, PositionKind::rotary, PositionKind::alibi,
                                           PositionKind::relative};

inline const char* kind_name(PositionKind kind) {
  const char* names[] = {"none", "rotary", "alibi", "relative"};
  return names[static_cast<int>(kind)];
}

}  // namespace HEED_NAMESPACE::testing

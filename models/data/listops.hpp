// listops.hpp — ListOps (Nangia, Bowman 2018, arXiv 1804.06028): operators on digits, as the Long Range Arena writes
// them: `[MAX 2 9 [MIN 4 7 ] 0 ]`, whose value is 9.
#pragma once

#include <array>
#include <string_view>

#include "models/data/example.hpp"

namespace HEED_NAMESPACE {

/// What opens an expression: least, greatest, the median (of an even number, the mean of the middle two, rounded down),
/// and the sum modulo 10.
inline constexpr std::array<std::string_view, 4> listops_operators = {"[MIN", "[MAX", "[MED", "[SM"};

/// A set without items: symbols are the digits, the operators and "]"; classes the values.
ExampleSet listops_set();

/// The symbols of `text`, whose tokens have spaces between; "(" and ")" say nothing and are left out. Throws Error for
/// another token.
std::vector<int> listops_symbols(std::string_view text);

/// The value of an expression, from 0 to 9. Throws Error unless it is one. O(N log N) time, O(N) memory.
int listops_value(const std::vector<int>& symbols);

}  // namespace HEED_NAMESPACE

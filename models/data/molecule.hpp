// molecule.hpp — atoms and bonds as symbols and edges.
#pragma once

#include <array>
#include <string_view>

#include "models/data/example.hpp"

namespace HEED_NAMESPACE {

/// An element and how many bonds it makes: at least, and at most, in steps of two.
struct Element {
  std::string_view name;
  int valence, most;
};

/// Symbol 1 + i is element i.
inline constexpr std::array<Element, 11> elements = {{{"H", 1, 1},
                                                      {"C", 4, 4},
                                                      {"N", 3, 5},
                                                      {"O", 2, 2},
                                                      {"F", 1, 1},
                                                      {"P", 3, 5},
                                                      {"S", 2, 6},
                                                      {"Cl", 1, 1},
                                                      {"Br", 1, 1},
                                                      {"I", 1, 1},
                                                      {"B", 3, 3}}};

/// The type of a bond, as an edge has it.
enum Bond { single_bond, double_bond, triple_bond, aromatic_bond, bond_types };

/// A set of molecules without items: one class each, atoms as symbols, each bond as two edges.
ExampleSet molecule_set(std::vector<std::string> classes);

/// Joins atoms `a` and `b` of `item`, counted from 0.
void add_bond(Example& item, int a, int b, Bond type);

}  // namespace HEED_NAMESPACE

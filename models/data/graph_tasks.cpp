// Tasks on graphs: what a node is by those around it, and what a molecule is by its bonds.
#include <algorithm>

#include "models/data/molecule.hpp"
#include "models/data/task_sources.hpp"

namespace HEED_NAMESPACE {

ExampleSet molecule_set(std::vector<std::string> classes) {
  ExampleSet set;
  set.names = {"<pad>"};
  for (const Element& element : elements) set.names.emplace_back(element.name);
  set.symbols = static_cast<Size>(set.names.size()), set.edge_types = bond_types, set.classes = std::move(classes);
  return set;
}

void add_bond(Example& item, int a, int b, Bond type) {
  item.edges.push_back({a, b, type});
  item.edges.push_back({b, a, type});
}

}  // namespace HEED_NAMESPACE

namespace HEED_NAMESPACE::tasks {

namespace {

constexpr int hydrogen = 1, nitrogen = 3, oxygen = 4;

// Whether a bond joins `from` and `to`, of any type or of `type`.
bool has_bond(const Example& item, int from, int to, int type = -1) {
  return std::any_of(item.edges.begin(), item.edges.end(), [&](const GraphEdge& e) {
    return item.symbols[static_cast<std::size_t>(e.from)] == from && (type < 0 || e.type == type) &&
           (to == 0 || item.symbols[static_cast<std::size_t>(e.to)] == to);
  });
}

// A tree of 4 to 12 atoms that keeps valences, with up to two more bonds between its atoms; empty when all bonds are
// used up before there are enough atoms.
Example grow(Rng& rng) {
  constexpr std::string_view bag = "HHHHCCCNNNOOOF";
  Example item;
  std::vector<int> free;  // bonds that each atom can still make
  int atoms = 4 + below(rng, 9);
  auto pick = [&](int except) {  // an atom with a free bond that is not bound to `except`; -1: there is none
    std::vector<int> open;
    for (int i = 0; i < static_cast<int>(free.size()); i++)
      if (free[static_cast<std::size_t>(i)] > 0 && i != except &&
          std::none_of(item.edges.begin(), item.edges.end(),
                       [&](const GraphEdge& e) { return e.from == i && e.to == except; }))
        open.push_back(i);
    return open.empty() ? -1 : open[static_cast<std::size_t>(below(rng, static_cast<int>(open.size())))];
  };
  auto bind = [&](int a, int b, int order) {
    add_bond(item, a, b, static_cast<Bond>(order - 1));
    free[static_cast<std::size_t>(a)] -= order, free[static_cast<std::size_t>(b)] -= order;
  };
  for (int i = 0; i < atoms; i++) {
    int skip = i == 0 ? 4 : 0;  // no tree grows from a hydrogen
    int drawn = skip + below(rng, static_cast<int>(bag.size()) - skip - (i == 0));
    char letter = bag[static_cast<std::size_t>(drawn)];
    int element = static_cast<int>(std::string_view("HCNOF").find(letter));
    int to = pick(-1), valence = elements[static_cast<std::size_t>(element)].valence;
    item.symbols.push_back(1 + element);
    free.push_back(valence);
    if (i == 0) continue;
    if (to < 0) return {};
    int most = std::min(valence, free[static_cast<std::size_t>(to)]), chance = below(rng, 10);
    bind(to, i, chance < 1 && most >= 3 ? 3 : chance < 5 && most >= 2 ? 2 : 1);
  }
  for (int rings = below(rng, 3); rings > 0; rings--)
    if (int a = pick(-1); a >= 0)
      if (int b = pick(a); b >= 0) bind(a, b, 1);
  return item;
}

}  // namespace

TaskSource nodes(int count) {
  ExampleSet set;
  set.answer = Answer::each, set.width = 3, set.edge_types = 1, set.classes = numbers(3);
  return {set, [=](Rng& rng) {
            Example item;
            for (int i = 0; i < count; i++) {
              item.targets.push_back(below(rng, 3));
              for (int k = 0; k < 3; k++)
                item.features.push_back(static_cast<float>(1.2 * rng.normal() + (k == item.targets.back())));
            }
            for (int i = 0; i < count; i++) {
              item.edges.push_back({i, i});
              for (int j = 0; j < i; j++) {
                bool alike = item.targets[static_cast<std::size_t>(i)] == item.targets[static_cast<std::size_t>(j)];
                if (rng.uniform() >= (alike ? 0.25 : 0.03)) continue;
                item.edges.push_back({i, j});
                item.edges.push_back({j, i});
              }
            }
            return item;
          }};
}

TaskSource molecules(int) {
  return {molecule_set({"hydrophobic", "hydrophilic"}), [](Rng& rng) {
            Example item;
            do item = grow(rng);
            while (item.symbols.empty());
            item.targets = {has_bond(item, oxygen, hydrogen) != has_bond(item, nitrogen, 0, double_bond)};
            return item;
          }};
}

}  // namespace HEED_NAMESPACE::tasks

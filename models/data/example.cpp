#include "models/data/example.hpp"

#include <algorithm>

namespace HEED_NAMESPACE {

namespace {

std::size_t length_of(const ExampleSet& set, const Example& item) {
  return set.symbols ? item.symbols.size() : set.width ? item.features.size() / static_cast<std::size_t>(set.width) : 0;
}

// Appends `values` and as many times `filler` as they are short of `length`.
void append(std::vector<int>& to, const std::vector<int>& values, std::size_t length, int filler) {
  to.insert(to.end(), values.begin(), values.end());
  to.insert(to.end(), length - values.size(), filler);
}

}  // namespace

std::string fault_of(const ExampleSet& set, const Example& item) {
  std::size_t length = length_of(set, item);
  auto count = [](std::size_t n, const char* what) { return std::to_string(n) + " " + what; };
  if (length == 0) return "no positions";
  if (item.symbols.size() != (set.symbols ? length : 0)) return count(item.symbols.size(), "symbols, expected none");
  if (item.second.size() != (set.second ? length : 0))
    return count(item.second.size(), "second symbols for ") + count(length, "positions");
  if (item.features.size() != length * static_cast<std::size_t>(set.width))
    return count(item.features.size(), "numbers for ") + count(length, "positions");
  if (set.answer != Answer::sequence && item.targets.size() != (set.answer == Answer::each ? length : 1))
    return count(item.targets.size(), "targets for ") + count(length, "positions");
  std::string found;
  auto within = [&](const char* what, int id, int least, Size end) {
    if (found.empty() && (id < least || id >= end))
      found = std::string(what) + " " + std::to_string(id) + " is not from " + std::to_string(least) + " to " +
              std::to_string(end - 1);
  };
  for (int id : item.symbols) within("symbol", id, 1, set.symbols);
  for (int id : item.second) within("second symbol", id, 0, set.second);
  for (int id : item.targets)
    within("target", id, set.answer == Answer::sequence ? 3 : -1, static_cast<Size>(set.classes.size()));
  for (const GraphEdge& edge : item.edges) {
    within("node", edge.from, 0, static_cast<Size>(length));
    within("node", edge.to, 0, static_cast<Size>(length));
    within("edge of type", edge.type, 0, set.edge_types);
  }
  return found;
}

ExampleBatch make_batch(const ExampleSet& set, const std::vector<std::size_t>& ids) {
  check(!ids.empty(), "make_batch", set.task, ": no items");
  std::vector<int> lengths;
  std::size_t longest = 0, target = 0;
  for (std::size_t id : ids) {
    check(id < set.items.size(), "make_batch", set.task, ": item ", id, " of ", set.items.size());
    std::string fault = fault_of(set, set.items[id]);
    check(fault.empty(), "make_batch", set.task, ": item ", id, ": ", fault);
    std::size_t length = length_of(set, set.items[id]);
    lengths.push_back(static_cast<int>(length));
    longest = std::max(longest, length);
    target = std::max(target, set.items[id].targets.size());
  }
  ExampleBatch batch;
  batch.size = static_cast<Size>(ids.size());
  batch.length = static_cast<Size>(longest);
  batch.padding = padding_mask(lengths, batch.length);
  if (set.answer == Answer::sequence) batch.target_length = static_cast<Size>(target);
  if (set.answer == Answer::each) target = longest;
  if (set.width) batch.features = Tensor({batch.size, batch.length, set.width}, 0);
  real* numbers = set.width ? batch.features.mut() : nullptr;
  for (std::size_t id : ids) {
    const Example& item = set.items[id];
    if (set.symbols) append(batch.symbols, item.symbols, longest, 0);
    if (set.second) append(batch.second, item.second, longest, 0);
    append(batch.targets, item.targets, target, set.answer == Answer::sequence ? 0 : -1);
    std::transform(item.features.begin(), item.features.end(), numbers, [](float x) { return real(x); });
    if (set.width) numbers += batch.length * set.width;
    batch.edges.push_back(item.edges);
  }
  return batch;
}

}  // namespace HEED_NAMESPACE

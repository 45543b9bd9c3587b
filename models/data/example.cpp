#include "models/data/example.hpp"

#include <algorithm>

namespace HEED_NAMESPACE {

namespace {

// N of an item; throws unless all its parts agree.
std::size_t length_of(const ExampleSet& set, std::size_t id) {
  check(id < set.items.size(), "make_batch", set.task, ": item ", id, " of ", set.items.size());
  const Example& item = set.items[id];
  auto width = static_cast<std::size_t>(set.width);
  std::size_t length = set.symbols ? item.symbols.size() : width ? item.features.size() / width : 0;
  check(length > 0, "make_batch", set.task, ": item ", id, " has no positions");
  check(item.symbols.size() == (set.symbols ? length : 0) && item.second.size() == (set.second ? length : 0) &&
            item.features.size() == width * length,
        "make_batch", set.task, ": item ", id, ": ", item.symbols.size(), " symbols, ", item.second.size(),
        " second symbols and ", item.features.size(), " numbers, ", width, " a position");
  check(set.answer == Answer::sequence || item.targets.size() == (set.answer == Answer::each ? length : 1),
        "make_batch", set.task, ": item ", id, ": ", item.targets.size(), " targets for ", length, " positions");
  return length;
}

// Appends `values` and as many times `filler` as they are short of `length`.
void append(std::vector<int>& to, const std::vector<int>& values, std::size_t length, int filler) {
  to.insert(to.end(), values.begin(), values.end());
  to.insert(to.end(), length - values.size(), filler);
}

}  // namespace

ExampleBatch make_batch(const ExampleSet& set, const std::vector<std::size_t>& ids) {
  check(!ids.empty(), "make_batch", set.task, ": no items");
  std::vector<int> lengths;
  std::size_t longest = 0, target = 0;
  for (std::size_t id : ids) {
    std::size_t length = length_of(set, id);
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

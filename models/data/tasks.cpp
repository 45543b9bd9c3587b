#include "models/data/tasks.hpp"

#include <algorithm>
#include <charconv>

#include "models/data/nearest.hpp"
#include "models/data/task_sources.hpp"

namespace HEED_NAMESPACE {

const std::vector<TaskKind>& task_kinds() {
  static const std::vector<TaskKind> kinds = {
      {"reverse", "digits backwards; size: the longest", 20000, 1000, 1000, false, 10, 3, 1000, tasks::reverse},
      {"copy", "digits again; size: the longest", 20000, 1000, 1000, false, 10, 3, 1000, tasks::copy},
      {"sort", "digits in order; size: the longest", 20000, 1000, 1000, false, 10, 3, 1000, tasks::sort},
      {"recall", "the value that stood with a key; size: pairs", 20000, 1000, 1000, false, 12, 1, 4096, tasks::recall},
      {"recall_stream", "the value that came after a key; size: pairs", 20000, 1000, 1000, false, 12, 1, 4096,
       tasks::recall_stream},
      {"partner", "the tag of the same symbol elsewhere; size: symbols", 20000, 1000, 1000, false, 32, 1, 4096,
       tasks::partner},
      {"needle", "the value of one key in 16 blocks of 8", 20000, 1000, 1000, false, 0, 0, 0, tasks::needle},
      {"causal_copy", "symbols, then the same again; size: how many", 20000, 1000, 1000, false, 16, 1, 4096,
       tasks::causal_copy},
      {"parity", "whether the ones so far are odd in number; size: bits", 20000, 1000, 1000, false, 24, 1, 4096,
       tasks::parity},
      {"parity_whole", "whether all ones are odd in number; size: bits", 20000, 1000, 1000, false, 24, 1, 4096,
       tasks::parity_whole},
      {"majority", "most of a bit and its two neighbours; size: bits", 20000, 1000, 1000, false, 64, 1, 4096,
       tasks::majority},
      {"stride_copy", "the symbol five before; size: length", 20000, 1000, 1000, false, 64, 6, 4096,
       tasks::stride_copy},
      {"vote", "the symbol seen most often; size: length", 20000, 1000, 1000, false, 64, 1, 4096, tasks::vote},
      {"permutation", "the symbol as far from the end; size: length", 20000, 1000, 1000, false, 16, 1, 4096,
       tasks::permutation},
      {"frequency", "which of 8 frequencies a noisy sine has", 10000, 1000, 1000, false, 0, 0, 0, tasks::frequency},
      {"dates", "dates written in six ways as 1998-03-03", 20000, 1000, 1000, true, 0, 0, 0, tasks::dates},
      {"listops", "the value of nested operators on digits", 20000, 1000, 1000, true, 0, 0, 0, tasks::listops},
      {"prose", "sentences of a small grammar, in bytes: the next byte; size: how many bytes", 8000, 500, 500, false,
       128, 2, 100000, tasks::prose},
      {"sentiment", "whether the good words prevail, in bytes", 20000, 1000, 1000, false, 0, 0, 0, tasks::sentiment},
      {"documents", "whether two texts share a topic, in bytes", 20000, 1000, 1000, false, 0, 0, 0, tasks::documents},
      {"topics", "sentences on animals, plants and tools, for word vectors", 20000, 1000, 1000, false, 0, 0, 0,
       tasks::topics},
      {"phones", "which of 5 sounds each noisy frame is of; size: frames", 4000, 500, 500, false, 60, 1, 4096,
       tasks::phones},
      {"phones_wave", "the same from a waveform, by mel filters; size: frames", 1000, 200, 200, false, 60, 1, 4096,
       tasks::phones_wave},
      {"speaker", "which of 8 voices speaks, by mel filters", 1000, 200, 200, false, 0, 0, 0, tasks::speaker},
      {"shapes", "which of 8 shapes a noisy image shows; size: pixels a side", 16000, 1000, 1000, false, 16, 8, 256,
       tasks::shapes},
      {"far_pair", "whether the left and the right symbol are the same", 16000, 1000, 1000, false, 0, 0, 0,
       tasks::far_pair},
      {"pathfinder", "whether one path joins two marked ends", 16000, 1000, 1000, false, 0, 0, 0, tasks::pathfinder},
      {"boxes", "where rectangles of three colours are", 16000, 1000, 1000, false, 0, 0, 0, tasks::boxes},
      {"glimpses", "which of 4 small patterns an image holds", 16000, 1000, 1000, false, 0, 0, 0, tasks::glimpses},
      {"nodes", "the class of each node of a graph; size: nodes", 2000, 200, 200, false, 60, 1, 1000, tasks::nodes},
      {"molecules", "whether a toy molecule loves water", 20000, 1000, 1000, true, 0, 0, 0, tasks::molecules},
  };
  return kinds;
}

const TaskKind& task_kind(std::string_view name) {
  name = name.substr(0, name.find(':'));
  const auto& kinds = task_kinds();
  auto found = std::find_if(kinds.begin(), kinds.end(), [&](const TaskKind& kind) { return kind.name == name; });
  if (found != kinds.end()) return *found;
  std::vector<std::string> names;
  std::string known;
  for (const TaskKind& kind : kinds) {
    names.emplace_back(kind.name);
    known += std::string(" ") + kind.name;
  }
  fail("make_task", "there is no task \"", name, "\"; known:", known, did_you_mean(name, names));
}

namespace {

int size_of(const TaskKind& kind, std::string_view name) {
  std::size_t colon = name.find(':');
  if (colon == name.npos) return kind.size;
  std::string_view digits = name.substr(colon + 1);
  int size = 0;
  auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), size);
  check(kind.most > 0, "make_task", kind.name, " has no size");
  check(error == std::errc() && end == digits.data() + digits.size() && size >= kind.least && size <= kind.most,
        "make_task", kind.name, ": expected a size from ", kind.least, " to ", kind.most, ", got \"", digits, '"');
  return size;
}

std::uint64_t mixed(std::uint64_t a, std::uint64_t b) { return Rng(a ^ Rng(b).bits()).bits(); }

Split split_of(const Example& item) {
  std::uint64_t part = item_hash(item) % 10;
  return part < 8 ? Split::train : part == 8 ? Split::dev : Split::test;
}

}  // namespace

std::uint64_t item_hash(const Example& item) {
  std::uint64_t hash = 0;
  if (item.edges.empty()) {
    for (int symbol : item.symbols) hash = mixed(hash, static_cast<std::uint64_t>(symbol));
    return hash;
  }
  // Colours refined by those of the neighbours (Weisfeiler, Leman 1968); sums do not depend on the order.
  std::vector<std::uint64_t> colours(item.symbols.begin(), item.symbols.end());
  for (int round = 0; round < 4; round++) {
    std::vector<std::uint64_t> next(colours.size());
    for (const GraphEdge& e : item.edges)
      next[static_cast<std::size_t>(e.to)] +=
          mixed(colours[static_cast<std::size_t>(e.from)], static_cast<std::uint64_t>(e.type));
    for (std::size_t i = 0; i < next.size(); i++) next[i] = mixed(colours[i], next[i]);
    colours = std::move(next);
  }
  for (std::uint64_t colour : colours) hash += Rng(colour).bits();
  return hash;
}

ExampleSet make_task(std::string_view name, std::size_t count, std::uint64_t seed, Split split) {
  const TaskKind& kind = task_kind(name);
  auto [set, draw] = kind.source(size_of(kind, name));
  set.task = kind.name;
  Rng rng(seed);
  for (int part = 0; part < static_cast<int>(split); part++) rng = Rng(rng.bits());
  while (set.items.size() < count) {
    Example item = draw(rng);
    if (!kind.small || split == Split::all || split_of(item) == split) set.items.push_back(std::move(item));
  }
  return set;
}

}  // namespace HEED_NAMESPACE

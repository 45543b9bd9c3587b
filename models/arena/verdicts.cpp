#include "models/arena/verdicts.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "models/arena/grid.hpp"

namespace HEED_NAMESPACE {

bool above_chance(const ArenaRow& cell) {
  double p = cell.chance, n = static_cast<double>(std::max<Size>(1, cell.items));
  return cell.accuracy > p + chance_errors * std::sqrt(p * (1 - p) / n);
}

namespace {

template <class... X>
std::string format(const char* text, X... values) {
  char line[300];
  std::snprintf(line, sizeof line, text, values...);
  return line;
}

constexpr Size far = 4096;
constexpr long tasks_needed = 3;

Verdict learns(const Standings& all) {
  Verdict verdict{format("every mixer is above chance on at least %ld tasks", tasks_needed)};
  for (const Standing& each : all.list) {
    if (each.cells.empty()) continue;
    auto count =
        std::count_if(each.cells.begin(), each.cells.end(), [](const auto& c) { return above_chance(c.second); });
    if (count < tasks_needed)
      verdict.details.push_back(format("%s: %td of %zu", each.mixer.c_str(), count, each.cells.size()));
  }
  verdict.kept = verdict.details.empty() && !all.tasks.empty();
  if (all.tasks.empty()) verdict.details.emplace_back("no cell is there");
  return verdict;
}

Verdict full_is_near(const Standings& all) {
  Verdict verdict{"full attention is within 2 points of the best mean"};
  const Standing *full = all.find("attention"), *best = nullptr;
  for (const Standing& each : all.list)
    if (each.mean && (!best || *each.mean > *best->mean)) best = &each;
  if (!full || !full->mean || !best) return {verdict.promise, false, {"not all tasks of attention are there"}};
  verdict.kept = *full->mean >= *best->mean - 0.02;
  verdict.details.push_back(
      format("attention %.1f %%, best %s %.1f %%", 100 * *full->mean, best->mixer.c_str(), 100 * *best->mean));
  return verdict;
}

const ArenaRow* step_of(const Standings& all, const std::string& mixer) {
  const Standing* standing = all.find(mixer);
  if (!standing) return nullptr;
  auto found = standing->steps.find(far);
  return found == standing->steps.end() ? nullptr : &found->second;
}

constexpr const char* cheap_mixers[] = {"local", "linear", "performer", "linformer"};

Verdict cheap_is_fast(const Standings& all) {
  Verdict verdict{
      format("at %td positions local, linear, performer and linformer are 5 times as fast as attention", far)};
  const ArenaRow* full = step_of(all, "attention");
  for (const char* name : cheap_mixers) {
    const ArenaRow* row = step_of(all, name);
    if (!row || !full) return {verdict.promise, false, {std::string(name) + " or attention was not measured there"}};
    double times = row->examples_per_second() / full->examples_per_second();
    verdict.kept = verdict.kept && times >= 5;
    verdict.details.push_back(format("%s: %.1f times", name, times));
  }
  return verdict;
}

Verdict cheap_is_small(const Standings& all) {
  Verdict verdict{
      format("at %td positions they need an eighth of the memory of full attention that keeps its weights", far)};
  const ArenaRow *full = step_of(all, written_out), *tiled = step_of(all, "attention");
  for (const char* name : cheap_mixers) {
    const ArenaRow* row = step_of(all, name);
    if (!row || !full || !tiled)
      return {verdict.promise, false, {std::string(name) + " or attention was not measured there"}};
    auto bytes = static_cast<double>(row->peak_bytes);
    double share = bytes / static_cast<double>(full->peak_bytes);
    verdict.kept = verdict.kept && share <= 0.125;
    verdict.details.push_back(format("%s: 1/%.0f (of attention in tiles, which keeps none: %.2f)", name, 1 / share,
                                     bytes / static_cast<double>(tiled->peak_bytes)));
  }
  return verdict;
}

Verdict speeds_repeat(const Standings& all) {
  Verdict verdict{"every measurement repeats within 10 %"};
  std::size_t count = 0;
  for (const Standing& each : all.list)
    for (const auto& [length, row] : each.steps) {
      count++;
      if (row.spread() > 0.1)
        verdict.details.push_back(row.rounds.size() < 2
                                      ? format("%s at %td: measured once", each.mixer.c_str(), length)
                                      : format("%s at %td: the two fastest of %zu rounds differ by %.0f %%",
                                               each.mixer.c_str(), length, row.rounds.size(), 100 * row.spread()));
    }
  verdict.kept = verdict.details.empty() && count > 0;
  if (!count) verdict.details.emplace_back("no measurement is there");
  return verdict;
}

}  // namespace

std::vector<Verdict> arena_verdicts(const std::vector<ArenaRow>& rows) {
  Standings all = standings(rows);
  return {learns(all), full_is_near(all), cheap_is_fast(all), cheap_is_small(all), speeds_repeat(all)};
}

}  // namespace HEED_NAMESPACE

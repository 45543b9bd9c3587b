#include "models/data/vocabulary.hpp"

#include <algorithm>
#include <utility>

#include "models/data/utf8.hpp"
#include "tensor/error.hpp"

namespace heed {
namespace {

void add(Counts& counts, std::string_view text) {
  if (const auto found = counts.find(text); found != counts.end())
    ++found->second;
  else
    counts.emplace(text, 1);
}

}  // namespace

Vocabulary::Vocabulary(const Counts& counts, std::size_t min_count, Reserved reserved) : reserved_(reserved) {
  std::vector<std::pair<std::string, std::size_t>> kept;
  for (const auto& [text, count] : counts)
    if (count >= min_count) kept.emplace_back(text, count);
  // The map is in the order of bytes, which equal counts keep.
  std::stable_sort(kept.begin(), kept.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
  entries_ = reserved_entries();
  counts_.resize(entries_.size());
  for (auto& [text, count] : kept) {
    entries_.push_back(std::move(text));
    counts_.push_back(count);
  }
  index();
}

Vocabulary::Vocabulary(std::vector<std::string> entries, Reserved reserved)
    : reserved_(reserved), entries_(std::move(entries)), counts_(entries_.size()) {
  const std::vector<std::string> first = reserved_entries();
  for (std::size_t i = 0; i < first.size(); ++i)
    check(i < entries_.size() && entries_[i] == first[i], "Vocabulary", "entry ", i, ": expected ", first[i],
          ", found ", i < entries_.size() ? entries_[i] : "the end of the list");
  index();
}

std::vector<std::string> Vocabulary::reserved_entries() const {
  std::vector<std::string> names;
  if (reserved_.pad) names.emplace_back("<pad>");
  if (reserved_.unknown) names.emplace_back("<unk>");
  return names;
}

void Vocabulary::index() {
  for (std::size_t i = reserved_entries().size(); i < entries_.size(); ++i) {
    const auto [at, added] = ids_.emplace(entries_[i], static_cast<int>(i));
    check(added, "Vocabulary", "entries ", at->second, " and ", i, " are both '", entries_[i], "'");
  }
}

int Vocabulary::id(std::string_view text) const {
  auto found = ids_.find(text);
  if (found == ids_.end() && lower_case_) found = ids_.find(lower(text));
  return found == ids_.end() ? unknown() : found->second;
}

std::size_t Vocabulary::checked(int id) const {
  check(id >= 0 && id < size(), "Vocabulary", "id ", id, ", expected 0 to ", size() - 1);
  return static_cast<std::size_t>(id);
}

const std::string& Vocabulary::text(int id) const { return entries_[checked(id)]; }

std::size_t Vocabulary::count(int id) const { return counts_[checked(id)]; }

Counts count_forms(const std::vector<Sentence>& sentences) {
  Counts counts;
  for (const Sentence& sentence : sentences)
    for (std::size_t i = 0; i < sentence.size(); ++i) add(counts, sentence.form(i));
  return counts;
}

Counts count_tags(const std::vector<Sentence>& sentences) {
  Counts counts;
  for (const Sentence& sentence : sentences)
    for (std::size_t i = 0; i < sentence.size(); ++i)
      if (sentence.has_gold(i)) add(counts, sentence.upos(i));
  return counts;
}

double unknown_rate(const Vocabulary& vocabulary, const std::vector<Sentence>& sentences) {
  std::size_t words = 0, unknown = 0;
  for (const Sentence& sentence : sentences)
    for (std::size_t i = 0; i < sentence.size(); ++i, ++words)
      unknown += vocabulary.id(sentence.form(i)) == vocabulary.unknown();
  return words == 0 ? 0 : static_cast<double>(unknown) / static_cast<double>(words);
}

}  // namespace heed

#include "models/pos/lexicon.hpp"

#include <algorithm>

#include "models/data/utf8.hpp"

namespace heed {

namespace {

constexpr const char *word_begin = "<w>", *word_end = "</w>";  // longer than any single character

std::u32string normalized_points(std::string_view form) {
  std::u32string points = decode(lower(form));
  for (char32_t& point : points)
    if (is_digit(point)) point = U'0';
  return points;
}

// Kind of the first character, then the kinds among the others: U upper case, l other letters, d digits, p the rest.
std::string shape_of(std::string_view form) {
  std::u32string points = decode(form);
  auto kind = [](char32_t point) {
    return is_upper(point) ? 'U' : is_letter(point) ? 'l' : is_digit(point) ? 'd' : 'p';
  };
  std::string shape(1, points.empty() ? 'p' : kind(points[0]));
  for (char wanted : {'U', 'l', 'd', 'p'})
    if (std::any_of(points.begin() + !points.empty(), points.end(), [&](char32_t p) { return kind(p) == wanted; }))
      shape += wanted;
  return shape;
}

// Affix number i of Lexicon::affixes; empty when the word is too short for it.
std::string affix(const std::u32string& points, std::size_t i) {
  constexpr std::size_t prefixes = Lexicon::prefixes;
  std::size_t length = i < prefixes ? i + 1 : i - prefixes + 1;
  if (points.size() < length) return "";
  return encode(i < prefixes ? points.substr(0, length) : points.substr(points.size() - length));
}

Counts count_column(const std::vector<Sentence>& sentences, std::string_view (Sentence::*column)(std::size_t) const) {
  Counts counts;
  for (const Sentence& s : sentences)
    for (std::size_t i = 0; i < s.size(); i++) counts[std::string((s.*column)(i))]++;
  if (counts.size() < 2) counts.clear();  // a column of blanks teaches nothing
  return counts;
}

}  // namespace

std::string normalized(std::string_view form) { return encode(normalized_points(form)); }

Lexicon::Lexicon(const std::vector<Sentence>& sentences, const LexiconOptions& options)
    : tags(count_tags(sentences), 1, Reserved{false, false}),
      xpos(count_column(sentences, &Sentence::xpos), options.min_label, Reserved{false, true}),
      feats(count_column(sentences, &Sentence::feats), options.min_label, Reserved{false, true}) {
  check(tags.size() > 0, "Lexicon", "no word of the training data has a tag");
  Counts shape_counts, char_counts{{word_begin, options.min_char}, {word_end, options.min_char}};
  std::array<Counts, prefixes + suffixes> affix_counts;
  for (const auto& [form, count] : count_forms(sentences)) {
    word_counts[normalized(form)] += count;
    shape_counts[shape_of(form)] += count;
    for (char32_t point : decode(form)) char_counts[encode({&point, 1})]++;
    std::u32string points = normalized_points(form);
    for (std::size_t i = 0; i < affixes.size(); i++) affix_counts[i][affix(points, i)]++;
  }
  words = Vocabulary(word_counts);
  frequent = words.unknown() + 1;  // ids fall with the count
  while (frequent < words.size() && words.count(frequent) >= options.min_word) frequent++;
  chars = Vocabulary(char_counts, options.min_char);
  shapes = Vocabulary(shape_counts, options.min_shape);
  for (std::size_t i = 0; i < affixes.size(); i++) affixes[i] = Vocabulary(affix_counts[i], options.min_affix);
}

bool Lexicon::knows(std::string_view form) const { return words.id(normalized(form)) != words.unknown(); }

FormFeatures Lexicon::features(std::string_view form) const {
  FormFeatures out;
  std::u32string points = normalized_points(form);
  std::string word = encode(points);
  out.word = words.id(word);
  if (out.word >= frequent) out.word = words.unknown();
  if (auto it = word_counts.find(word); it != word_counts.end()) out.count = it->second;
  out.shape = shapes.id(shape_of(form));
  for (std::size_t i = 0; i < affixes.size(); i++) out.affixes.push_back(affixes[i].id(affix(points, i)));
  std::u32string letters = decode(form);
  if (letters.size() > max_chars) letters.erase(max_chars / 2, letters.size() - max_chars);
  out.chars.push_back(chars.id(word_begin));
  for (char32_t letter : letters) out.chars.push_back(chars.id(encode({&letter, 1})));
  out.chars.push_back(chars.id(word_end));
  return out;
}

}  // namespace heed

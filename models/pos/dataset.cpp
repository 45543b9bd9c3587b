#include "models/pos/dataset.hpp"

#include <algorithm>
#include <unordered_map>

namespace HEED_NAMESPACE {

Dataset::Dataset(const Lexicon& lexicon, const std::vector<Sentence>& sentences) {
  std::unordered_map<std::string_view, int> seen;
  for (const Sentence& s : sentences) {
    Encoded e;
    for (std::size_t i = 0; i < s.size(); i++) {
      auto [it, fresh] = seen.try_emplace(s.form(i), static_cast<int>(forms_.size()));
      if (fresh) forms_.push_back(lexicon.features(s.form(i)));
      e.forms.push_back(it->second);
      e.tags.push_back(lexicon.tag(s.upos(i)));
      e.xpos.push_back(lexicon.xpos.size() > 1 ? lexicon.xpos.id(s.xpos(i)) : -1);
      e.feats.push_back(lexicon.feats.size() > 1 ? lexicon.feats.id(s.feats(i)) : -1);
      gold_ += s.has_gold(i);
    }
    words_ += s.size();
    std::size_t index = sentences_.size(), n = s.size();
    for (std::size_t at = 0; at < n;) {
      std::size_t end = n - at <= max_piece ? n : at + max_piece - margin;
      pieces_.push_back({index, at < margin ? 0 : at - margin, std::min(n, end + margin), at, end});
      at = end;
    }
    sentences_.push_back(std::move(e));
  }
}

std::vector<Group> Dataset::batches(std::size_t tokens, Rng* shuffle) const {
  std::vector<std::size_t> lengths;
  for (const Piece& piece : pieces_) lengths.push_back(piece.size());
  return batches_of_like_length(lengths, tokens, shuffle);
}

Batch Dataset::batch(const Group& pieces) const {
  Batch b;
  b.pieces = pieces;
  b.batch = static_cast<Size>(pieces.size());
  std::vector<int> lengths;
  for (std::size_t i : pieces) lengths.push_back(static_cast<int>(pieces_[i].size()));
  b.length = *std::max_element(lengths.begin(), lengths.end());
  b.padding = padding_mask(lengths, b.length);
  std::size_t cells = static_cast<std::size_t>(b.batch * b.length), row = 0;
  b.words.assign(cells, 0);
  b.form.assign(cells, 0);
  b.counts.assign(cells, 0);
  for (auto* targets : {&b.tags, &b.xpos, &b.feats}) targets->assign(cells, -1);

  std::vector<int> distinct{-1};  // row 0 is the padding
  std::unordered_map<int, int> where;
  for (std::size_t i : pieces) {
    const Piece& piece = pieces_[i];
    const Encoded& s = sentences_[piece.sentence];
    for (std::size_t w = piece.begin; w < piece.end; w++) {
      std::size_t cell = row * static_cast<std::size_t>(b.length) + w - piece.begin;
      auto [it, fresh] = where.try_emplace(s.forms[w], static_cast<int>(distinct.size()));
      if (fresh) distinct.push_back(s.forms[w]);
      const FormFeatures& form = forms_[static_cast<std::size_t>(s.forms[w])];
      b.form[cell] = it->second;
      b.words[cell] = form.word;
      b.counts[cell] = form.count;
      if (w < piece.keep_begin || w >= piece.keep_end) continue;
      b.tags[cell] = s.tags[w];
      b.xpos[cell] = s.xpos[w];
      b.feats[cell] = s.feats[w];
    }
    row++;
  }

  std::vector<int> letters;
  for (int id : distinct)
    letters.push_back(id < 0 ? 0 : static_cast<int>(forms_[static_cast<std::size_t>(id)].chars.size()));
  b.forms = static_cast<Size>(distinct.size());
  b.letters = *std::max_element(letters.begin(), letters.end());
  b.letter_padding = padding_mask(letters, b.letters);
  constexpr std::size_t affixes = Lexicon::prefixes + Lexicon::suffixes;
  b.shapes.assign(distinct.size(), 0);
  b.affixes.assign(distinct.size() * affixes, 0);
  b.chars.assign(static_cast<std::size_t>(b.forms * b.letters), 0);
  for (std::size_t i = 1; i < distinct.size(); i++) {
    const FormFeatures& form = forms_[static_cast<std::size_t>(distinct[i])];
    b.shapes[i] = form.shape;
    std::copy(form.affixes.begin(), form.affixes.end(), b.affixes.begin() + static_cast<Size>(i * affixes));
    std::copy(form.chars.begin(), form.chars.end(), b.chars.begin() + static_cast<Size>(i) * b.letters);
  }
  return b;
}

}  // namespace HEED_NAMESPACE

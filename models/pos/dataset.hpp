// dataset.hpp — sentences as numbers, cut into pieces and padded into batches of about equal work.
//
// Batches hold sentences of similar length, so little is padding. A sentence longer than `max_piece` words is cut into
// pieces that overlap by their margins, so that memory stays bounded and every word is tagged with context.
#pragma once

#include "models/pos/lexicon.hpp"
#include "models/run/batches.hpp"
#include "tensor/mask.hpp"
#include "tensor/rng.hpp"

namespace HEED_NAMESPACE {

/// Words [begin, end) of a sentence; those in [keep_begin, keep_end) are trained on and scored, the rest is context.
struct Piece {
  std::size_t sentence, begin, end, keep_begin, keep_end;
  std::size_t size() const { return end - begin; }
};

/// A padded batch of B pieces of at most N words. Word arrays are (B, N), row-major; targets are -1 where there is
/// none.
struct Batch {
  Size batch = 0, length = 0;
  std::vector<std::size_t> pieces;            ///< which pieces of the dataset
  Mask padding;                               ///< (B, N), true = a word
  std::vector<int> words, tags, xpos, feats;  ///< (B, N)
  std::vector<std::size_t> counts;            ///< (B, N): how often each word occurs in training
  std::vector<int> form;                      ///< (B, N): row among the distinct forms, 0 at padding
  Size forms = 0, letters = 0;                ///< distinct forms + 1 for padding; longest form
  std::vector<int> shapes, affixes, chars;    ///< (forms), (forms, 7), (forms, letters)
  Mask letter_padding;                        ///< (forms, letters)
};

/// Sentences as numbers.
class Dataset {
 public:
  static constexpr std::size_t max_piece = 256, margin = 32;

  Dataset(const Lexicon& lexicon, const std::vector<Sentence>& sentences);

  const std::vector<Piece>& pieces() const { return pieces_; }
  /// Number of words with a gold tag.
  std::size_t gold_words() const { return gold_; }
  std::size_t words() const { return words_; }

  /// Groups of pieces, see batches_of_like_length().
  std::vector<Group> batches(std::size_t tokens, Rng* shuffle = nullptr) const;
  Batch batch(const Group& pieces) const;

 private:
  struct Encoded {
    std::vector<int> forms, tags, xpos, feats;
  };
  std::vector<FormFeatures> forms_;
  std::vector<Encoded> sentences_;
  std::vector<Piece> pieces_;
  std::size_t gold_ = 0, words_ = 0;
};

}  // namespace HEED_NAMESPACE

// lexicon.hpp — what the tagger knows of words: the numbers of words, characters, affixes, shapes and tags.
//
// Built once from the training sentences, saved with the model. A word it has not seen still has characters, affixes
// and a shape, which is how unknown words are tagged.
#pragma once

#include <array>

#include "models/data/vocabulary.hpp"

namespace heed {

/// Everything the model reads of one word form.
struct FormFeatures {
  int word = 0;              ///< lower case with digits as 0; the unknown id when rare
  std::size_t count = 0;     ///< in training, for word dropout
  int shape = 0;             ///< kinds of its first and of its other characters, such as Ul for "London"
  std::vector<int> affixes;  ///< prefixes of 1 to 3 characters, then suffixes of 1 to 4
  std::vector<int> chars;    ///< with a mark at each end; the middle of very long words is left out
};

struct LexiconOptions {
  std::size_t min_word = 2, min_char = 2, min_affix = 3, min_shape = 5, min_label = 3;
};

/// The vocabularies of a tagger.
struct Lexicon {
  static constexpr int prefixes = 3, suffixes = 4, max_chars = 20;

  Vocabulary words, chars, shapes, tags;
  std::array<Vocabulary, prefixes + suffixes> affixes;
  /// The language's own tags and the morphological features: learned beside the tags because they sharpen the shared
  /// layers; empty when the training data has none.
  Vocabulary xpos, feats;
  int frequent = 0;    ///< words below this id have a vector; the rarer ones share the unknown word's
  Counts word_counts;  ///< of training, not saved

  Lexicon() = default;
  /// Throws Error when no word has a tag.
  explicit Lexicon(const std::vector<Sentence>& sentences, const LexiconOptions& options = {});

  FormFeatures features(std::string_view form) const;
  /// Whether training had the word, in any case.
  bool knows(std::string_view form) const;
  /// Id of a tag, -1 for `_` and for tags that training never saw.
  int tag(std::string_view upos) const { return upos == no_tag ? -1 : tags.id(upos); }

  /// All vocabularies by name, to save and to restore.
  template <class F>
  void each(const F& f) {
    f("words", words, Reserved{});
    f("chars", chars, Reserved{});
    f("shapes", shapes, Reserved{});
    for (std::size_t i = 0; i < affixes.size(); i++) f("affix" + std::to_string(i), affixes[i], Reserved{});
    f("tags", tags, Reserved{false, false});
    f("xpos", xpos, Reserved{false, true});
    f("feats", feats, Reserved{false, true});
  }
};

/// Lower case, every digit as 0: the form under which words are counted and looked up.
std::string normalized(std::string_view form);

}  // namespace heed

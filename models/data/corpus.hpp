// corpus.hpp — the built-in corpus: sentences of a small grammar whose every tag can be known, but not from the word.
//
// Two kinds are mixed. In phrases (`I saw a saw .`) fifteen words are noun or verb as the word before them says: a noun
// after a determiner or an adjective, else a verb. In lists (`Verbs : saw , book .`) only the first word says it, from
// however far. English has a Chinese twin. The tags are NOUN VERB PRON DET ADJ ADV ADP PUNCT.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "models/data/conllu.hpp"

namespace heed {

enum class Language { english, chinese };

struct ToyOptions {
  std::size_t max_list = 12;      ///< items of the longest list; the shortest has two
  std::size_t list_percent = 25;  ///< how many of a hundred sentences are lists
};

/// Draws a number below its argument; the only source of chance, so that the corpus repeats on every machine.
using Below = std::function<std::size_t(std::size_t)>;

/// Makes `count` sentences, none of which is among `avoid`: the test set, say, while making the training set.
///
/// The same sentence can come twice. Throws an Error if max_list is less than two or list_percent more than a hundred,
/// or if nearly all sentences there are have to be avoided.
std::vector<Sentence> toy_corpus(Language language, std::size_t count, const Below& below,
                                 const ToyOptions& options = {}, const std::vector<Sentence>& avoid = {});

/// Returns the words that are noun or verb.
const std::vector<std::string>& toy_ambiguous(Language language);

}  // namespace heed

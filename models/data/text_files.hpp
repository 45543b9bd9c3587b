// text_files.hpp — text to classify, to translate and to go on with.
//
// All files are UTF-8 with lines that end in LF or CRLF; empty lines do not count. Every function throws a DataError
// with file, line and reason for what is not as it should be.
#pragma once

#include "models/data/example.hpp"
#include "models/data/vocabulary.hpp"

namespace HEED_NAMESPACE {

/// Lines of label TAB text. Symbols are bytes (bytes.hpp), one class an item. `classes` are all there are, as those of
/// the training set; none: those found.
ExampleSet read_labelled_text(const std::string& path, const std::vector<std::string>& classes = {});

/// ListOps of the Long Range Arena (Tay et al. 2020, arXiv 2011.04006): a line `Source TAB Target`, then lines of
/// expression TAB value. Symbols and classes are those of listops_set().
ExampleSet read_listops(const std::string& path);
/// Whether the file starts as those of ListOps do.
bool is_listops(const std::string& path);

/// What a sequence is made of: code points, or what stands between spaces.
enum class Unit { character, word };

/// The units of `text`.
std::vector<std::string> split(std::string_view text, Unit unit);

/// The ids of `units`; what is not there is `<unk>`, or, when there is no such entry, a Fault.
std::vector<int> find_ids(const Vocabulary& vocabulary, const std::vector<std::string>& units);

/// Lines of source TAB target. Symbols are the units of the source, with `<unk>` after padding, classes those of the
/// target, with `<unk>` after start and end: of `like`, whose vocabulary is kept, or those seen here `min_count` times.
ExampleSet read_pairs(const std::string& path, Unit unit, const ExampleSet* like = nullptr, std::size_t min_count = 1);

/// Sentences, one a line, words with spaces between: no answers. With `like`, in the words of that set, others left
/// out.
ExampleSet read_sentences(const std::string& path, const ExampleSet* like = nullptr);

/// Any text, cut into items of `length` bytes; the class at each is the byte that comes next. The last item may be
/// shorter.
ExampleSet read_plain_text(const std::string& path, std::size_t length = 128);

/// A set without items whose symbols are bytes, each with the next as its class; and an item of it, from a text of two
/// bytes or more.
ExampleSet next_byte_set();
Example next_byte_item(std::string_view text);

}  // namespace HEED_NAMESPACE

// tutorial.hpp — what a chapter's program shares with its text: blocks of output, numbers, pictures, claims.
//
//   int main(int count, char** words) {
//     return tutorial::chapter(count, words, [] {
//       tutorial::Block block("weights");
//       std::printf("accuracy %s %%\n", tutorial::number("accuracy", 99.83, 1, 0.5).c_str());
//     });
//   }
// The text quotes a block after `<!-- output: weights -->`, a number as `<!--n accuracy-->99.8<!--/n-->`, lines of the
// program, between `// [name]` and `// [/name]`, after `<!-- code: name -->`. check.py compares.
#pragma once

#include <functional>
#include <string>

namespace heed::tutorial {

/// Runs a chapter on one thread and returns the program's exit code: 1, with one line on stderr, when `body` throws.
///
/// The first word, if any, is the folder to write to: numbers.json and the figures. Records the CPU seconds, rounded up
/// to 1, 2, 5, 10, 20, 40, ..., as the number "seconds". Throws nothing.
int chapter(int count, char** words, const std::function<void()>& body, double budget = 20);

/// While one lives, what the program prints is quoted in the text, under this name.
///
/// A number in it may change by `tolerance`, one that number() has made by its own, all else must stay as it is.
class Block {
 public:
  explicit Block(const std::string& name, double tolerance = 0);
  Block(const Block&) = delete;
  Block& operator=(const Block&) = delete;
  ~Block();

 private:
  std::string name_;
};

/// Records a number for the text and returns it as it stands there, with so many digits after the point.
///
/// Another run, on another machine say, may differ by `tolerance`. Throws Error for a number that is not finite and for
/// a name that is taken.
std::string number(const std::string& name, double value, int decimals = 0, double tolerance = 0);

/// Records a bound for what is not the same twice, a time say, and returns it. Throws Error when `measured` is beyond.
std::string at_most(const std::string& name, double measured, double bound, int decimals = 0);
std::string at_least(const std::string& name, double measured, double bound, int decimals = 0);

/// Throws Error, naming the sentence of the text that does not hold, unless `holds`.
void claim(bool holds, const std::string& sentence);

/// Writes figures/NAME.svg to the chapter's folder, when there is one.
void figure(const std::string& name, const std::string& svg);

}  // namespace heed::tutorial

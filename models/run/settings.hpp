// settings.hpp — the choices that a model is built by: flags on the command line, a line of the log, saved with it.
#pragma once

#include <string>
#include <vector>

#include "tensor/error.hpp"
#include "tensor/real.hpp"

namespace HEED_NAMESPACE {

/// One choice: a whole number, a number or a word.
struct Setting {
  enum class Form { whole, number, word, text };
  std::string name, value, help;
  Form form;
  double low = 0, high = 0;             ///< of numbers
  std::vector<std::string> words = {};  ///< of words
};

/// Whole numbers in [low, high].
inline Setting whole(const char* name, Size value, Size low, Size high, const char* help) {
  return {name, std::to_string(value), help, Setting::Form::whole, static_cast<double>(low), static_cast<double>(high)};
}
/// Shares in [0, 1).
Setting share(const char* name, double value, const char* help);
/// One of `words`, the first by default.
inline Setting word(const char* name, std::vector<std::string> words, const char* help) {
  return {name, words.at(0), help, Setting::Form::word, 0, 0, words};
}
/// Anything that its reader understands.
inline Setting text(const char* name, const char* value, const char* help) {
  return {name, value, help, Setting::Form::text};
}

/// A list of choices, read by name. All throw Error for a name that is not there.
class Settings {
 public:
  Settings(std::initializer_list<Setting> list) : list_(list) {}
  /// These, then others.
  Settings with(const Settings& others) const;

  const std::vector<Setting>& list() const { return list_; }
  const std::string& word(const std::string& name) const { return find(name).value; }
  Size size(const std::string& name) const { return static_cast<Size>(number(name)); }
  double number(const std::string& name) const;
  /// Throws Error, saying what would do, when the value is none of the setting's.
  void set(const std::string& name, const std::string& value);

 private:
  const Setting& find(const std::string& name) const;
  std::vector<Setting> list_;
};

}  // namespace HEED_NAMESPACE

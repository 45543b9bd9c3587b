// options.hpp — the one table of options, which CLI11 holds, as text for help, man page, completion and configuration.
#pragma once

#include <CLI/CLI.hpp>

namespace heed {

/// What there is to say of an option or of an argument.
struct OptionText {
  std::string name;   ///< "--lr", or "model" of an argument
  std::string type;   ///< "N" a whole number, "X" a number, "WORD", "TEXT", "FILE", "FOLDER"; empty for a flag
  std::string range;  ///< "1 to 8192", or "mean|max"; empty when anything goes
  std::string value;  ///< by default; empty when there is none
  std::string help;
  bool required = false;
  /// "help (range; default value)".
  std::string described() const;
  /// The words that it takes, when it takes one of some.
  std::vector<std::string> words() const;
};
OptionText describe(const CLI::Option& option);

/// Options of a command as they stand in its help, those of all commands left out.
std::vector<const CLI::Option*> options_of(const CLI::App& command);
/// Arguments of a command, in their order.
std::vector<const CLI::Option*> arguments_of(const CLI::App& command);
/// Commands below a command.
std::vector<const CLI::App*> commands_of(const CLI::App& command);

/// The command that was called: the last of those that were named.
const CLI::App& called(const CLI::App& heed);

/// The help text: names and types at the left; meaning, range and default at the right.
std::shared_ptr<CLI::Formatter> help_formatter();

/// The call that shows the help of the command that was called, as "heed pos train --help".
std::string help_call(const CLI::App& heed);

/// What is wrong with a call that CLI11 refuses, with the nearest name where one is unknown.
std::string explain(const CLI::App& heed, const CLI::ParseError& error);

}  // namespace heed

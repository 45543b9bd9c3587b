// manual.hpp — the manual page and the completions of shells, made from the table of options that --help shows.
#pragma once

#include <CLI/CLI.hpp>

namespace heed {

/// A manual page for man(1). It carries the version and no date, so that the same program makes the same page.
std::string manual_page(const CLI::App& heed);

/// A script for bash or zsh that completes commands, options, and the words that an option takes.
std::string bash_completion(const CLI::App& heed);
std::string zsh_completion(const CLI::App& heed);

/// Adds `man` and `completion`.
void add_manual(CLI::App& heed);

}  // namespace heed

// config.hpp — options from a JSON file, and all options as such a file.
#pragma once

#include <CLI/CLI.hpp>

namespace heed {

/// Names and values of a configuration: one JSON object whose members are texts, numbers, true or false. Throws an
/// Error for anything else and for a name that stands there twice.
std::vector<std::pair<std::string, std::string>> read_config(const std::string& text);

/// Every option of the command that was called and its value, those that only make sense for one call left out: an
/// object that read_config() reads.
std::string write_config(const CLI::App& heed);

/// Adds --config: options that the call leaves out are taken from the file. Throws UsageError for a name that is no
/// option of the command.
void add_config(CLI::App& heed);

}  // namespace heed

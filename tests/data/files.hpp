// files.hpp — files that live as long as a test, and what a reader says about bad ones.
#pragma once

#include <doctest/doctest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "models/data/input.hpp"

namespace heed::testing {

/// A folder of its own for a test, removed at the end.
struct Folder {
  std::filesystem::path path = std::filesystem::temp_directory_path() / ("heed-data-" + std::to_string(getpid()));
  Folder() { std::filesystem::create_directories(path); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() { std::filesystem::remove_all(path); }
  std::string operator/(const std::string& name) const { return (path / name).string(); }
  /// Writes a file, and the folders that it lies in.
  std::string write(const std::string& name, const std::string& bytes) const {
    std::filesystem::create_directories((path / name).parent_path());
    std::ofstream(path / name, std::ios::binary) << bytes;
    return *this / name;
  }
};

/// What the DataError of `read` says, without "heed: " and without the folder; "" when it throws none.
template <class F>
std::string fault_in(const Folder& folder, const F& read) {
  try {
    read();
  } catch (const DataError& error) {
    std::string text = error.what(), before = folder.path.string() + "/";
    CHECK(text.starts_with("heed: "));
    for (std::size_t at; (at = text.find(before)) != text.npos;) text.erase(at, before.size());
    return text.substr(6);
  }
  return "";
}

}  // namespace heed::testing

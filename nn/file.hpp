// file.hpp — files that appear whole or not at all.
#pragma once

#include <cstddef>
#include <string>

#include "tensor/real.hpp"

namespace HEED_NAMESPACE {

/// A file being written beside `path`, which it replaces when keep() is called; until then, and when writing fails,
/// what stood at `path` stays as it was. A device or a pipe is written to at once. All throw Error, with path and
/// reason, when the system refuses.
class NewFile {
 public:
  explicit NewFile(const std::string& path);
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;
  ~NewFile();
  void write(const void* data, std::size_t bytes) const;  ///< appends; throws Error
  /// Flushes to the disk and takes the place of `path`.
  void keep();

 private:
  [[noreturn]] void refuse(const char* what) const;
  std::string path_, temporary_;
  int descriptor_;
};

/// Replaces the file at `path` by `text`.
void write_file(const std::string& path, const std::string& text);

}  // namespace HEED_NAMESPACE

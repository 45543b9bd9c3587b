#include "nn/file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <utility>

#include "tensor/error.hpp"

namespace HEED_NAMESPACE {

NewFile::NewFile(const std::string& path) : path_(path) {
  namespace fs = std::filesystem;
  std::error_code error;
  if (fs::is_symlink(path, error) && fs::exists(path, error)) path_ = fs::canonical(path).string();
  // A pipe or a device is written to, not replaced.
  bool special = fs::exists(path_, error) && !fs::is_regular_file(path_, error) && !fs::is_directory(path_, error);
  temporary_ = special ? path_ : path_ + ".tmp" + std::to_string(getpid());
  descriptor_ = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (descriptor_ < 0) refuse("create");
}

NewFile::~NewFile() {
  if (descriptor_ < 0) return;
  ::close(descriptor_);
  if (temporary_ != path_) ::unlink(temporary_.c_str());
}

void NewFile::refuse(const char* what) const { fail("file", "cannot ", what, " ", path_, ": ", std::strerror(errno)); }

void NewFile::write(const void* data, std::size_t bytes) const {
  const char* at = static_cast<const char*>(data);
  while (bytes > 0) {
    ssize_t done = ::write(descriptor_, at, bytes);
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) refuse("write");
    at += done;
    bytes -= static_cast<std::size_t>(done);
  }
}

void NewFile::keep() {
  if (temporary_ != path_ && (::fsync(descriptor_) || ::rename(temporary_.c_str(), path_.c_str()))) refuse("write");
  ::close(std::exchange(descriptor_, -1));
}

void write_file(const std::string& path, const std::string& text) {
  NewFile file(path);
  file.write(text.data(), text.size());
  file.keep();
}

}  // namespace HEED_NAMESPACE

// files.hpp — a folder for a test's files, their bytes, and a reader and writer of safetensors that share no code with
// the library.
#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>

#include "tests/check.hpp"

namespace HEED_NAMESPACE::testing {

constexpr const char* real_name = is_double ? "F64" : "F32";

/// An empty folder that disappears with its contents.
class Folder {
 public:
  explicit Folder(const std::filesystem::path& parent = std::filesystem::temp_directory_path()) {
    std::string name = (parent / "heed-test-XXXXXX").string();
    if (!mkdtemp(name.data())) throw std::runtime_error("cannot make a folder in " + parent.string());
    path_ = name;
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  std::string operator/(const std::string& name) const { return (path_ / name).string(); }
  /// Number of entries.
  int count() const {
    return static_cast<int>(
        std::distance(std::filesystem::directory_iterator(path_), std::filesystem::directory_iterator()));
  }

 private:
  std::filesystem::path path_;
};

inline std::string read_bytes(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(in), {});
}
inline void write_bytes(const std::string& path, const std::string& bytes) {
  std::ofstream out(path, std::ios::binary | std::ios::trunc);
  out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

template <class T>
std::string bytes_of(const std::vector<T>& values) {
  return std::string(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T));
}
/// A file of this header and these numbers, whether or not they belong together.
inline std::string safetensors(const std::string& header, const std::string& data = {}) {
  return bytes_of(std::vector<std::uint64_t>{header.size()}) + header + data;
}

/// A tensor as it stands in a file.
struct Stored {
  std::string dtype, shape, data;
};
/// A few lines of an independent reader, for files as save_checkpoint() writes them whose names need no escapes.
inline std::map<std::string, Stored> read_safetensors(const std::string& path) {
  std::string bytes = read_bytes(path);
  std::uint64_t length = 0;
  std::memcpy(&length, bytes.data(), 8);
  std::string header = bytes.substr(8, length), data = bytes.substr(8 + length);
  std::map<std::string, Stored> out;
  std::size_t at = 0;
  auto until = [&](const std::string& mark) {  // the text up to `mark`, behind which `at` then stands
    std::size_t begin = at, end = header.find(mark, at);
    if (end == std::string::npos) throw std::runtime_error("no " + mark + " in the header");
    at = end + mark.size();
    return header.substr(begin, end - begin);
  };
  while (header.find("\":{\"dtype\":\"", at) != std::string::npos) {
    std::string name = until("\":{\"dtype\":\"");
    name = name.substr(name.rfind('"') + 1);
    Stored& stored = out[name];
    stored.dtype = until("\",\"shape\":[");
    stored.shape = until("],\"data_offsets\":[");
    std::size_t begin = std::stoul(until(",")), end = std::stoul(until("]}"));
    if (end > data.size()) throw std::runtime_error("offsets beyond the end");
    stored.data = data.substr(begin, end - begin);
  }
  return out;
}

/// Runs f in a process of its own and returns its exit code, or minus the signal that ended it. f returns the code.
inline int in_child(const std::function<int()>& f) {
  pid_t child = fork();
  if (child == 0) {
    int code = 99;
    try {
      code = f();
    } catch (...) {
    }
    _exit(code);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

}  // namespace HEED_NAMESPACE::testing

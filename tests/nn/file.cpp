// Tests of nn/file.cpp: a file is replaced whole or not at all.
#include "nn/file.hpp"

#include <filesystem>

#include "tests/check.hpp"
#include "tests/nn/files.hpp"

using namespace heed;
using namespace heed::testing;
namespace fs = std::filesystem;

TEST_CASE("files: the old text stands until the new one is whole") {
  Folder folder;
  std::string path = folder / "a";
  write_file(path, "old");
  {
    NewFile file(path);
    file.write("new", 3);
    CHECK(read_bytes(path) == "old");
    CHECK(folder.count() == 2);
  }  // not kept
  CHECK(read_bytes(path) == "old");
  CHECK(folder.count() == 1);
  write_file(path, "newer text");
  CHECK(read_bytes(path) == "newer text");
  CHECK(folder.count() == 1);
}

TEST_CASE("files: a link stays a link, a device stays a device") {
  Folder folder;
  write_file(folder / "target", "old");
  fs::create_symlink("target", folder / "link");
  write_file(folder / "link", "new");
  CHECK(read_bytes(folder / "target") == "new");
  CHECK(fs::is_symlink(folder / "link"));
  write_file("/dev/null", "gone");
  CHECK(fs::is_character_file("/dev/null"));
}

TEST_CASE("files: errors name the path and the reason, and leave nothing behind") {
  Folder folder;
  CHECK_THROWS_WITH_AS(write_file(folder / "no/where", "x"),
                       ("heed: file: cannot create " + (folder / "no/where") + ": No such file or directory").c_str(),
                       Error);
  fs::create_directory(folder / "sub");
  CHECK_THROWS_WITH_AS(write_file(folder / "sub", "x"),
                       ("heed: file: cannot write " + (folder / "sub") + ": Is a directory").c_str(), Error);
  CHECK(folder.count() == 1);
  if (fs::exists("/dev/full"))
    CHECK_THROWS_WITH_AS(write_file("/dev/full", "x"), "heed: file: cannot write /dev/full: No space left on device",
                         Error);
}

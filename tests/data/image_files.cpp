#include "models/data/image_files.hpp"

#include <png.h>

#include "tests/data/files.hpp"

using namespace heed;
using namespace heed::testing;

namespace {

std::string big(std::uint32_t value) {
  return {static_cast<char>(value >> 24), static_cast<char>(value >> 16 & 255), static_cast<char>(value >> 8 & 255),
          static_cast<char>(value & 255)};
}

std::string images(std::uint32_t count, std::uint32_t height, std::uint32_t width, const std::string& pixels) {
  return big(0x803) + big(count) + big(height) + big(width) + pixels;
}

// A PNG in one of libpng's formats, of pixels as it takes them.
std::string png(std::uint32_t width, std::uint32_t height, std::uint32_t format, const std::string& pixels) {
  png_image image{};
  image.version = PNG_IMAGE_VERSION, image.width = width, image.height = height, image.format = format;
  png_alloc_size_t size = 0;
  REQUIRE(png_image_write_to_memory(&image, nullptr, &size, 0, pixels.data(), 0, nullptr));
  std::string bytes(size, '\0');
  REQUIRE(png_image_write_to_memory(&image, bytes.data(), &size, 0, pixels.data(), 0, nullptr));
  return bytes;
}

}  // namespace

TEST_CASE("image files: IDX, and files that are none") {
  Folder folder;
  const std::string pixels = std::string("\0\xFF\x33\x66", 4) + std::string(2, '\x99'), labels = big(0x801) + big(1);
  ExampleSet set = read_idx(folder.write("i", images(1, 2, 3, pixels)), folder.write("l", labels + '\7'));
  CHECK(set.height == 2);
  CHECK(set.columns == 3);
  CHECK(set.classes.size() == 10);
  CHECK(set.items[0].features == std::vector<float>{0, 1, 0.2F, 0.4F, 0.6F, 0.6F});
  CHECK(set.items[0].targets == std::vector<int>{7});
  CHECK(fault_of(set, set.items[0]) == "");
  auto fault = [&](const std::string& i, const std::string& l) {
    folder.write("i", i), folder.write("l", l);
    return fault_in(folder, [&] { read_idx(folder / "i", folder / "l"); });
  };
  const std::string good = images(1, 2, 3, pixels);
  CHECK(fault("", "") == "i: byte 0: magic number: expected 4 bytes, the file has 0 more");
  CHECK(fault(labels, good) == "i: byte 0: expected 00 00 08 03: bytes in three dimensions");
  CHECK(fault(good, good) == "l: byte 0: expected 00 00 08 01: bytes in one dimension");
  CHECK(fault(good, big(0x801) + big(2) + "ab") == "l: byte 4: 2 labels for 1 images");
  CHECK(fault(good, labels) == "l: byte 8: 1 labels, the file has 0");
  CHECK(fault(good, labels + '\12') == "l: byte 8: label 10, expected 0 to 9");
  CHECK(fault(good.substr(0, 20), labels + '\1') == "i: byte 16: 6 pixels, the file has 4");
  CHECK(fault(good + "x", labels + '\1') == "i: byte 16: 6 pixels, the file has 7");
  CHECK(fault(images(0xFFFFFFFF, 1024, 1024, "x"), big(0x801) + big(0xFFFFFFFF)) ==
        "i: byte 16: 4503599626321920 pixels, the file has 1");
  CHECK(fault(images(1, 0xFFFFFFFF, 0xFFFFFFFF, "x"), labels).starts_with("i: byte 8: an image of 4294967295 x"));
  CHECK(fault(images(0, 2, 3, ""), big(0x801) + big(0)) == "i: byte 4: no images");
  CHECK(fault(images(1, 0, 3, ""), labels) == "i: byte 8: an image of 3 x 0, expected 1 to 1024 pixels a side");
  for (std::size_t size = 0; size < good.size(); size++) CHECK(fault(good.substr(0, size), labels + '\1') != "");
}

TEST_CASE("image files: CIFAR-10") {
  Folder folder;
  std::string image = "\3" + std::string(1024, '\0') + std::string(1024, '\x33') + std::string(1024, '\xFF');
  ExampleSet set = read_cifar10(folder.write("f", image + image));
  REQUIRE(set.items.size() == 2);
  CHECK(fault_of(set, set.items[1]) == "");
  CHECK(std::vector<float>(set.items[1].features.begin() + 3, set.items[1].features.begin() + 6) ==
        std::vector<float>{0, 0.2F, 1});
  CHECK(set.classes[3] == "cat");
  auto fault = [&](const std::string& bytes) {
    std::string path = folder.write("f", bytes);
    return fault_in(folder, [&] { read_cifar10(path); });
  };
  CHECK(fault("") == "f: byte 0: expected images of 3073 bytes, found 0 bytes");
  CHECK(fault(image + "x") == "f: byte 0: expected images of 3073 bytes, found 3074 bytes");
  CHECK(fault(image + "\12" + image.substr(1)) == "f: byte 3073: label 10, expected 0 to 9");
}

TEST_CASE("image files: a folder of PNG, PPM and PGM") {
  Folder folder;
  const std::string rgb = std::string("\xFF\0\0\0\xFF\0", 6);
  folder.write("set/b/1.png", png(2, 1, PNG_FORMAT_RGB, rgb));
  folder.write("set/b/2.png", png(2, 1, PNG_FORMAT_GRAY, "\x33\xFF"));
  folder.write("set/b/3.png", png(2, 1, PNG_FORMAT_RGBA, std::string("\xFF\0\0\xFF\xFF\xFF\xFF\0", 8)));
  folder.write("set/a/1.ppm", "P6 # a comment 12\n2\n1 255\n" + rgb);
  folder.write("set/a/2.pgm", "P5\n2 1\n255\n\x33\xFF");
  folder.write("set/a/notes.txt", "no image");
  folder.write("set/top.png", "no image either");
  folder.write("set/a/deep/1.png", "nor this");
  ExampleSet set = read_image_folder(folder / "set");
  REQUIRE(set.items.size() == 5);
  CHECK(set.classes == std::vector<std::string>{"a", "b"});
  CHECK(set.height == 1);
  CHECK(set.columns == 2);
  const std::vector<float> red_green = {1, 0, 0, 0, 1, 0}, gray = {0.2F, 0.2F, 0.2F, 1, 1, 1},
                           clear = {1, 0, 0, 0, 0, 0};
  CHECK(set.items[0].features == red_green);
  CHECK(set.items[1].features == gray);
  CHECK(set.items[2].features == red_green);
  CHECK(set.items[3].features == gray);
  CHECK(set.items[4].features == clear);
  CHECK(set.items[1].targets == std::vector<int>{0});
  CHECK(set.items[2].targets == std::vector<int>{1});
  CHECK(read_image_folder(folder / "set", {"b", "a"}).items[0].targets == std::vector<int>{1});
}

TEST_CASE("image files: images that are not sound") {
  Folder folder;
  auto fault = [&](const std::string& name, const std::string& bytes) {
    folder.write("set/c/" + name, bytes);
    std::string text = fault_in(folder, [&] { read_image_folder(folder / "set"); });
    std::filesystem::remove_all(folder.path / "set");
    return text;
  };
  const std::string good = png(2, 1, PNG_FORMAT_RGB, "abcdef");
  CHECK(fault("x.png", good) == "");
  CHECK(fault("x.png", "") == "set/c/x.png: not a sound PNG: png_image_begin_read_from_memory: invalid argument");
  CHECK(fault("x.png", "hello").starts_with("set/c/x.png: not a sound PNG: "));
  for (std::size_t size = 1; size + 16 < good.size(); size++)
    CHECK(fault("x.png", good.substr(0, size)).starts_with("set/c/x.png: not a sound PNG: "));
  std::size_t found = 0;
  for (std::size_t at = 0; at + 12 < good.size(); at++) {  // checksums find them, but for chunks that do not matter
    std::string broken = good;
    broken[at] = static_cast<char>(broken[at] ^ 0x55);
    found += fault("x.png", broken) != "";
  }
  CHECK(found > good.size() / 2);
  CHECK(fault("x.png", png(1025, 1, PNG_FORMAT_GRAY, std::string(1025, 'x'))) ==
        "set/c/x.png: byte 16: an image of 1025 x 1, expected 1 to 1024 pixels a side");
  CHECK(fault("x.ppm", "") == "set/c/x.ppm: byte 0: P5 or P6: expected 2 bytes, the file has 0 more");
  CHECK(fault("x.ppm", "P3 1 1 255 1 2 3") == "set/c/x.ppm: byte 0: expected P5 or P6, a binary PGM or PPM");
  CHECK(fault("x.ppm", "P6 0 1 255\n") == "set/c/x.ppm: byte 2: an image of 0 x 1, expected 1 to 1024 pixels a side");
  CHECK(fault("x.ppm", "P6 99999999 1 255\n") == "set/c/x.ppm: byte 9: width: expected a number");
  CHECK(fault("x.ppm", "P6 2 x") == "set/c/x.ppm: byte 5: height: expected a number");
  CHECK(fault("x.ppm", "P6 2 -1") == "set/c/x.ppm: byte 5: height: expected a number");
  CHECK(fault("x.ppm", "P6 2 1 65535\n") == "set/c/x.ppm: byte 7: expected values up to 255, found 65535");
  CHECK(fault("x.ppm", "P6 2 1 255\nabc") == "set/c/x.ppm: byte 11: pixels: expected 6 bytes, the file has 3 more");
  CHECK(fault("x.ppm", "P6 # for ever") == "set/c/x.ppm: byte 13: width: expected 1 bytes, the file has 0 more");
  folder.write("set/a/1.pgm", "P5 1 1 255\nx");
  CHECK(fault("x.pgm", "P5 2 1 255\nxy") == "set/c/x.pgm: 2 x 1 pixels, others have 1 x 1");
  folder.write("set/notes.txt", "");
  CHECK(fault_in(folder, [&] { read_image_folder(folder / "set"); }) == "set: no CLASS/IMAGE.png, .ppm or .pgm in it");
  CHECK(fault_in(folder, [&] { read_image_folder(folder / "none"); }) == "none: No such file or directory");
  CHECK(fault_in(folder, [&] { read_image_folder(folder / "set/notes.txt"); }) == "set/notes.txt: Not a directory");
}

TEST_CASE("image files: square images as lines of numbers and a label") {
  Folder folder;
  ExampleSet set = read_csv_images(folder.write("f", "p0,p1,p2,p3,label\n0,16,0,0,7\n8,4,0,0,3\n"), 1 / 16.0);
  REQUIRE(set.items.size() == 2);
  CHECK(set.height == 2);
  CHECK(set.columns == 2);
  CHECK(set.items[1].features == std::vector<float>{0.5F, 0.25F, 0, 0});
  CHECK(set.classes == std::vector<std::string>{"3", "7"});
  CHECK(set.items[0].targets == std::vector<int>{1});
  CHECK(fault_of(set, set.items[0]) == "");
  auto fault = [&](const std::string& text) {
    std::string path = folder.write("f", text);
    return fault_in(folder, [&] { read_csv_images(path); });
  };
  CHECK(fault("1,2,3\n") == "f:1: expected the numbers of a square image and a label, found 2 numbers");
  CHECK(fault("a\n1\n") == "f:2: expected the numbers of a square image and a label, found 0 numbers");
  CHECK(fault("1,a\n1,2,a\n") == "f:2: expected 1 numbers and a label, found 2 numbers");
  CHECK(fault("1,a\n,b\n") == "f:2: column: expected a number, found ''");
  CHECK(fault("1,a\n1e999,b\n") == "f:2: column: expected a number, found '1e999'");
  CHECK(fault("a\n") == "f: no image in it");
  CHECK(fault("1,\n") == "f:1: the label is empty");
}

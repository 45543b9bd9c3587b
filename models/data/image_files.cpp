#include "models/data/image_files.hpp"

#include <png.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "models/data/labels.hpp"
#include "models/data/table.hpp"

namespace HEED_NAMESPACE {

namespace {

constexpr std::uint32_t largest = 1024;                    // pixels a side
constexpr std::size_t most_pixels = std::size_t(1) << 28;  // of all images, each colour

// One image: its size, and three bytes a pixel or one.
struct Picture {
  std::uint32_t height = 0, width = 0, channels = 3;
  std::string bytes;
};

std::vector<float> scaled(std::string_view bytes) {
  std::vector<float> pixels;
  for (char byte : bytes) pixels.push_back(static_cast<float>(static_cast<unsigned char>(byte)) / 255);
  return pixels;
}

void check_size(const Bytes& bytes, std::size_t at, std::uint32_t height, std::uint32_t width) {
  if (height < 1 || width < 1 || height > largest || width > largest)
    bytes.fail(at, "an image of ", width, " x ", height, ", expected 1 to ", largest, " pixels a side");
}

Picture read_png(const std::string& path) {
  Bytes bytes(path);
  std::string_view data = bytes.take(bytes.left(), "image");
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  auto refuse = [&] {
    std::string message = image.message;
    png_image_free(&image);
    throw DataError("heed: " + path + ": not a sound PNG: " + message);
  };
  if (!png_image_begin_read_from_memory(&image, data.data(), data.size())) refuse();
  Picture picture{image.height, image.width, 3, ""};
  if (image.height > largest || image.width > largest) {
    png_image_free(&image);
    check_size(bytes, 16, picture.height, picture.width);
  }
  image.format = PNG_FORMAT_RGB;
  picture.bytes.resize(std::size_t(3) * image.height * image.width);
  if (!png_image_finish_read(&image, nullptr, picture.bytes.data(), 0, nullptr)) refuse();
  return picture;
}

// The next number of a PPM header; comments run from # to the end of the line.
std::uint32_t header_number(Bytes& bytes, const char* what) {
  std::uint32_t number = 0;
  for (bool any = false, comment = false;;) {
    std::size_t at = bytes.at();
    char c = bytes.take(1, what)[0];
    bool space = c == ' ' || c == '\n' || c == '\t' || c == '\r';
    if (comment || (c == '#' && !any))
      comment = c != '\n';
    else if (c >= '0' && c <= '9' && number < 100000)
      number = number * 10 + static_cast<std::uint32_t>(c - '0'), any = true;
    else if (space && any)
      return number;
    else if (!space)
      bytes.fail(at, what, ": expected a number");
  }
}

Picture read_ppm(const std::string& path) {
  Bytes bytes(path);
  std::string_view magic = bytes.take(2, "P5 or P6");
  if (magic != "P5" && magic != "P6") bytes.fail(0, "expected P5 or P6, a binary PGM or PPM");
  Picture picture;
  picture.width = header_number(bytes, "width"), picture.height = header_number(bytes, "height");
  check_size(bytes, 2, picture.height, picture.width);
  std::size_t at = bytes.at();
  if (std::uint32_t top = header_number(bytes, "greatest value"); top != 255)
    bytes.fail(at, "expected values up to 255, found ", top);
  std::size_t cells = std::size_t(picture.height) * picture.width;
  picture.bytes = bytes.take(magic == "P6" ? 3 * cells : cells, "pixels");
  if (magic == "P5")
    for (std::string gray = std::exchange(picture.bytes, ""); char value : gray) picture.bytes.append(3, value);
  return picture;
}

}  // namespace

ExampleSet read_idx(const std::string& images, const std::string& labels, int classes) {
  Bytes pixels(images, most_pixels), answers(labels, most_pixels);
  if (pixels.big(4, "magic number") != 0x803) pixels.fail(0, "expected 00 00 08 03: bytes in three dimensions");
  if (answers.big(4, "magic number") != 0x801) answers.fail(0, "expected 00 00 08 01: bytes in one dimension");
  std::uint32_t count = pixels.big(4, "number of images"), height = pixels.big(4, "height"),
                width = pixels.big(4, "width"), others = answers.big(4, "number of labels");
  check_size(pixels, 8, height, width);
  if (count == 0) pixels.fail(4, "no images");
  if (others != count) answers.fail(4, others, " labels for ", count, " images");
  std::size_t cells = std::size_t(height) * width;
  if (count * cells != pixels.left()) pixels.fail(16, count * cells, " pixels, the file has ", pixels.left());
  if (count != answers.left()) answers.fail(8, count, " labels, the file has ", answers.left());
  ExampleSet set;
  set.task = "images", set.width = 1, set.height = height, set.columns = width;
  for (int k = 0; k < classes; k++) set.classes.push_back(std::to_string(k));
  for (std::uint32_t i = 0; i < count; i++) {
    int label = static_cast<int>(answers.big(1, "label"));
    if (label >= classes) answers.fail(answers.at() - 1, "label ", label, ", expected 0 to ", classes - 1);
    set.items.push_back({{}, {}, scaled(pixels.take(cells, "image")), {label}, {}});
  }
  return set;
}

ExampleSet read_cifar10(const std::string& path) {
  constexpr std::size_t cells = std::size_t{32} * 32;
  ExampleSet set;
  set.task = "images", set.width = 3, set.height = set.columns = 32;
  set.classes = {"airplane", "automobile", "bird", "cat", "deer", "dog", "frog", "horse", "ship", "truck"};
  Bytes bytes(path, most_pixels);
  if (bytes.left() == 0 || bytes.left() % (1 + 3 * cells))
    bytes.fail(0, "expected images of ", 1 + 3 * cells, " bytes, found ", bytes.left(), " bytes");
  while (bytes.left()) {
    int label = static_cast<int>(bytes.big(1, "label"));
    if (label > 9) bytes.fail(bytes.at() - 1, "label ", label, ", expected 0 to 9");
    std::vector<float> planes = scaled(bytes.take(3 * cells, "image")), pixels;
    for (std::size_t i = 0; i < cells; i++)
      for (std::size_t c = 0; c < 3; c++) pixels.push_back(planes[c * cells + i]);
    set.items.push_back({{}, {}, std::move(pixels), {label}, {}});
  }
  return set;
}

ExampleSet read_image_folder(const std::string& path, const std::vector<std::string>& classes) {
  namespace fs = std::filesystem;
  std::error_code error;
  std::vector<fs::path> files;
  for (fs::recursive_directory_iterator at(path, error), end; !error && at != end; at.increment(error)) {
    std::string kind = at->path().extension().string();
    if (at.depth() == 1 && (kind == ".png" || kind == ".ppm" || kind == ".pgm")) files.push_back(at->path());
    if (at.depth() == 1) at.disable_recursion_pending();
  }
  if (error) throw DataError("heed: " + path + ": " + error.message());
  if (files.empty()) throw DataError("heed: " + path + ": no CLASS/IMAGE.png, .ppm or .pgm in it");
  std::sort(files.begin(), files.end());
  ExampleSet set;
  set.task = "images", set.width = 3;
  Labels labels(classes);
  for (const fs::path& file : files) try {
      Picture picture = file.extension() == ".png" ? read_png(file.string()) : read_ppm(file.string());
      if (set.items.empty()) set.height = picture.height, set.columns = picture.width;
      if (picture.height != set.height || picture.width != set.columns)
        fault(picture.width, " x ", picture.height, " pixels, others have ", set.columns, " x ", set.height);
      if ((set.items.size() + 1) * picture.bytes.size() > most_pixels)
        fault("more than ", most_pixels, " bytes in all");
      set.items.push_back({{}, {}, scaled(picture.bytes), {labels.id(file.parent_path().filename().string())}, {}});
    } catch (const Fault& found) {
      throw DataError("heed: " + file.string() + ": " + found.what());
    }
  labels.finish(set);
  return set;
}

ExampleSet read_csv_images(const std::string& path, double scale, const std::vector<std::string>& classes) {
  ExampleSet set;
  set.task = "images", set.width = 1;
  Labels labels(classes);
  std::size_t cells = 0;
  each_row(path, [&](std::vector<float> numbers, std::string_view label) {
    if (set.items.empty()) {
      cells = numbers.size();
      set.height = set.columns = std::lround(std::sqrt(cells));
      if (cells == 0 || set.height > largest || static_cast<std::size_t>(set.height * set.height) != cells)
        fault("expected the numbers of a square image and a label, found ", cells, " numbers");
    }
    if (numbers.size() != cells) fault("expected ", cells, " numbers and a label, found ", numbers.size(), " numbers");
    if (set.items.size() * cells > most_pixels) fault("more than ", most_pixels, " numbers in all");
    for (float& x : numbers) x *= static_cast<float>(scale);
    set.items.push_back({{}, {}, std::move(numbers), {labels.id(label)}, {}});
  });
  if (set.items.empty()) throw DataError("heed: " + path + ": no image in it");
  labels.finish(set);
  return set;
}

}  // namespace HEED_NAMESPACE

// fuzz.cpp — every reader of files, on bytes that libFuzzer makes up: fuzz --reader=NAME [libFuzzer's options].
//
// A reader may take the bytes or refuse them with an Error. Anything else is a finding: another exception, a report of
// a sanitizer, an item at fault in a set, a file that does not come back from what was written of it.
#include <sys/mman.h>
#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "models/data/conllu.hpp"
#include "models/data/example_file.hpp"
#include "models/data/graph_files.hpp"
#include "models/data/image_files.hpp"
#include "models/data/sound_files.hpp"
#include "models/data/text_files.hpp"
#include "nn/checkpoint.hpp"

using namespace heed;

namespace {

/// A file in memory that readers reach by a path.
class MemoryFile {
 public:
  MemoryFile() : descriptor_(memfd_create("fuzz", 0)) {}
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;
  ~MemoryFile() { close(descriptor_); }
  std::string path() const { return "/proc/self/fd/" + std::to_string(descriptor_); }
  void hold(std::string_view bytes) const {
    if (ftruncate(descriptor_, 0) != 0 || pwrite(descriptor_, bytes.data(), bytes.size(), 0) < 0) std::abort();
  }

 private:
  int descriptor_;
};

/// A folder with files that stand for the one above, under names that say how to read it; removed at the end.
struct Folder {
  std::filesystem::path path = std::filesystem::temp_directory_path() / ("heed-fuzz-" + std::to_string(getpid()));
  Folder() { std::filesystem::create_directories(path / "class"); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() { std::filesystem::remove_all(path); }
};

const MemoryFile first, second;

void require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "finding: %s\n", what);
  std::abort();
}

void sound(const ExampleSet& set) {
  require(!set.items.empty(), "a set without items");
  for (const Example& item : set.items) require(fault_of(set, item).empty(), fault_of(set, item).c_str());
  for (const Example& item : set.items)
    for (float x : item.features) require(std::isfinite(x), "a feature that is not finite");
}

void conllu(const std::string& path) {
  auto text = [](const std::vector<Sentence>& sentences) {
    std::ostringstream out;
    write_conllu(out, sentences);
    return out.str();
  };
  int skipped = 0;
  std::vector<Sentence> sentences = read_conllu(path, [&](const DataError&) { skipped++; });
  std::string written = text(sentences);
  std::istringstream in(written);
  require(text(read_conllu(in, "again")) == written, "sentences are other ones when written and read");
  if (skipped == 0) require(read_conllu(path).size() == sentences.size(), "strict and lenient reading differ");
}

void safetensors(const std::string& path) {
  Checkpoint checkpoint = load_checkpoint(path);
  static const Folder folder;
  std::string copy = (folder.path / "copy").string();
  save_checkpoint(copy, checkpoint);
  Checkpoint again = load_checkpoint(copy);
  require(again.metadata == checkpoint.metadata, "metadata are other ones when written and read");
  require(again.tensors.size() == checkpoint.tensors.size(), "tensors are lost when written and read");
}

// The bytes up to a line of dashes, and those behind it, as two files.
void in_two(const std::string& path, const std::function<void(const std::string&, const std::string&)>& read) {
  std::ostringstream all;
  all << std::ifstream(path, std::ios::binary).rdbuf();
  std::string bytes = all.str(), mark = "\n----\n";
  std::size_t at = bytes.find(mark);
  if (at == bytes.npos) return;
  second.hold(std::string_view(bytes).substr(at + mark.size()));
  first.hold(std::string_view(bytes).substr(0, at));
  read(first.path(), second.path());
}

// The bytes as the only image of a folder.
void image(const std::string& path, const char* name) {
  static const Folder folder;
  std::filesystem::path file = folder.path / "class" / name;
  std::filesystem::remove(file);
  std::filesystem::create_symlink(path, file);
  sound(read_image_folder(folder.path.string()));
}

// The bytes as what was said in a recording.
void segments(const std::string& path) {
  static const Folder folder;
  std::filesystem::remove(folder.path / "labels");
  std::filesystem::create_symlink(path, folder.path / "labels");
  std::string samples(2 * 1600, '\1');
  auto number = [](std::uint32_t x, int bytes) {
    std::string text;
    for (int i = 0; i < bytes; i++) text += static_cast<char>(x >> 8 * i);
    return text;
  };
  std::ofstream(folder.path / "sound.wav", std::ios::binary)
      << "RIFF" << number(36 + 3200, 4) << "WAVEfmt " << number(16, 4) << number(1, 2) << number(1, 2)
      << number(16000, 4) << number(32000, 4) << number(2, 2) << number(16, 2) << "data" << number(3200, 4) << samples;
  std::ofstream(folder.path / "list") << "sound.wav\tlabels\n";
  sound(read_speech((folder.path / "list").string(), Answer::each));
}

struct Reader {
  const char* name;
  void (*read)(const std::string& path);
};
const Reader readers[] = {
    {"conllu", conllu},
    {"safetensors", safetensors},
    {"examples", [](const std::string& path) { sound(read_examples(path)); }},
    {"labelled-text", [](const std::string& path) { sound(read_labelled_text(path)); }},
    {"listops", [](const std::string& path) { sound(read_listops(path)); }},
    {"pairs", [](const std::string& path) { sound(read_pairs(path, Unit::word)); }},
    {"sentences", [](const std::string& path) { sound(read_sentences(path)); }},
    {"plain-text", [](const std::string& path) { sound(read_plain_text(path, 16)); }},
    {"wav",
     [](const std::string& path) {
       for (float x : read_wav(path)) require(x >= -1 && x <= 1, "a sample out of range");
     }},
    {"segments", segments},
    {"idx", [](const std::string& path) { in_two(path, [](const auto& a, const auto& b) { sound(read_idx(a, b)); }); }},
    {"cifar10", [](const std::string& path) { sound(read_cifar10(path)); }},
    {"png", [](const std::string& path) { image(path, "image.png"); }},
    {"ppm", [](const std::string& path) { image(path, "image.ppm"); }},
    {"csv-images", [](const std::string& path) { sound(read_csv_images(path)); }},
    {"graph",
     [](const std::string& path) { in_two(path, [](const auto& a, const auto& b) { sound(read_graph(a, b)); }); }},
    {"smiles", [](const std::string& path) { sound(read_molecules(path)); }},
};
const Reader* chosen = nullptr;

}  // namespace

extern "C" int LLVMFuzzerInitialize(const int* count, char*** words);
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

extern "C" int LLVMFuzzerInitialize(const int* count, char*** words) {
  for (int i = 1; i < *count; i++)
    for (const Reader& reader : readers)
      if ((*words)[i] == std::string("--reader=") + reader.name) chosen = &reader;
  if (chosen) return 0;
  for (const Reader& reader : readers) std::puts(reader.name);
  std::exit(2);
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const MemoryFile file;
  file.hold({reinterpret_cast<const char*>(data), size});
  try {
    chosen->read(file.path());
  } catch (const Error& refused) {
    std::string text = refused.what();
    require(text.starts_with("heed: "), "an error that does not say whose it is");
    require(text.find('\n') == text.npos, "an error of more than one line");
  }
  return 0;
}

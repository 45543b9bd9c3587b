#include "models/data/sound_files.hpp"

#include <filesystem>

#include "models/data/labels.hpp"

namespace HEED_NAMESPACE {

namespace {

constexpr int longest = 600 * sample_rate;

// Reads the format that the samples are in; returns the number of channels.
std::uint32_t read_format(Bytes& bytes) {
  std::size_t at = bytes.at();
  std::uint32_t format = bytes.little(2, "format"), channels = bytes.little(2, "channels");
  std::uint32_t rate = bytes.little(4, "sample rate");
  bytes.take(6, "bytes a second");
  std::uint32_t bits = bytes.little(2, "bits a sample");
  // The format "extensible" says the same further on.
  if ((format != 1 && format != 0xFFFE) || bits != 16)
    bytes.fail(at, "expected 16-bit PCM, found format ", format, " with ", bits, " bits");
  if (rate != sample_rate) bytes.fail(at + 4, "expected ", sample_rate, " samples a second, found ", rate);
  if (channels < 1 || channels > 8) bytes.fail(at + 2, "expected 1 to 8 channels, found ", channels);
  return channels;
}

// A label for each frame of a recording of `frames`.
std::vector<int> read_segments(const std::string& path, Size frames, Labels& labels) {
  std::vector<int> targets(static_cast<std::size_t>(frames), -1);
  int before = 0, frame = 0;
  auto middle = [&] { return frame * frame_shift + frame_length / 2; };
  each_line(path, [&](std::string_view line, std::size_t) {
    int first = read_integer(take_cell(line, ' '), before, longest, "first sample");
    int end = before = read_integer(take_cell(line, ' '), first, longest, "end");
    int label = labels.id(line);
    while (frame < frames && middle() < first) frame++;
    for (; frame < frames && middle() < end; frame++) targets[static_cast<std::size_t>(frame)] = label;
  });
  return targets;
}

}  // namespace

std::vector<float> read_wav(const std::string& path) {
  Bytes bytes(path);
  if (bytes.take(4, "RIFF") != "RIFF") bytes.fail(0, "expected a WAV file, which starts with RIFF");
  bytes.take(4, "size");
  if (bytes.take(4, "WAVE") != "WAVE") bytes.fail(8, "expected WAVE");
  std::uint32_t channels = 0;
  for (;;) {
    std::string_view name = bytes.take(4, "chunk \"data\"");
    std::uint32_t size = bytes.little(4, "size of a chunk");
    std::size_t at = bytes.at();
    if (name == "data") {
      if (channels == 0) bytes.fail(at, "samples before their format");
      if (size % (2 * channels)) bytes.fail(at, size, " bytes of samples of ", 2 * channels, " bytes each");
      if (size / (2 * channels) > static_cast<std::uint32_t>(longest)) bytes.fail(at, "more than 10 minutes");
      std::string_view data = bytes.take(size, "samples");
      std::vector<float> samples;
      const std::size_t together = std::size_t{2} * channels;
      for (std::size_t i = 0; i < data.size(); i += together) {
        float sum = 0;
        for (std::size_t c = i; c < i + together; c += 2) {
          int value = static_cast<unsigned char>(data[c]) | static_cast<unsigned char>(data[c + 1]) << 8;
          sum += static_cast<float>(value < 32768 ? value : value - 65536);
        }
        samples.push_back(sum / (32768 * static_cast<float>(channels)));
      }
      return samples;
    }
    if (name == "fmt ") {
      if (size < 16) bytes.fail(at, "a format of ", size, " bytes, expected 16 or more");
      channels = read_format(bytes);
    }
    std::size_t rest = std::size_t(size) + size % 2 - (bytes.at() - at);
    bytes.take(rest, "chunk");
  }
}

ExampleSet read_speech(const std::string& path, Answer answer, FrameKind kind,
                       const std::vector<std::string>& classes) {
  check(answer != Answer::sequence, "read_speech", "no labels make a sequence");
  ExampleSet set;
  set.task = "speech", set.answer = answer, set.width = kind == FrameKind::mel ? mel_filters : mfcc_width;
  std::filesystem::path folder = std::filesystem::path(path).parent_path();
  Labels labels(classes);
  each_line(path, [&](std::string_view line, std::size_t) {
    std::string name(take_cell(line, '\t'));
    if (line.empty()) fault("expected WAV TAB ", answer == Answer::each ? "label file" : "label");
    std::vector<float> samples = read_wav((folder / name).string());
    Size frames = frame_count(static_cast<Size>(samples.size()));
    if (frames == 0) fault(excerpt(name), " has ", samples.size(), " samples, a frame takes ", frame_length);
    Example item;
    item.features = kind == FrameKind::mel ? log_mel(samples) : mfcc(samples);
    if (answer == Answer::each)
      item.targets = read_segments((folder / line).string(), frames, labels);
    else
      item.targets = {labels.id(line)};
    set.items.push_back(std::move(item));
  });
  labels.finish(set);
  return set;
}

}  // namespace HEED_NAMESPACE

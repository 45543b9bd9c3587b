#include "models/data/sound_files.hpp"

#include <cmath>

#include "tests/data/files.hpp"

using namespace heed;
using namespace heed::testing;

namespace {

std::string little(std::uint32_t value, int bytes) {
  std::string text;
  for (int i = 0; i < bytes; i++) text += static_cast<char>(value >> 8 * i & 255);
  return text;
}

struct Wav {
  std::uint32_t format = 1, channels = 1, rate = 16000, bits = 16, fmt_size = 16;
  std::string before{}, extra{};  // chunks before the samples, the rest of the format
  std::vector<int> samples = std::vector<int>(560, 1000);
  std::string bytes() const {
    std::string data;
    for (int s : samples) data += little(static_cast<std::uint32_t>(s), 2);
    std::string body = "WAVEfmt " + little(fmt_size, 4) + little(format, 2) + little(channels, 2) + little(rate, 4) +
                       little(rate * channels * 2, 4) + little(channels * 2, 2) + little(bits, 2) + extra + before +
                       "data" + little(static_cast<std::uint32_t>(data.size()), 4) + data;
    return "RIFF" + little(static_cast<std::uint32_t>(body.size()), 4) + body;
  }
};

}  // namespace

TEST_CASE("sound files: samples of one channel or two, with other chunks around") {
  Folder folder;
  Wav wav;
  wav.samples = {0, 16384, -32768, 32767};
  CHECK(read_wav(folder.write("f", wav.bytes())) == std::vector<float>{0, 0.5F, -1, 32767 / 32768.0F});
  wav.before = "LIST" + little(3, 4) + "abc" + '\0';  // padded to two bytes
  CHECK(read_wav(folder.write("f", wav.bytes())).size() == 4);
  wav.channels = 2;
  CHECK(read_wav(folder.write("f", wav.bytes())) == std::vector<float>{0.25F, -1 / 65536.0F});
  wav = {.format = 0xFFFE, .fmt_size = 40, .before = "", .extra = std::string(24, 'x')};
  CHECK(read_wav(folder.write("f", wav.bytes())).size() == 560);
}

TEST_CASE("sound files: what is no such WAV file") {
  Folder folder;
  auto fault = [&](const std::string& bytes) {
    std::string path = folder.write("f", bytes);
    return fault_in(folder, [&] { read_wav(path); });
  };
  const std::string good = Wav().bytes();
  CHECK(fault(good) == "");
  CHECK(fault("") == "f: byte 0: RIFF: expected 4 bytes, the file has 0 more");
  CHECK(fault("RIFX" + good.substr(4)) == "f: byte 0: expected a WAV file, which starts with RIFF");
  CHECK(fault(good.substr(0, 8) + "AVI " + good.substr(12)) == "f: byte 8: expected WAVE");
  CHECK(fault(Wav{.format = 3}.bytes()) == "f: byte 20: expected 16-bit PCM, found format 3 with 16 bits");
  CHECK(fault(Wav{.bits = 8}.bytes()) == "f: byte 20: expected 16-bit PCM, found format 1 with 8 bits");
  CHECK(fault(Wav{.rate = 44100}.bytes()) == "f: byte 24: expected 16000 samples a second, found 44100");
  CHECK(fault(Wav{.channels = 0}.bytes()) == "f: byte 22: expected 1 to 8 channels, found 0");
  CHECK(fault(Wav{.channels = 9}.bytes()) == "f: byte 22: expected 1 to 8 channels, found 9");
  CHECK(fault(Wav{.fmt_size = 4}.bytes()) == "f: byte 20: a format of 4 bytes, expected 16 or more");
  CHECK(fault(Wav{.fmt_size = 0xFFFFFFFF}.bytes()).starts_with("f: byte 36: chunk: expected 4294967280 bytes"));
  CHECK(fault(Wav{.before = "x   " + little(0xFFFFFFFF, 4)}.bytes())
            .starts_with("f: byte 44: chunk: expected 4294967296"));
  CHECK(fault("RIFF....WAVEdata" + little(4, 4) + "abcd") == "f: byte 20: samples before their format");
  CHECK(fault(Wav{.channels = 2, .samples = {1, 2, 3}}.bytes()) == "f: byte 44: 6 bytes of samples of 4 bytes each");
  CHECK(fault(good.substr(0, 100)) == "f: byte 44: samples: expected 1120 bytes, the file has 56 more");
  CHECK(fault(good.substr(0, 40) + little(0x7FFFFFFE, 4)) == "f: byte 44: more than 10 minutes");
  CHECK(fault(good.substr(0, 36)) == "f: byte 36: chunk \"data\": expected 4 bytes, the file has 0 more");
  for (std::size_t size = 0; size < good.size(); size += 7) CHECK(fault(good.substr(0, size)) != "");
}

TEST_CASE("sound files: a list of recordings, with a label each or one for each frame") {
  Folder folder;
  Wav wav;  // 560 samples: two frames, with their middles at 200 and 360
  folder.write("wav/a.wav", wav.bytes());
  wav.samples.assign(400, 500);
  folder.write("wav/b.wav", wav.bytes());
  ExampleSet set = read_speech(folder.write("list", "wav/a.wav\teve\nwav/b.wav\tadam\n"), Answer::whole);
  CHECK(set.classes == std::vector<std::string>{"adam", "eve"});
  CHECK(set.items[0].targets == std::vector<int>{1});
  CHECK(set.items[0].features.size() == 2 * 80);
  CHECK(set.items[1].features.size() == 80);
  CHECK(set.items[0].features == log_mel(read_wav(folder / "wav/a.wav")));
  CHECK(make_batch(set, {0, 1}).length == 2);

  folder.write("a.phn", "0 300 h#\n300 361 ah\n");
  folder.write("b.phn", "0 100 h#\n");
  std::string list = folder.write("list", "wav/a.wav\ta.phn\nwav/b.wav\tb.phn\n");
  set = read_speech(list, Answer::each, FrameKind::cepstra);
  CHECK(set.classes == std::vector<std::string>{"ah", "h#"});
  CHECK(set.items[0].targets == std::vector<int>{1, 0});
  CHECK(set.items[1].targets == std::vector<int>{-1});
  CHECK(set.items[0].features.size() == 2 * 39);
  CHECK(set.width == 39);

  auto fault = [&](const std::string& lines, const std::string& labels) {
    folder.write("list", lines);
    folder.write("a.phn", labels);
    return fault_in(folder, [&] { read_speech(folder / "list", Answer::each); });
  };
  CHECK(fault("wav/a.wav\ta.phn\n", "0 9 x\n") == "");
  CHECK(fault("wav/a.wav\n", "") == "list:1: expected WAV TAB label file");
  CHECK(fault("wav/a.wav\tc.phn\n", "") == "c.phn: there is no such file");
  CHECK(fault("wav/c.wav\ta.phn\n", "") == "wav/c.wav: there is no such file");
  CHECK(fault("wav/a.wav\ta.phn\n", "") == "a.phn: the file is empty");
  CHECK(fault("wav/a.wav\ta.phn\n", "0 9 x\n8 20 y\n") ==
        "a.phn:2: first sample: expected a whole number from 9 to 9600000, found '8'");
  CHECK(fault("wav/a.wav\ta.phn\n", "5 4 x\n") == "a.phn:1: end: expected a whole number from 5 to 9600000, found '4'");
  CHECK(fault("wav/a.wav\ta.phn\n", "0 9\n") == "a.phn:1: the label is empty");
  wav.samples.assign(399, 1);
  folder.write("wav/short.wav", wav.bytes());
  CHECK(fault("wav/a.wav\ta.phn\nwav/short.wav\ta.phn\n", "0 9 x\n") ==
        "list:2: 'wav/short.wav' has 399 samples, a frame takes 400");
  CHECK_THROWS_AS(read_speech(folder / "list", Answer::sequence), Error);
}

// Tests of nn/checkpoint.hpp: what is written, what comes back, and that a path always holds a whole file.
#include "nn/checkpoint.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <thread>

#ifdef __linux__
#include <sched.h>
#endif

#include "nn/embedding.hpp"
#include "nn/linear.hpp"
#include "tests/nn/files.hpp"

using namespace heed;
using namespace heed::testing;

namespace {

std::string message_of(const std::function<void()>& f) {
  try {
    f();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}
bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

Checkpoint one(const Tensor& value, const std::string& name = "x") { return {{{name, value}}, {}}; }

}  // namespace

TEST_CASE("checkpoint: every tensor comes back with its bits, shape, order and metadata") {
  Folder folder;
  Rng rng(1);
  real least = std::numeric_limits<real>::denorm_min();
  std::vector<NamedTensor> tensors = {
      {"matrix", random(rng, {3, 4})},
      {"scalar", Tensor::scalar(7)},
      {"empty", Tensor({0, 3})},
      {"eight axes", random(rng, {1, 2, 1, 2, 1, 2, 1, 2})},
      {"odd", array({6}, {infinity, -infinity, -0.0, 0.0, not_a_number, static_cast<double>(least)})},
      {"large", random(rng, {300, 301})},
      {"last empty", Tensor({0})},
      {"", Tensor({1}, 3)},
      {"词 \"quoted\" \\ \n\t.w", Tensor({2}, 5)}};
  std::map<std::string, std::string> metadata{{"step", "12"}, {"", "empty"}, {"句", "a \"b\"\nc\\"}};
  save_checkpoint(folder / "a", {tensors, metadata});
  Checkpoint back = load_checkpoint(folder / "a");
  CHECK(back.metadata == metadata);
  REQUIRE(back.tensors.size() == tensors.size());
  for (const NamedTensor& t : tensors) {
    CAPTURE(t.first);
    CHECK(same_bits(back.at(t.first), t.second));
  }
  CHECK(folder.count() == 1);
  CHECK_THROWS_WITH_AS(back.at("missing"), "heed: Checkpoint: there is no tensor \"missing\"", Error);
  save_checkpoint(folder / "a", {});
  CHECK(load_checkpoint(folder / "a").tensors.empty());
  CHECK(read_bytes(folder / "a").substr(8, 2) == "{}");
}

TEST_CASE("checkpoint: an independent reader finds the same; numbers start aligned") {
  Folder folder;
  save_checkpoint(folder / "a", {{{"m", iota({2, 3})}, {"s", Tensor::scalar(5)}, {"e", Tensor({0, 4})}}, {{"k", "v"}}});
  std::map<std::string, Stored> found = read_safetensors(folder / "a");
  REQUIRE(found.size() == 3);
  CHECK(found["m"].dtype == real_name);
  CHECK(found["m"].shape == "2,3");
  CHECK(found["m"].data == bytes_of(std::vector<real>{0, 1, 2, 3, 4, 5}));
  CHECK(found["s"].shape == "");
  CHECK(found["s"].data == bytes_of(std::vector<real>{5}));
  CHECK(found["e"].shape == "0,4");
  CHECK(found["e"].data.empty());
  std::uint64_t length = 0;
  std::string bytes = read_bytes(folder / "a");
  std::memcpy(&length, bytes.data(), 8);
  CHECK(length % 8 == 0);
  CHECK(contains(bytes, R"("__metadata__":{"k":"v"})"));
}

TEST_CASE("fault 81: views are written as their own elements, row-major") {
  Folder folder;
  Tensor x = iota({2, 3});
  save_checkpoint(folder / "a", {{{"t", x.transpose()},
                                  {"row", x.slice(0, 1, 2)},
                                  {"column", x.slice(1, 1, 2)},
                                  {"wide", x.slice(1, 0, 1).expand({2, 3})}},
                                 {}});
  std::map<std::string, Stored> found = read_safetensors(folder / "a");
  CHECK(found["t"].shape == "3,2");
  CHECK(found["t"].data == bytes_of(std::vector<real>{0, 3, 1, 4, 2, 5}));
  CHECK(found["row"].data == bytes_of(std::vector<real>{3, 4, 5}));
  CHECK(found["column"].data == bytes_of(std::vector<real>{1, 4}));
  CHECK(found["wide"].data == bytes_of(std::vector<real>{0, 0, 0, 3, 3, 3}));
  CHECK(same_bits(load_checkpoint(folder / "a").at("t"), x.transpose()));
}

TEST_CASE("checkpoint: F32 and F64 are both read, converted to real, also in one file") {
  Folder folder;
  std::string header = R"({"f":{"dtype":"F32","shape":[3],"data_offsets":[0,12]},)"
                       R"("d":{"dtype":"F64","shape":[1,2],"data_offsets":[12,28]}})";
  write_bytes(folder / "a", safetensors(header, bytes_of(std::vector<float>{1.5f, -2, 0.1f}) +
                                                    bytes_of(std::vector<double>{0.1, 1e300})));
  Checkpoint back = load_checkpoint(folder / "a");
  CHECK(same_bits(back.at("f"), array({3}, {1.5, -2, static_cast<double>(0.1f)})));
  CHECK(same_bits(back.at("d"), array({1, 2}, {0.1, is_double ? 1e300 : infinity})));
}

TEST_CASE("checkpoint: F16 and BF16 are read to the last bit, subnormal and infinite numbers too") {
  Folder folder;
  // 1, -2, 1/3 rounded, the largest, the smallest normal, the largest and smallest subnormal, zeros, infinities, NaN.
  std::vector<std::uint16_t> half = {0x3c00, 0xc000, 0x3555, 0x7bff, 0x0400, 0x03ff,
                                     0x8001, 0,      0x8000, 0x7c00, 0xfc00, 0x7e01};
  std::vector<double> halves = {
      1, -2, 1365.0 / 4096, 65504, std::ldexp(1, -14), std::ldexp(1023, -24), -std::ldexp(1, -24), 0, 0};
  // The same of 8 bits of exponent and 7 of fraction.
  std::vector<std::uint16_t> brain = {0x3f80, 0xc000, 0x3eab, 0x7f7f, 0x0080, 0x007f,
                                      0x8001, 0,      0x8000, 0x7f80, 0xff80, 0x7fc1};
  std::vector<double> brains = {
      1, -2, 171.0 / 512, std::ldexp(255, 120), std::ldexp(1, -126), std::ldexp(127, -133), -std::ldexp(1, -133), 0, 0};
  const char* header = R"({"h":{"dtype":"F16","shape":[3,4],"data_offsets":[0,24]},
    "b":{"dtype":"BF16","shape":[12],"data_offsets":[24,48]}})";
  write_bytes(folder / "a", safetensors(header, bytes_of(half) + bytes_of(brain)));
  Checkpoint back = load_checkpoint(folder / "a");
  CHECK(back.at("h").shape() == Shape{3, 4});
  for (const auto& given : {std::pair("h", halves), std::pair("b", brains)}) {
    CAPTURE(given.first);
    const std::vector<double>& expected = given.second;
    std::vector<real> got = back.at(given.first).to_vector();
    for (std::size_t i = 0; i < expected.size(); i++) CHECK(got[i] == static_cast<real>(expected[i]));
    CHECK((std::signbit(got[8]) && !std::signbit(got[7])));
    CHECK((std::isinf(got[9]) && got[9] > 0 && std::isinf(got[10]) && got[10] < 0 && std::isnan(got[11])));
  }
}

TEST_CASE("fault 77: tied weights are in the file once, and stay tied after loading") {
  struct Model : Module {
    Embedding words;
    Var out;
    explicit Model(Rng& rng) : words(sub("words", Embedding(4, 3, rng))), out(words.table) { sub("head", words); }
  };
  Folder folder;
  Rng rng(2);
  Model first(rng), second(rng);
  save_checkpoint(folder / "a", {named_values(first.parameters()), {}});
  CHECK(read_safetensors(folder / "a").size() == 1);
  assign(second.parameters(), load_checkpoint(folder / "a"));
  CHECK(same_bits(second.out.value(), first.out.value()));
  second.words.table.value().mut()[0] = 42;
  CHECK(second.out.value().at({0, 0}) == 42);
  CHECK(first.out.value().at({0, 0}) != 42);
  CHECK(Adam(second.parameters()).parameters().size() == 1);
}

TEST_CASE("checkpoint: assign copies by name, ignores the rest, and does all or nothing") {
  Rng rng(3);
  Linear layer(2, 3, rng);
  Tensor w = layer.w.value();
  Checkpoint good{{{"b", Tensor({3}, 5)}, {"other", Tensor({9}, 1)}, {"w", Tensor({2, 3}, 4)}}, {}};
  Checkpoint missing{{{"w", Tensor({2, 3}, 4)}}, {}}, wrong{{{"w", Tensor({2, 3}, 4)}, {"b", Tensor({1, 3}, 1)}}, {}};
  CHECK_THROWS_WITH_AS(assign(layer.parameters(), missing), "heed: Checkpoint: there is no tensor \"b\"", Error);
  CHECK_THROWS_WITH_AS(assign(layer.parameters(), wrong),
                       "heed: assign: \"b\" has shape (1, 3) in the checkpoint, (3) in the model", Error);
  CHECK(same_bits(layer.w.value(), w));
  assign(layer.parameters(), good);
  CHECK(same_bits(layer.w.value(), Tensor({2, 3}, 4)));
  CHECK(same_bits(layer.b.value(), Tensor({3}, 5)));
  layer.w.value().mut()[0] = 9;
  CHECK(same_bits(good.at("w"), Tensor({2, 3}, 4)));
}

TEST_CASE("checkpoint: what cannot be saved is refused by name, before anything is written") {
  Folder folder;
  save_checkpoint(folder / "a", one(Tensor({2}, 1)));
  std::string before = read_bytes(folder / "a");
  Checkpoint twice{{{"x", Tensor({1}, 1)}, {"x", Tensor({1}, 2)}}, {}};
  CHECK_THROWS_WITH_AS(save_checkpoint(folder / "a", twice), "heed: save_checkpoint: two tensors are named \"x\"",
                       Error);
  CHECK_THROWS_AS(save_checkpoint(folder / "a", one(Tensor())), Error);
  CHECK(contains(message_of([&] { save_checkpoint(folder / "none/a", one(Tensor({1}, 1))); }), folder / "none/a"));
  std::filesystem::create_directory(folder / "d");
  CHECK(contains(message_of([&] { save_checkpoint(folder / "d", one(Tensor({1}, 1))); }), folder / "d"));
  CHECK(read_bytes(folder / "a") == before);
  CHECK(folder.count() == 2);
}

TEST_CASE("checkpoint: names that the format cannot hold are refused, or at least can be read again") {
  Folder folder;
  for (const std::vector<std::string>& names :
       {std::vector<std::string>{"__metadata__"}, {"\xff"}, {"a\xff", "a\xfe"}}) {
    CAPTURE(names[0]);
    Checkpoint odd;
    for (const std::string& name : names) odd.tensors.emplace_back(name, Tensor({1}, 1));
    bool saved = true;
    try {
      save_checkpoint(folder / "a", odd);
    } catch (const Error&) {
      saved = false;
    }
    if (!saved) continue;
    CHECK_NOTHROW(CHECK(load_checkpoint(folder / "a").tensors.size() == names.size()));
  }
}

TEST_CASE("fault 83: killed at random moments, the path holds a complete old or new file") {
  Folder folder(std::filesystem::exists("/dev/shm") ? "/dev/shm" : std::filesystem::temp_directory_path());
  std::string path = folder / "a";
  auto values = [](int round) { return one(Tensor({200000}, static_cast<real>(round))); };
  save_checkpoint(path, values(-1));
  Rng rng(4);
  for (int kill_round = 0; kill_round < 50; kill_round++) {
    int pipes[2];
    REQUIRE(pipe(pipes) == 0);
    pid_t child = fork();
    if (child == 0) {
      for (int round = 0;; round++) {
        save_checkpoint(path, values(round));
        if (round == 0 && write(pipes[1], "s", 1) != 1) _exit(1);
      }
    }
    char started = 0;
    REQUIRE(read(pipes[0], &started, 1) == 1);
    std::this_thread::sleep_for(std::chrono::microseconds(rng.below(4000)));
    kill(child, SIGKILL);
    close(pipes[0]);
    close(pipes[1]);
    waitpid(child, nullptr, 0);
    Tensor back;
    REQUIRE_NOTHROW(back = load_checkpoint(path).at("x"));
    CHECK(same_bits(back, Tensor({200000}, back.at({0}))));
    CHECK(back.at({0}) >= 0);
  }
  save_checkpoint(path, values(-1));
  CHECK(!std::filesystem::exists(path + ".tmp" + std::to_string(getpid())));
}

TEST_CASE("fault 83: a write that the system cuts off leaves the old file and no other, and says which file") {
  Folder folder;
  std::string path = folder / "a";
  save_checkpoint(path, one(Tensor({10}, 1)));
  CHECK(in_child([&] {
          signal(SIGXFSZ, SIG_IGN);
          rlimit limit{4096, 4096};
          setrlimit(RLIMIT_FSIZE, &limit);
          std::string text = message_of([&] { save_checkpoint(path, one(Tensor({100000}, 2))); });
          return contains(text, "cannot write") && contains(text, path) ? 0 : 1;
        }) == 0);
  CHECK(folder.count() == 1);
  CHECK(same_bits(load_checkpoint(path).at("x"), Tensor({10}, 1)));
}

#ifdef __linux__
TEST_CASE("fault 83: a full disk (a small tmpfs, if this process may mount one) leaves the old file and no other") {
  Folder folder;
  int code = in_child([&] {
    std::string disk = folder / "";
    if (unshare(CLONE_NEWNS) || mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) ||
        mount("tmpfs", disk.c_str(), "tmpfs", 0, "size=256k"))
      return 77;
    std::string path = folder / "a";
    save_checkpoint(path, one(Tensor({1000}, 1)));
    std::string text = message_of([&] { save_checkpoint(path, one(Tensor({200000}, 2))); });
    bool old = same_bits(load_checkpoint(path).at("x"), Tensor({1000}, 1)) && folder.count() == 1;
    save_checkpoint(path, one(Tensor({1000}, 3)));
    return contains(text, "No space left") && old && load_checkpoint(path).at("x").at({0}) == 3 ? 0 : 1;
  });
  if (code == 77)
    MESSAGE("skipped: mounting is not allowed here");
  else
    CHECK(code == 0);
}
#endif

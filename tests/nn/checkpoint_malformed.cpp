// Tests of load_checkpoint() on files that are cut short, made up, or damaged at random.
#include <sys/stat.h>

#include "nn/checkpoint.hpp"
#include "tests/nn/files.hpp"

using namespace heed;
using namespace heed::testing;

namespace {

std::string load_error(const std::string& path) {
  try {
    load_checkpoint(path);
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

/// Checks that a file of these bytes is refused with an error that names the path and contains `part`.
void refused(const std::string& bytes, const std::string& part = "") {
  Folder folder;
  write_bytes(folder / "bad", bytes);
  std::string message = load_error(folder / "bad");
  CAPTURE(message);
  bool complete = true;
  for (const std::string& wanted : {std::string("load_checkpoint"), folder / "bad", part})
    complete = complete && message.find(wanted) != std::string::npos;
  CHECK(complete);
}
/// One tensor "x" of two F32 numbers whose entry is `entry`.
void refused_entry(const std::string& entry, const std::string& part = "") {
  CAPTURE(entry);
  refused(safetensors("{\"x\":" + entry + "}", std::string(8, '\0')), part);
}
std::string entry(const std::string& dtype, const std::string& shape, const std::string& offsets) {
  return R"({"dtype":)" + dtype + R"(,"shape":)" + shape + R"(,"data_offsets":)" + offsets + "}";
}

}  // namespace

TEST_CASE("fault 79: cut short or with something behind, a file is refused with what was expected and found") {
  Folder folder;
  save_checkpoint(folder / "a", {{{"x", Tensor({3}, 1)}, {"y", Tensor({2, 2}, 2)}}, {}});
  std::string good = read_bytes(folder / "a"), size = std::to_string(good.size());
  refused(good.substr(0, good.size() - 1), std::to_string(good.size() - 1));
  refused(good.substr(0, good.size() - 1), size);
  refused(good + '\0', std::to_string(good.size() + 1));
  refused(good + '\0', size);
  for (std::size_t n : {0u, 1u, 7u})
    refused(good.substr(0, n), "expected at least 8 bytes, found " + std::to_string(n));
  for (std::size_t n : {8u, 9u, 50u}) refused(good.substr(0, n), "has " + std::to_string(n));
  for (std::size_t n = 0; n < good.size(); n += 5) refused(good.substr(0, n));
  // No partial load: the model keeps its numbers.
  write_bytes(folder / "a", good.substr(0, good.size() - 1));
  Parameter x{"x", Var::parameter(Tensor({3}, 9))};
  CHECK_THROWS_AS(assign({x}, load_checkpoint(folder / "a")), Error);
  CHECK(same_bits(x.var.value(), Tensor({3}, 9)));
}

TEST_CASE("checkpoint: what is no regular file is refused with its path") {
  Folder folder;
  for (const std::string& path : {folder / "missing", folder / "", std::string("/dev/zero"), std::string()}) {
    std::string message = load_error(path);
    CAPTURE(message);
    CHECK(message.find("load_checkpoint") != std::string::npos);
    CHECK(message.find(path) != std::string::npos);
  }
}

TEST_CASE("checkpoint: a file that may not be read is refused with its path and the reason") {
  Folder folder;
  std::string path = folder / "a";
  save_checkpoint(path, {});
  chmod(path.c_str(), 0);
  std::filesystem::permissions(std::filesystem::path(path).parent_path(), std::filesystem::perms::all);
  CHECK(in_child([&] {
          if (geteuid() == 0 && setuid(65534) != 0) return 0;  // root reads everything
          std::string message = load_error(path);
          return message.find(path) != std::string::npos && message.find("Permission denied") != std::string::npos ? 0
                                                                                                                   : 1;
        }) == 0);
}

TEST_CASE("checkpoint: headers that lie about their length") {
  std::string text = R"({"x":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}})";
  for (std::uint64_t length : {~std::uint64_t(0), std::uint64_t(1) << 63, std::uint64_t(1) << 40,
                               std::uint64_t(100) << 20, std::uint64_t(text.size() + 9)})
    refused(bytes_of(std::vector<std::uint64_t>{length}) + text + std::string(8, '\0'), std::to_string(length));
  for (std::uint64_t length : {std::uint64_t(0), std::uint64_t(1), std::uint64_t(text.size() - 1)})
    refused(bytes_of(std::vector<std::uint64_t>{length}) + text + std::string(8, '\0'));
}

TEST_CASE("checkpoint: headers that are no JSON object of tensors") {
  for (const char* text :
       {"", "x", "[]", "[1]", "null", "3", "\"a\"", "{", "}", "{}}", "{\"a\"}", "{\"a\":1,}", "{a:1}",
        "{\"a\":\"\xff\"}", "{\"\xff\":1}", "\xef\xbb\xbf", "{\"a\":NaN}", "// c\n{", "{} {}"}) {
    CAPTURE(text);
    refused(safetensors(text));
  }
  for (const char* value : {"null", "1", "-1", "true", "\"F32\"", "[]", "{}", "[1,2]", "{\"dtype\":\"F32\"}"})
    refused_entry(value);
}

TEST_CASE("checkpoint: deep nesting neither overflows the stack nor passes") {
  for (std::size_t depth : {9u, 1000u, 1000000u}) {
    refused(safetensors(std::string(depth, '[') + std::string(depth, ']')));
    std::string deep = std::string(depth, '[') + std::string(depth, ']');
    refused(safetensors("{\"x\":" + deep + "}"));
    refused(safetensors("{\"__metadata__\":{\"k\":" + deep + "}}"));
    refused(safetensors(R"({"x":{"dtype":"F32","shape":)" + deep + R"(,"data_offsets":[0,8]}})", std::string(8, '\0')));
    std::string objects;
    for (std::size_t i = 0; i < depth; i++) objects += "{\"a\":";
    refused(safetensors(objects));
  }
}

TEST_CASE("checkpoint: entries with wrong types, shapes or offsets") {
  for (const char* dtype :
       {"null", "1", "\"\"", "\"F8_E4M3\"", "\"BOOL\"", "\"I32\"", "\"I64\"", "\"f32\"", "\"U8\"", "[]"})
    refused_entry(entry(dtype, "[2]", "[0,8]"), "\"x\"");
  refused_entry(entry("\"I32\"", "[2]", "[0,8]"), "has type I32, expected F64, F32, F16 or BF16");
  for (const char* dtype : {"\"F16\"", "\"BF16\"", "\"F64\""})
    refused_entry(entry(dtype, "[2]", "[0,8]"), "fit its shape");
  for (const char* shape : {"null",
                            "2",
                            "\"2\"",
                            "{}",
                            "{\"a\":2}",
                            "[null]",
                            "[\"2\"]",
                            "[[2]]",
                            "[1]",
                            "[3]",
                            "[0]",
                            "[-2]",
                            "[-1,-2]",
                            "[0,-1]",
                            "[2.5]",
                            "[2.0000001]",
                            "[1e300]",
                            "[true,2]",
                            "[4294967296,4294967296]",
                            "[9223372036854775807]",
                            "[18446744073709551615]",
                            "[18446744073709551617]",
                            "[4611686018427387905]",
                            "[1,1,1,1,1,1,1,1,2]"})
    refused_entry(entry("\"F32\"", shape, "[0,8]"), "\"x\"");
  for (const char* offsets : {"null", "8", "{}", "[]", "[8]", "[0,8,8]", "[8,0]", "[0,-8]", "[-8,0]", "[0,7]", "[0,9]",
                              "[4,12]", "[0.5,8.5]", "[\"0\",\"8\"]", "[18446744073709551608,0]",
                              "[18446744073709551615,7]", "[9223372036854775808,9223372036854775816]"})
    refused_entry(entry("\"F32\"", "[2]", offsets), "\"x\"");
  // Nothing in a file may have a negative size, even when its product is 0 and nothing is read.
  refused(safetensors("{\"x\":" + entry("\"F32\"", "[0,-1]", "[0,0]") + "}"));
  refused(safetensors("{\"x\":" + entry("\"F32\"", "[-1,0]", "[0,0]") + "}"));
}

TEST_CASE("checkpoint: overlaps, holes and names given twice") {
  auto two = [](const std::string& a, const std::string& b) {
    return safetensors("{\"a\":" + entry("\"F32\"", "[2]", a) + ",\"b\":" + entry("\"F32\"", "[2]", b) + "}",
                       std::string(16, '\0'));
  };
  refused(two("[0,8]", "[0,8]"));
  refused(two("[0,8]", "[4,12]"));
  refused(two("[0,8]", "[12,20]"));
  refused(two("[4,12]", "[12,20]"));
  refused(two("[8,16]", "[16,24]"));
  std::string x = "\"x\":" + entry("\"F32\"", "[2]", "[0,8]");
  refused(safetensors("{" + x + "," + x + "}", std::string(8, '\0')), "\"x\"");
  refused(safetensors("{" + x + "," + "\"\\u0078\":" + entry("\"F32\"", "[2]", "[8,16]") + "}", std::string(16, '\0')),
          "\"x\"");
  refused(safetensors(R"({"__metadata__":{},"__metadata__":{}})"));
}

TEST_CASE("checkpoint: the order of entries is free, and empty tensors may lie anywhere between others") {
  Folder folder;
  const char* header = R"({
    "b":{"dtype":"F32","shape":[1],"data_offsets":[8,12]},
    "a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},
    "z":{"dtype":"F32","shape":[0],"data_offsets":[0,0]},
    "m":{"dtype":"F32","shape":[3,0],"data_offsets":[8,8]},
    "y":{"dtype":"F32","shape":[0,7],"data_offsets":[12,12]}})";
  write_bytes(folder / "a", safetensors(header, bytes_of(std::vector<float>{1, 2, 3})));
  Checkpoint back;
  REQUIRE_NOTHROW(back = load_checkpoint(folder / "a"));
  CHECK(same_bits(back.at("a"), array({2}, {1, 2})));
  CHECK(same_bits(back.at("b"), array({1}, {3})));
  CHECK(back.at("z").shape() == Shape{0});
  CHECK(back.at("m").shape() == Shape{3, 0});
}

TEST_CASE("checkpoint: metadata holds strings only") {
  for (const char* value :
       {"null", "1", "[]", "\"a\"", "true", R"({"k":1})", R"({"k":null})", R"({"k":{}})", R"({"k":["a"]})"})
    refused(safetensors("{\"__metadata__\":" + std::string(value) + "}"), "metadata");
}

TEST_CASE("checkpoint: damaged at random 2000 times, a file is read or refused, nothing else") {
  Folder folder;
  Rng rng(1);
  Checkpoint checkpoint{{{"layer.w", random(rng, {3, 4})}, {"e", Tensor({0, 2})}, {"s", Tensor::scalar(1)}},
                        {{"step", "12"}}};
  save_checkpoint(folder / "a", checkpoint);
  std::string good = read_bytes(folder / "a");
  std::size_t header = good.find('}', good.find("\"s\"")) + 2;
  int read = 0, refusals = 0;
  for (int round = 0; round < 2000; round++) {
    std::string bad = good;
    for (Size edit = 0; edit <= rng.below(4); edit++) {
      // Mostly in the header, and mostly with bytes that mean something there.
      std::size_t at = static_cast<std::size_t>(rng.below(static_cast<Size>(rng.below(8) ? header : bad.size())));
      at = std::min(at, bad.size() - 1);
      const std::string special = "\"{}[],:0123456789-.eE\\ntrue";
      char byte = rng.below(2) ? static_cast<char>(rng.below(256))
                               : special[static_cast<std::size_t>(rng.below(static_cast<Size>(special.size())))];
      switch (rng.below(4)) {
        case 0:
          bad[at] = static_cast<char>(bad[at] ^ (1 << rng.below(8)));
          break;
        case 1:
          bad.erase(at, 1);
          break;
        case 2:
          bad.insert(at, 1, byte);
          break;
        default:
          bad[at] = byte;
      }
    }
    write_bytes(folder / "b", bad);
    try {
      Checkpoint back = load_checkpoint(folder / "b");
      for (const NamedTensor& t : back.tensors)
        for (Size size : t.second.shape()) CHECK(size >= 0);
      read++;
    } catch (const Error&) {
      refusals++;
    }
  }
  CHECK(read + refusals == 2000);
  CHECK(read > 4);
  CHECK(refusals > 1000);
}

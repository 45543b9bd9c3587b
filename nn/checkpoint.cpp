#include "nn/checkpoint.hpp"

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>

#include "nn/file.hpp"

namespace HEED_NAMESPACE {

namespace {

static_assert(std::endian::native == std::endian::little, "safetensors files are little-endian");

using Json = nlohmann::ordered_json;
constexpr std::uint64_t max_header = 100 << 20;
constexpr const char* real_name = sizeof(real) == 8 ? "F64" : "F32";

}  // namespace

const Tensor& Checkpoint::at(const std::string& name) const {
  auto it = std::find_if(tensors.begin(), tensors.end(), [&](const NamedTensor& t) { return t.first == name; });
  check(it != tensors.end(), "Checkpoint", "there is no tensor \"", name, '"');
  return it->second;
}

void save_checkpoint(const std::string& path, const Checkpoint& checkpoint) {
  Json header = Json::object();
  if (!checkpoint.metadata.empty()) header["__metadata__"] = checkpoint.metadata;
  std::uint64_t offset = 0;
  for (const auto& [name, tensor] : checkpoint.tensors) {
    check(name != "__metadata__", "save_checkpoint", "the name __metadata__ is reserved");
    check(!header.contains(name), "save_checkpoint", "two tensors are named \"", name, '"');
    std::uint64_t bytes = static_cast<std::uint64_t>(tensor.numel()) * sizeof(real);
    header[name] = {{"dtype", real_name},
                    {"shape", std::vector<Size>(tensor.shape().begin(), tensor.shape().end())},
                    {"data_offsets", {offset, offset + bytes}}};
    offset += bytes;
  }
  std::string text;
  try {
    text = header.dump();
  } catch (const nlohmann::json::exception&) {
    fail("save_checkpoint", path, ": a name or a metadata text is not UTF-8");
  }
  text.append((8 - text.size() % 8) % 8, ' ');  // numbers start aligned

  NewFile file(path);
  std::uint64_t length = text.size();
  file.write(&length, sizeof length);
  file.write(text.data(), text.size());
  for (const auto& [name, tensor] : checkpoint.tensors) {
    Tensor compact = tensor.compact();
    file.write(compact.data(), static_cast<std::size_t>(compact.numel()) * sizeof(real));
  }
  file.keep();
}

namespace {

// The upper half of a float.
real from_bfloat16(std::uint16_t bits) {
  return static_cast<real>(std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16));
}

// IEEE 754 binary16: 1 bit of sign, 5 of exponent, 10 of fraction.
real from_float16(std::uint16_t bits) {
  int exponent = bits >> 10 & 31, fraction = bits & 1023;
  double size = exponent == 0    ? std::ldexp(fraction, -24)
                : exponent == 31 ? (fraction ? std::numeric_limits<double>::quiet_NaN() : HUGE_VAL)
                                 : std::ldexp(1024 + fraction, exponent - 25);
  return static_cast<real>(bits >> 15 ? -size : size);
}

template <class T, class F>
std::vector<real> read_as(std::istream& in, std::size_t count, const F& convert) {
  std::vector<T> values(count);
  in.read(reinterpret_cast<char*>(values.data()), static_cast<std::streamsize>(count * sizeof(T)));
  std::vector<real> numbers(count);
  std::transform(values.begin(), values.end(), numbers.begin(), convert);
  return numbers;
}

// A type of numbers that is read, and how.
struct Type {
  const char* name;
  std::uint64_t bytes;
  std::vector<real> (*read)(std::istream& in, std::size_t count);
};
const Type types[] = {
    {"F64", 8,
     [](std::istream& in, std::size_t n) {
       return read_as<double>(in, n, [](double x) { return static_cast<real>(x); });
     }},
    {"F32", 4,
     [](std::istream& in, std::size_t n) {
       return read_as<float>(in, n, [](float x) { return static_cast<real>(x); });
     }},
    {"F16", 2, [](std::istream& in, std::size_t n) { return read_as<std::uint16_t>(in, n, from_float16); }},
    {"BF16", 2, [](std::istream& in, std::size_t n) { return read_as<std::uint16_t>(in, n, from_bfloat16); }},
};

// One entry of the header, checked against the bytes that the file really holds.
struct Entry {
  std::string name;
  const Type* type;
  Shape shape;
  std::uint64_t begin, end;
};

Entry parse_entry(const std::string& path, const std::string& name, const Json& json) {
  auto bad = [&](const std::string& what) { fail("load_checkpoint", path, ": tensor \"", name, "\" ", what); };
  Entry entry{name, nullptr, {}, 0, 0};
  try {
    std::string dtype = json.at("dtype");
    auto type = std::find_if(std::begin(types), std::end(types), [&](const Type& t) { return dtype == t.name; });
    if (type == std::end(types)) bad("has type " + dtype + ", expected F64, F32, F16 or BF16");
    entry.type = type;
    for (const char* list : {"shape", "data_offsets"})
      for (const Json& number : json.at(list))
        if (!number.is_number_unsigned()) bad("has a size or an offset that is not a whole number");
    std::vector<std::uint64_t> sizes = json.at("shape"), offsets = json.at("data_offsets");
    if (sizes.size() > Shape::max_rank || offsets.size() != 2) bad("has too many axes or offsets");
    std::uint64_t bytes = type->bytes;
    for (std::uint64_t size : sizes) {
      if (size != 0 && bytes > (std::uint64_t(1) << 62) / size) bad("is impossibly large");
      bytes *= size;
      entry.shape = entry.shape.insert(-1, static_cast<Size>(size));
    }
    entry.begin = offsets[0];
    entry.end = offsets[1];
    if (entry.end < entry.begin || entry.end - entry.begin != bytes) bad("has offsets that do not fit its shape");
  } catch (const nlohmann::json::exception&) {
    bad("has a malformed entry");
  }
  return entry;
}

}  // namespace

Checkpoint load_checkpoint(const std::string& path) {
  std::error_code error;
  bool regular = std::filesystem::is_regular_file(path, error);
  std::ifstream in(path, std::ios::binary);
  check(regular && in, "load_checkpoint", "cannot read ", path, ": ", regular ? std::strerror(errno) : "not a file");
  std::uint64_t size = std::filesystem::file_size(path), length = 0;
  check(size >= 8, "load_checkpoint", path, ": expected at least 8 bytes, found ", size);
  in.read(reinterpret_cast<char*>(&length), 8);
  check(length <= max_header && length <= size - 8, "load_checkpoint", path, ": the header claims ", length,
        " bytes but the file has ", size, "; it is cut short or not a safetensors file");
  std::string text(length, '\0');
  in.read(text.data(), static_cast<std::streamsize>(length));
  // The depth limit keeps the parser off the stack; duplicate names would hide a tensor.
  std::vector<std::string> names;
  bool deep = false;
  Json header = Json::parse(
      text,
      [&](int depth, Json::parse_event_t event, Json& parsed) {
        deep = deep || depth > 8;
        if (depth == 1 && event == Json::parse_event_t::key) names.push_back(parsed.get<std::string>());
        return depth <= 8;
      },
      false);
  std::sort(names.begin(), names.end());
  check(!header.is_discarded() && header.is_object() && !deep, "load_checkpoint", path,
        ": the header is not a JSON object");
  auto twice = std::adjacent_find(names.begin(), names.end());
  check(twice == names.end(), "load_checkpoint", path, ": two tensors are named \"", twice == names.end() ? "" : *twice,
        '"');

  Checkpoint checkpoint;
  std::vector<Entry> entries;
  for (const auto& [name, value] : header.items()) {
    if (name != "__metadata__") {
      entries.push_back(parse_entry(path, name, value));
      continue;
    }
    check(value.is_object(), "load_checkpoint", path, ": __metadata__ is not an object");
    for (const auto& [key, item] : value.items()) {
      check(item.is_string(), "load_checkpoint", path, ": metadata \"", key, "\" is not a string");
      checkpoint.metadata[key] = item.get<std::string>();
    }
  }
  std::stable_sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
    return std::pair(a.begin, a.end) < std::pair(b.begin, b.end);  // an empty tensor before what starts at its place
  });
  std::uint64_t at = 0;
  for (const Entry& entry : entries) {
    check(entry.begin == at, "load_checkpoint", path, ": tensor \"", entry.name, "\" starts at ", entry.begin,
          ", expected ", at, " (holes and overlaps are not allowed)");
    at = entry.end;
  }
  check(size == 8 + length + at, "load_checkpoint", path, ": expected ", 8 + length + at, " bytes, found ", size,
        size < 8 + length + at ? "; the file is cut short" : "; there is something behind the end");
  for (const Entry& entry : entries) {
    auto count = static_cast<std::size_t>(entry.shape.numel());
    checkpoint.tensors.emplace_back(entry.name, Tensor(entry.shape, entry.type->read(in, count)));
  }
  check(static_cast<bool>(in), "load_checkpoint", "cannot read ", path, ": ", std::strerror(errno));
  return checkpoint;
}

std::vector<NamedTensor> named_values(const std::vector<Parameter>& parameters) {
  std::vector<NamedTensor> values;
  for (const Parameter& p : parameters) values.emplace_back(p.name, p.var.value());
  return values;
}

void assign(const std::vector<Parameter>& parameters, const Checkpoint& checkpoint) {
  for (const Parameter& p : parameters) {
    const Tensor& value = checkpoint.at(p.name);
    check(value.shape() == p.var.shape(), "assign", '"', p.name, "\" has shape ", value.shape(), " in the checkpoint, ",
          p.var.shape(), " in the model");
  }
  for (const Parameter& p : parameters) Var(p.var).value() = checkpoint.at(p.name);
}

}  // namespace HEED_NAMESPACE

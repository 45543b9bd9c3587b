// Scenes as JSON, HTML and SVG.
#include <bit>
#include <cstring>
#include <nlohmann/json.hpp>

#include "models/plot/charts.hpp"
#include "models/plot/svg.hpp"
#include "models/show/scene.hpp"

namespace HEED_NAMESPACE {

namespace {

using Json = nlohmann::ordered_json;

std::string base64(const std::string& bytes) {
  constexpr const char* digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t left = std::min<std::size_t>(3, bytes.size() - i);
    unsigned three = 0;
    for (std::size_t j = 0; j < 3; j++) three = three << 8 | (j < left ? static_cast<unsigned char>(bytes[i + j]) : 0);
    for (std::size_t j = 0; j < 4; j++) text += j <= left ? digits[three >> (18 - 6 * j) & 63] : '=';
  }
  return text;
}

Json numbers(const Tensor& x) {
  if (!x.defined()) return nullptr;
  std::string bytes;
  for (real value : x.to_vector()) {
    const auto bits = std::bit_cast<std::uint32_t>(static_cast<float>(value));
    for (int shift = 0; shift < 32; shift += 8) bytes += static_cast<char>(bits >> shift & 255);
  }
  return base64(bytes);
}

Json cells(const std::vector<Mask>& kept) {
  if (kept.empty()) return nullptr;
  std::string bytes;
  for (const Mask& mask : kept)
    for (Size i = 0; i < mask.numel(); i++) bytes += static_cast<char>(mask[i] ? 1 : 0);
  return base64(bytes);
}

Json to_json(const ShownAttention& a) {
  const SeenAttention& n = a.numbers;
  Json json{{"name", a.name}, {"mixer", n.mixer}, {"heads", n.heads()}, {"queries", a.queries}, {"keys", a.keys}};
  json["width"] = n.q.defined() ? n.q.size(2) : 0;
  json["valueWidth"] = n.v.defined() ? n.v.size(2) : 0;
  json["scale"] = n.scale;
  json["softmax"] = n.softmax;
  json["kept"] = cells(n.kept);
  json["weights"] = numbers(n.weights);
  json["scores"] = numbers(n.scores);
  json["q"] = numbers(n.q), json["k"] = numbers(n.k), json["v"] = numbers(n.v), json["out"] = numbers(n.out);
  json["dout"] = numbers(n.dout), json["dweights"] = numbers(n.dweights()), json["dscores"] = numbers(n.dscores());
  json["dq"] = numbers(n.dq), json["dk"] = numbers(n.dk), json["dv"] = numbers(n.dv);
  return json;
}

constexpr const char* page =
#include "models/show/page.inc"
    ;

}  // namespace

std::string scene_json(const Scene& scene) {
  Json json{{"title", scene.title}, {"tokens", scene.tokens}, {"targets", scene.targets}, {"gold", scene.gold}};
  json["predicted"] = scene.prediction.labels;
  json["probability"] = scene.prediction.probability;
  json["loss"] = scene.loss;
  json["attention"] = Json::array();
  for (const ShownAttention& a : scene.attention) json["attention"].push_back(to_json(a));
  json["ablations"] = Json::array();
  for (const Ablation& a : scene.ablations)
    json["ablations"].push_back({{"attention", a.attention},
                                 {"head", a.head},
                                 {"predicted", a.prediction.labels},
                                 {"probability", a.prediction.probability},
                                 {"loss", a.loss}});
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string scene_page(const Scene& scene) {
  std::string data = scene_json(scene), text = page;
  for (std::size_t at = 0; (at = data.find('<', at)) != data.npos;) data.replace(at, 1, "\\u003c");  // no </script>
  auto put = [&](const std::string& mark, const std::string& what) {
    text.replace(text.find(mark), mark.size(), what);
  };
  put("@TITLE@", escape_xml(scene.title)), put("@TITLE@", escape_xml(scene.title));
  put("@DATA@", data);
  return text;
}

std::string scene_svg(const Scene& scene) {
  std::vector<std::vector<std::string>> pictures;
  for (const ShownAttention& a : scene.attention) {
    const SeenAttention& n = a.numbers;
    pictures.emplace_back();
    for (Size h = 0; h < n.heads(); h++) {
      AttentionMatrix matrix{a.name + ", head " + std::to_string(h + 1), a.queries, a.keys};
      for (Size i = 0; i < n.queries(); i++) {
        matrix.weights.emplace_back();
        for (Size j = 0; j < n.keys(); j++) {
          const Size cell = i * n.keys() + j;
          const bool kept = n.kept.empty() || n.kept[static_cast<std::size_t>(h)][cell];
          matrix.weights.back().push_back(
              kept ? static_cast<double>(n.weights.data()[h * n.queries() * n.keys() + cell]) : Axis::automatic);
        }
      }
      pictures.back().push_back(attention_matrix(matrix));
    }
  }
  return picture_grid(pictures, scene.title);
}

}  // namespace HEED_NAMESPACE

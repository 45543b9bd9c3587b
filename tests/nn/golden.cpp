// Layers and optimizers against what PyTorch computed (tests/golden/make_goldens.py).
#include "tests/golden.hpp"

#include "nn/encoder.hpp"
#include "nn/optim/clip.hpp"
#include "nn/optim/optimizer.hpp"

using namespace heed;
using namespace heed::testing;

namespace {

/// The file's name for a parameter: feed-forward is shortened there.
std::string golden_name(std::string name) {
  if (name.starts_with("feedforward.")) name = "ff." + name.substr(12);
  return name;
}

/// Sets `parameters` from the file, checks f and the gradients of its inputs, then those of the parameters.
void check_layer(const std::string& name, std::vector<Parameter> parameters, const std::vector<std::string>& inputs,
                 const std::function<Var(const std::vector<Var>&)>& f) {
  static const Golden golden("nn.txt");
  for (Parameter& p : parameters) {
    Tensor value = golden[name + "." + golden_name(p.name)];
    REQUIRE(value.shape() == p.var.shape());
    p.var.value() = value;
  }
  check_golden(golden, name, inputs, f);
  for (const Parameter& p : parameters) {
    CAPTURE(p.name);
    CHECK(close(p.var.grad(), golden[name + ".d." + golden_name(p.name)], loose));
  }
}

Mask keep(const std::string& name) { return Golden("nn.txt").mask(name + ".keep"); }

}  // namespace

TEST_CASE("golden: Linear and LayerNorm") {
  Rng rng(1);
  Linear linear(3, 5, rng);
  check_layer("linear", linear.parameters(), {"x"}, [&](const std::vector<Var>& v) { return linear(v[0]); });
  LayerNorm norm(6);
  check_layer("layer_norm", norm.parameters(), {"x"}, [&](const std::vector<Var>& v) { return norm(v[0]); });
}

TEST_CASE("golden: MultiheadAttention with a padding and with a causal mask, and between two sequences") {
  Rng rng(1);
  MultiHeadAttention padded(8, 2, rng), causal(8, 2, rng, {.causal = true}), cross(8, 2, rng);
  check_layer("mha.padding", padded.parameters(), {"x"},
              [&](const std::vector<Var>& v) { return padded(v[0], keep("mha.padding")); });
  check_layer("mha.causal", causal.parameters(), {"x"}, [&](const std::vector<Var>& v) { return causal(v[0]); });
  check_layer("mha.cross", cross.parameters(), {"queries", "keys"},
              [&](const std::vector<Var>& v) { return cross(v[0], v[1], keep("mha.cross")); });
}

TEST_CASE("golden: TransformerEncoderLayer, norm before and after") {
  Rng rng(1);
  for (const auto& [name, place] :
       {std::pair("encoder.pre", NormPlace::pre), std::pair("encoder.post", NormPlace::post)}) {
    EncoderOptions options;
    options.heads = 2, options.hidden = 12, options.norm = place;
    EncoderBlock block(8, rng, options);
    check_layer(name, block.parameters(), {"x"},
                [&, label = name](const std::vector<Var>& v) { return block(v[0], keep(label)); });
  }
}

TEST_CASE("golden: five steps of every optimizer") {
  Golden golden("optimizers.txt");
  auto follow = [&](const std::string& name, const std::function<void(Parameter&, int)>& step) {
    CAPTURE(name);
    Parameter p{"p", Var::parameter(golden[name + ".p0"])};
    for (int t = 1; t <= 5; t++) {
      CAPTURE(t);
      p.var.grad() = golden[name + ".g" + std::to_string(t)];
      step(p, t);
      CHECK(close(p.var.value(), golden[name + ".p" + std::to_string(t)], tolerance(1e-13, 1e-5)));
    }
  };
  auto option = [&](const std::string& name, double otherwise) {
    return golden.has(name) ? golden.number(name) : otherwise;
  };
  for (const std::string name : {"sgd", "momentum", "nesterov", "decay"}) {
    std::vector<Sgd> sgd;
    follow(name, [&](Parameter& p, int) {
      if (sgd.empty())
        sgd.emplace_back(std::vector{p}, SgdOptions{.lr = golden.number(name + ".lr"),
                                                    .momentum = option(name + ".momentum", 0),
                                                    .nesterov = option(name + ".nesterov", 0) != 0,
                                                    .weight_decay = option(name + ".weight_decay", 0)});
      sgd[0].step();
    });
  }
  for (const std::string name : {"adam", "adam_l2", "adamw"}) {
    AdamOptions options{.lr = golden.number(name + ".lr"), .weight_decay = option(name + ".weight_decay", 0)};
    if (golden.has(name + ".betas")) {
      options.beta1 = static_cast<double>(golden[name + ".betas"].at({0}));
      options.beta2 = static_cast<double>(golden[name + ".betas"].at({1}));
    }
    std::vector<Adam> adam;
    std::vector<AdamW> adamw;
    follow(name, [&](Parameter& p, int t) {
      if (name == "adamw") {
        if (t == 1) adamw.emplace_back(std::vector{p}, options);
        adamw[0].step();
      } else {
        if (t == 1) adam.emplace_back(std::vector{p}, options);
        adam[0].step();
      }
    });
  }
}

TEST_CASE("golden: clipping by the norm") {
  Golden golden("optimizers.txt");
  for (const std::string name : {"clip.over", "clip.under"}) {
    CAPTURE(name);
    std::vector<Parameter> all;
    for (const char* part : {"a", "b"}) {
      Tensor gradient = golden[name + "." + part];
      all.push_back({part, Var::parameter(Tensor(gradient.shape(), 0))});
      all.back().var.grad() = gradient;
    }
    CHECK(close(clip_gradients(all, 1).norm, golden.number(name + ".norm")));
    for (const Parameter& p : all) CHECK(close(p.var.grad(), golden[name + ".clipped_" + p.name]));
  }
}

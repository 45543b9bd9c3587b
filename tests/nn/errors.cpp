// Error messages of the library that no other test brings about; tests/errors.sh finds those that none does.
#include "heed.hpp"
#include "tests/nn/files.hpp"

using namespace heed;
using namespace heed::testing;

namespace {

/// f() has to throw an Error of one line, `heed: WHERE: ...`, that holds `text`.
void says(const std::string& text, const std::function<void()>& f) {
  std::string message = "no error";
  try {
    f();
  } catch (const Error& error) {
    message = error.what();
  }
  CAPTURE(text);
  CAPTURE(message);
  CHECK(message.find(text) < std::string::npos);
  CHECK(message.starts_with("heed: "));
  CHECK(message.find(": ", 6) < std::string::npos);
  CHECK(message.find('\n') == std::string::npos);
}

Var zeros(const Shape& shape) { return Tensor(shape, 0); }

}  // namespace

TEST_CASE("errors: operations and attention say what they got and what they expected") {
  says("unit: a single number has no direction", [] { unit(Tensor::scalar(1)); });

  Var q = zeros({1, 2, 3, 4});
  says("slopes for 2 heads", [&] { attention(q, q, q, {.slopes = {1, 2, 3}}); });
  says("additive weights have shape (3), expected (4)", [&] { attention(q, q, q, {.additive = zeros({3})}); });
  says("relative scores have shape (1, 2, 3, 4), expected (1, 2, 3, an odd number)",
       [&] { attention(q, q, q, {.relative = q}); });
  says("dropout needs a probability in [0, 1) and a generator, got 0.5", [&] { attention(q, q, q, {.dropout = 0.5}); });

  says("truncated: expected contexts of 0 or more, got -1 and 2", [] { truncated(-1, 2); });
  says("local_blocks: expected a positive size and an odd width, got 4 and 2", [] { local_blocks(4, 2); });
  says("passed_windows: expected a size and queries above 0, got 0 and 3", [] { passed_windows(0, 3); });
  says("strided: expected a stride above 0 and a reach of 0 or more, got 0 and 1", [] { strided(0, 1); });
  says("dilated: expected a reach of 0 or more and a gap above 0, got 3 and 0", [] { dilated(3, 0); });
  says("random_blocks: expected a positive size, a count of 0 or more and an odd width, got 4, -1 and 1",
       [] { random_blocks(4, -1, 1); });

  const Edges::Pair pairs[] = {{0, 1}, {1, 0}};
  Edges edges(2, 3, pairs);
  says("2 queries but 3 keys", [&] { edges.pattern(); });
  says("edge_scores: expected (B, H, 2, d), got (1, 2, 3, 4)", [&] { edge_scores(q, q, edges); });
  says("widths differ: (1, 2, 2, 4) and (1, 2, 3, 5)", [&] {
    edge_scores(zeros({1, 2, 2, 4}), zeros({1, 2, 3, 5}), edges);
  });
  says("edge_softmax: expected (B, H, 2), got (1, 1, 3)", [&] { edge_softmax(zeros({1, 1, 3}), edges); });
  says("expected numbers on the edges of shape (1, 2, 2), got (1, 2, 3)", [&] {
    edge_sum(zeros({1, 2, 3}), q, edges);
  });

  Rng rng(1);
  Edges graph(2, 2, pairs);
  says("GraphAttention: expected (B, N, D) with N = 2 nodes, got (1, 3, 4)", [&] {
    GraphAttention(4, 2, rng)(zeros({1, 3, 4}), graph);
  });
  says("the layer was made without edge_types", [&] {
    const int types[] = {0, 0};
    GraphAttention(4, 2, rng)(zeros({1, 2, 4}), graph, types);
  });
  says("Gat: expected (B, N, D) with N = 2 nodes, got (1, 3, 4)", [&] { Gat(4, 2, 2, rng)(zeros({1, 3, 4}), graph); });
  says("shapes do not fit: centres (2, 3), sharpness (2)", [] {
    PixelAttention(Tensor({2, 3}), Tensor({2}), Tensor({4, 1}));
  });
  HardRead read{zeros({2, 3, 4}), zeros({2, 3}), zeros({2, 3}), {}};
  says("reinforce: rewards of shape (2), a baseline of shape (2, 3)", [&] {
    reinforce(read, Tensor({2}, 0), zeros({2, 3}));
  });
  says("rewards of shape (5), expected (2) or (2, 3)", [&] { reinforce(read, Tensor({5}, 0), zeros({5})); });

  MultiHeadAttention layer(4, 2, rng);
  KeyValueCache cache;
  says("expected (B, n, D) with n > 0, got (1, 0, 4)", [&] { layer.step(zeros({1, 0, 4}), cache); });
  says("expected a memory of shape (2, N, D) with N > 0, got (1, 3, 4)", [&] {
    layer(zeros({2, 3, 4}), zeros({1, 3, 4}), {});
  });
}

TEST_CASE("errors: layers refuse what they were not built for") {
  Rng rng(1);
  says("xavier_uniform: expected a matrix, got (3)", [&] { xavier_uniform({3}, rng); });
  says("he_normal: expected a matrix, got (3)", [&] { he_normal({3}, rng); });
  says("max_norm must be positive, got 0", [] { clip_gradients({}, 0); });
  says("a reversed layer cannot go step by step: it starts at the end", [&] {
    RecurrentState state;
    Gru(4, 4, rng, {.reverse = true}).step(zeros({1, 1, 4}), state);
  });

  auto block = [&](const EncoderOptions& options) { return [&rng, options] { EncoderBlock(4, rng, options); }; };
  says("EncoderBlock: a window needs NormPlace::pre", block({.heads = 2, .norm = NormPlace::post, .window = 1}));
  says("a window looks ahead and cannot be causal", block({.heads = 2, .causal = true, .window = 1}));
  says("patterns, positions and floater are the attention's, but the mixer is fnet",
       block({.heads = 2, .patterns = {local(1)}, .mixer = "fnet"}));
  std::any state;
  says("the mixer fnet takes no steps", [&] { EncoderBlock(4, rng, {.mixer = "fnet"}).step(zeros({1, 1, 4}), state); });
  Encoder floating(4, rng, {.layers = 1, .heads = 2, .floater = FloaterOptions{}});
  says("Encoder: expected (B, N, D), got (3, 4)", [&] { floating(zeros({3, 4})); });
  std::vector<std::any> states;
  says("floater's positions take no steps", [&] { floating.step(zeros({1, 1, 4}), states); });

  says("SinusoidalPositions: expected (..., N, D), got (4)", [] { SinusoidalPositions()(zeros({4})); });
  says("a sequence of (1, 3, 4) is longer than the 2 positions of the table", [&] {
    LearnedPositions(2, 4, rng)(zeros({1, 3, 4}));
  });
  says("FloaterPositions: expected (..., N, D), got (4)", [&] { FloaterPositions(4, rng)(zeros({4})); });
  says("made for layers, not to be added to an input: give table() to them", [&] {
    FloaterPositions(4, rng, {}, 2)(zeros({1, 3, 4}));
  });
  Var w = zeros({5, 4}), b = zeros({4});
  says("expected p(0) of shape (..., D), got (0)", [&] { floater(Tensor(Shape{0}), w, b, w, b, 3); });
  says("expected b1 and b2 of shape (4), got (4) and (5)", [&] { floater(b, w, b, w, zeros({5}), 3); });
  says("the activation has to be tanh or relu",
       [&] { floater(b, w, b, w, b, 3, {.activation = Activation::sigmoid}); });
}

TEST_CASE("errors: mixers refuse options that make no sense, and input that does not fit") {
  Rng rng(1);
  Var x = zeros({1, 3, 4}), f = zeros({1, 2, 3, 4});
  says("expected a stride above 0 and groups that divide 4, got 0 and 1",
       [&] { CompressedAttention(4, 2, rng, {.stride = 0}); });
  says("CompressedAttention: a causal layer has no memory to look at",
       [&] { CompressedAttention(4, 2, rng, {.causal = true})(x, x, {}); });
  says("LinearAttention: a causal layer has no memory to look at",
       [&] { LinearAttention(4, 2, rng, {.causal = true})(x, x, {}); });
  says("only a causal layer takes steps", [&] {
    LinearState state;
    LinearAttention(4, 2, rng).step(x, state);
  });
  says("expected pool > 0 and least > 0, got 0 and 0.001", [&] { RandomFeatureAttention(4, 2, rng, {.pool = 0}); });
  says("a gate forgets what came before and needs causal", [&] { RandomFeatureAttention(4, 2, rng, {.gate = true}); });
  says("expected a rank and a length above 0, got 0 and 9", [&] { Linformer(4, 2, 9, rng, {.rank = 0}); });
  says("expected 1 round or more and a chunk of 0 or more", [&] { Reformer(4, 2, rng, {.rounds = 0}); });
  says("expected a block, a cut and a temperature above 0", [&] { Sinkhorn(4, 2, 9, rng, {.block = 0}); });

  says("nothing to attend with: features", [] {
    linear_attention(zeros({1, 2, 0, 4}), zeros({1, 2, 3, 4}), zeros({1, 2, 3, 4}));
  });
  says("causal needs as many queries as keys, got (1, 2, 2, 4) and (1, 2, 3, 4)", [&] {
    linear_attention(zeros({1, 2, 2, 4}), f, f, {.causal = true});
  });
  says("only the causal form has a decay or a state", [&] { linear_attention(f, f, f, {.decay = zeros({1, 2, 3})}); });
  Tensor state({1, 1});
  says("a state is carried under Eval only", [&] { linear_attention(f, f, f, {.causal = true, .state = &state}); });
  says("expected a state of shape (1, 2, 4, 5), got (1, 1)", [&] {
    Eval eval;
    linear_attention(f, f, f, {.causal = true, .state = &state});
  });
  says("expected a decay of shape (1, 2, 3), got (1, 2)", [&] {
    linear_attention(f, f, f, {.causal = true, .decay = zeros({1, 2})});
  });

  says("gru: both=yes looks ahead and cannot be causal", [&] { make_mixer("gru:both=yes", 4, rng, {.causal = true}); });
  says("lstm: both=yes needs an even width, got 5", [&] { make_mixer("lstm", 5, rng); });
  says("linear: expected key=value, got \"=3\"", [&] { make_mixer("linear:=3", 4, rng); });
}

TEST_CASE("errors: files of weights are refused by what is wrong with them") {
  Folder folder;
  auto wrong = [&](const std::string& text, const std::string& bytes) {
    write_bytes(folder / "bad", bytes);
    says(text, [&] { load_checkpoint(folder / "bad"); });
  };
  auto entry = [&](const std::string& text, const std::string& shape, const std::string& offsets) {
    wrong("tensor \"x\" " + text,
          safetensors(R"({"x":{"dtype":"F32","shape":)" + shape + R"(,"data_offsets":)" + offsets + "}}",
                      std::string(8, '\0')));
  };
  entry("has a size or an offset that is not a whole number", "[2.5]", "[0,8]");
  entry("has too many axes or offsets", "[2]", "[0,8,8]");
  entry("is impossibly large", "[4294967296,4294967296]", "[0,8]");
  entry("has offsets that do not fit its shape", "[3]", "[0,8]");
  wrong("tensor \"x\" has a malformed entry", safetensors(R"({"x":3})"));
  wrong("the header claims 99 bytes but the file has 8; it is cut short or not a safetensors file",
        bytes_of(std::vector<std::uint64_t>{99}));
  wrong("the header is not a JSON object", safetensors("[]"));
  wrong("two tensors are named \"x\"", safetensors(R"({"x":1,"x":1})"));
  wrong("__metadata__ is not an object", safetensors(R"({"__metadata__":3})"));
  wrong("metadata \"k\" is not a string", safetensors(R"({"__metadata__":{"k":3}})"));
  wrong("starts at 4, expected 0 (holes and overlaps are not allowed)",
        safetensors(R"({"x":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}})", std::string(8, '\0')));
  wrong("; there is something behind the end", safetensors("{}", "x"));
  says("cannot read " + (folder / "none") + ": not a file", [&] { load_checkpoint(folder / "none"); });
  says("the name __metadata__ is reserved", [&] {
    save_checkpoint(folder / "a", {{{"__metadata__", Tensor({1}, 0)}}, {}});
  });
  says("a name or a metadata text is not UTF-8", [&] {
    save_checkpoint(folder / "a", {{{"\xff", Tensor({1}, 0)}}, {}});
  });
}

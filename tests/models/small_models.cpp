// Parts of the models, each against its definition.
#include "models/glimpse/glimpses.hpp"
#include "models/graph/classifier.hpp"
#include "models/image/classifier.hpp"
#include "models/translate/commands.hpp"
#include "models/translate/translator.hpp"
#include "models/words/commands.hpp"
#include "models/words/skip_gram.hpp"
#include "tests/models/kinds.hpp"

using namespace heed;
using namespace heed::testing;

TEST_CASE("image: patches are cut row by row, zeros beyond the edges") {
  ExampleSet set;
  set.width = 2, set.height = 3, set.columns = 4;
  std::vector<real> pixels;
  for (int i = 0; i < 24; i++) pixels.push_back(static_cast<real>(i));
  Tensor cut = cut_patches(set, Tensor({1, 12, 2}, pixels), 2);
  CHECK(cut.shape() == Shape{1, 4, 8});
  // Channel 0 of the rows and columns of the first patch, then channel 1; the third has the last row.
  CHECK(cut.slice(1, 0, 1).to_vector() == std::vector<real>{0, 2, 8, 10, 1, 3, 9, 11});
  CHECK(cut.slice(1, 2, 3).to_vector() == std::vector<real>{16, 18, 0, 0, 17, 19, 0, 0});
}

TEST_CASE("glimpse: what the retina sees of an image that is wider than high") {
  Tensor image({1, 12, 16, 1}, 0);
  auto at = [](Size row, Size column) { return row * 16 + column; };
  image.mut()[at(3, 8)] = 1;   // column 8, row 3
  image.mut()[at(3, 14)] = 9;  // six to the right
  // x = 0 is column 8, y = -0.5 is row 3.
  std::vector<real> seen = retina(image, Tensor({1, 2}, {0, -0.5}), 3, 2, 3).to_vector();
  REQUIRE(seen.size() == 18);
  CHECK(seen[4] == 1);
  CHECK(std::accumulate(seen.begin(), seen.begin() + 9, real(0)) == 1);
  CHECK(seen[9 + 4] == doctest::Approx(1.0 / 9));
  seen = retina(image, Tensor({1, 2}, {0.75, -0.5}), 3, 1, 3).to_vector();
  CHECK(seen[4] == 9);
  seen = retina(image, Tensor({1, 2}, {1, 1}), 3, 1, 3).to_vector();
  CHECK(std::accumulate(seen.begin(), seen.end(), real(0)) == 0);
}

TEST_CASE("graph: edges of a batch as one graph, with loops and types") {
  ExampleSet set;
  set.symbols = 3, set.edge_types = 2, set.classes = {"a", "b"};
  set.items.resize(2);
  set.items[0].symbols = {1, 2}, set.items[0].targets = {0}, set.items[0].edges = {{0, 1, 1}};
  set.items[1].symbols = {1, 1, 2}, set.items[1].targets = {1}, set.items[1].edges = {{2, 0, 0}, {0, 2, 1}};
  BatchEdges joined = join_edges(make_batch(set, {0, 1}), 2);
  CHECK(joined.edges.queries() == 6);
  CHECK(joined.edges.count() == 6 + 3);
  auto type = [&](Size to, Size from) { return joined.types[static_cast<std::size_t>(joined.edges.find(to, from))]; };
  CHECK(type(1, 0) == 1);
  CHECK(type(3, 5) == 0);
  CHECK(type(5, 3) == 1);
  CHECK(type(4, 4) == 2);
  CHECK(joined.edges.find(0, 1) == -1);
}

TEST_CASE("words: the plane of largest variance") {
  // Points along (3, 4) with a little of (4, -3): the first coordinate is the place along the line.
  std::vector<std::vector<double>> rows;
  for (int i = -3; i <= 3; i++) {
    double along = i, across = i % 2 ? 0.1 : -0.1;
    rows.push_back({(3 * along + 4 * across) / 5 + 7, (4 * along - 3 * across) / 5});
  }
  std::vector<double> places = principal_plane(rows);
  double sign = places[0] < 0 ? 1 : -1;
  for (int i = 0; i < 7; i++) {
    CHECK(sign * places[2 * static_cast<std::size_t>(i)] == doctest::Approx(i - 3).epsilon(0.05));
    CHECK(std::abs(places[2 * static_cast<std::size_t>(i) + 1]) < 0.3);
  }
  CHECK(principal_plane({}).empty());
}

TEST_CASE("words: classes of symbols, and neighbours in order") {
  ExampleSet set = make_task("topics", 200, 1);
  std::vector<int> classes = symbol_classes(set);
  CHECK(classes[0] == -1);
  CHECK(classes[1] == -1);  // the
  CHECK(classes[3] == 0);   // cat
  TaskRun run(words_kind(), "topics", {}, 50, 20);
  Rng rng(1);
  SkipGram model(run.train, run.trained.settings, rng);
  auto near = model.neighbours(3, 4);
  REQUIRE(near.size() == 4);
  for (std::size_t i = 1; i < 4; i++) CHECK(near[i - 1].second >= near[i].second);
}

TEST_CASE("translate: what is chosen is at least as likely with a beam, token by token") {
  TaskRun run(translate_kind(), "reverse:4", {{"dim", "16"}, {"heads", "2"}, {"layers", "1"}}, 200, 20);
  Trainer trainer(run.learner, steps_of(translate_kind(), 60));
  while (!trainer.finished()) trainer.run_round([](const StepResult&) { return true; });
  auto worth = [&](int beam) {
    Settings settings = run.trained.settings;
    settings.set("beam", std::to_string(beam));
    Rng rng(1);
    Translator model(run.train, settings, rng);
    assign(model.parameters(), to_checkpoint(run.trained));
    double total = 0;
    for (std::size_t i = 0; i < 10; i++) {
      ExampleSet one = run.dev;
      one.items = {run.dev.items[i]};
      one.items[0].targets = model.predict(make_batch(one, {0}))[0];
      if (one.items[0].targets.empty()) continue;
      Eval eval;
      total -= static_cast<double>(model.loss(make_batch(one, {0}), {.label_smoothing = 0}).main.item());
    }
    return total;
  };
  CHECK(worth(4) >= worth(1) - 0.5);
}

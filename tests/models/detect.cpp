// Matching and boxes.
#include "models/detect/commands.hpp"
#include "models/detect/detector.hpp"
#include "models/detect/matching.hpp"
#include "tests/models/kinds.hpp"

using namespace heed;
using namespace heed::testing;

TEST_CASE("hungarian: as cheap as the best of all assignments") {
  Rng rng(1);
  for (int round = 0; round < 200; round++) {
    std::size_t rows = 1 + static_cast<std::size_t>(rng.below(4)),
                columns = rows + static_cast<std::size_t>(rng.below(3));
    std::vector<std::vector<double>> cost(rows, std::vector<double>(columns));
    for (auto& row : cost)
      for (double& c : row) c = round % 2 ? rng.normal() : static_cast<double>(rng.below(3));
    auto total = [&](const std::vector<int>& choice) {
      double sum = 0;
      for (std::size_t r = 0; r < rows; r++) sum += cost[r][static_cast<std::size_t>(choice[r])];
      return sum;
    };
    std::vector<int> order(columns);
    std::iota(order.begin(), order.end(), 0);
    double best = 1e9;
    do best = std::min(best, total(order));
    while (std::next_permutation(order.begin(), order.end()));
    std::vector<int> found = hungarian(cost);
    CHECK(total(found) == doctest::Approx(best));
    std::sort(found.begin(), found.end());
    CHECK(std::adjacent_find(found.begin(), found.end()) == found.end());
  }
  CHECK(hungarian({}).empty());
  CHECK_THROWS_AS(hungarian({{1}, {2}}), Error);
}

TEST_CASE("generalised IoU: cases worked by hand") {
  // Equal; half covered; apart by their own width; a point on a box; two points.
  Tensor a = array({5, 4}, {0.5, 0.5, 0.2, 0.2, 0.25, 0.5, 0.5, 1, 0.1, 0.5, 0.2, 0.2, 0.5, 0.5, 0, 0, 0.5, 0.5, 0, 0});
  Tensor b =
      array({5, 4}, {0.5, 0.5, 0.2, 0.2, 0.5, 0.5, 1, 1, 0.5, 0.5, 0.2, 0.2, 0.5, 0.5, 0.2, 0.2, 0.5, 0.5, 0, 0});
  Tensor expected = array({5}, {1, 0.5, -1.0 / 3, 0, 0});
  Var x = Var::parameter(a);
  Var y = generalised_iou(x, b);
  CHECK(close(y.value(), expected, 1e-4));
  sum(y).backward();
  CHECK(all_finite(x.grad()));
}

TEST_CASE("detect: the order of queries does not matter") {
  TaskRun run(detect_kind(), "boxes", {{"dim", "16"}, {"heads", "2"}, {"layers", "1"}, {"patch", "4"}}, 20, 20);
  Rng rng(1);
  Detector model(run.train, run.trained.settings, rng);
  double before = static_cast<double>(model.loss(make_batch(run.train, {0, 1, 2}), {}).main.item());
  Tensor table = model.query.value(), turned({5, 16}, 0);
  for (Size i = 0; i < 5; i++) paste(turned, 0, i, table.slice(0, 4 - i, 5 - i));
  model.query.value() = turned;
  double after = static_cast<double>(model.loss(make_batch(run.train, {0, 1, 2}), {}).main.item());
  CHECK(before == doctest::Approx(after).epsilon(1e-4));
}

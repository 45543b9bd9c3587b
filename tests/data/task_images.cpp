// Tasks on images: every answer worked out again from the item, and how far a simple look gets.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "models/data/tasks.hpp"
#include "tests/data/nearest.hpp"

using namespace heed;

namespace {

ExampleSet draw(const char* name, std::size_t count) { return make_task(name, count, 7); }

struct Image {
  const ExampleSet& set;
  const Example& item;
  float operator()(int row, int column, int channel = 0) const {
    return item.features[static_cast<std::size_t>((row * set.columns + column) * set.width + channel)];
  }
};

}  // namespace

TEST_CASE("tasks: shapes are told by form, not by how bright an image is") {
  ExampleSet set = draw("shapes", 2000);
  std::set<int> kinds;
  for (const Example& item : set.items) kinds.insert(item.targets[0]);
  CHECK(kinds.size() == 8);
  double bright = testing::nearest_mean(set, [](const Example& item) {
    std::vector<double> mean(3);
    for (std::size_t i = 0; i < item.features.size(); i++) mean[i % 3] += static_cast<double>(item.features[i]) / 256;
    return mean;
  });
  CHECK(bright < 0.35);
  CHECK(draw("shapes:12", 1).items[0].features.size() == 12 * 12 * 3);
}

TEST_CASE("tasks: two symbols in opposite halves, too far apart for a window of seven") {
  const std::map<int, int> code = {{0b010111010, 0}, {0b101010101, 1}, {0b111010010, 2}, {0b100100111, 3}};
  ExampleSet set = draw("far_pair", 400);
  double same = 0, right = 0;
  for (const Example& item : set.items) {
    Image image{set, item};
    std::vector<int> kinds;
    for (int side = 0; side < 2; side++) {  // the place and pattern that fit best
      double best = -1e9;
      int kind = -1;
      for (int top = 0; top < 14; top++)
        for (int left = side * 11; left < side * 11 + 3; left++)
          for (const auto& [bits, k] : code) {
            double fit = 0;
            for (int i = 0; i < 9; i++)
              fit += (bits >> (8 - i) & 1 ? 1 : -1) * static_cast<double>(image(top + i / 3, left + i % 3));
            if (fit > best) best = fit, kind = k;
          }
      kinds.push_back(kind);
    }
    right += item.targets[0] == (kinds[0] == kinds[1]);
    same += item.targets[0];
    for (int row = 0; row < 16; row++)
      for (int column = 5; column < 11; column++) CHECK(std::abs(image(row, column)) < 1.2F);
  }
  CHECK(right / 400 >= 0.98);  // noise hides a few
  CHECK(same / 400 == doctest::Approx(0.5).epsilon(0.15));
}

TEST_CASE("tasks: a path of ten cells joins the marked ends, or two paths do not touch") {
  ExampleSet set = draw("pathfinder", 300);
  double same = 0;
  for (const Example& item : set.items) {
    Image image{set, item};
    std::vector<int> part(144, -1), ends, sizes;
    for (int start = 0; start < 144; start++) {
      if (image(start / 12, start % 12) < 0.5F || part[static_cast<std::size_t>(start)] >= 0) continue;
      std::vector<int> open = {start};
      int size = 0;
      part[static_cast<std::size_t>(start)] = static_cast<int>(sizes.size());
      while (!open.empty()) {
        int at = open.back();
        open.pop_back(), size++;
        for (int dr = -1; dr <= 1; dr++)
          for (int dc = -1; dc <= 1; dc++) {  // by corners too: paths do not touch there either
            int row = at / 12 + dr, column = at % 12 + dc, next = row * 12 + column;
            if (row < 0 || column < 0 || row > 11 || column > 11 || image(row, column) < 0.5F) continue;
            if (part[static_cast<std::size_t>(next)] >= 0) continue;
            part[static_cast<std::size_t>(next)] = static_cast<int>(sizes.size());
            open.push_back(next);
          }
      }
      sizes.push_back(size);
    }
    CHECK(sizes == std::vector<int>{10, 10});
    for (int cell = 0; cell < 144; cell++)
      if (image(cell / 12, cell % 12, 1) > 0.5F) ends.push_back(part[static_cast<std::size_t>(cell)]);
    REQUIRE(ends.size() == 2);
    CHECK(item.targets[0] == (ends[0] == ends[1]));
    same += item.targets[0];
  }
  CHECK(same / 300 == doctest::Approx(0.5).epsilon(0.15));
}

TEST_CASE("tasks: boxes are the coloured pixels") {
  ExampleSet set = draw("boxes", 300);
  std::set<std::size_t> counts;
  for (const Example& item : set.items) {
    std::vector<float> painted(item.features.size());
    std::vector<Box> boxes = read_boxes(item.targets);
    counts.insert(boxes.size());
    for (const Box& b : boxes) {
      CHECK(std::min(b.width, b.height) >= 3);
      CHECK(std::max(b.width, b.height) <= 6);
      for (int row = b.top; row < b.top + b.height; row++)
        for (int column = b.left; column < b.left + b.width; column++)
          painted[static_cast<std::size_t>((row * 16 + column) * 3 + b.kind)]++;
    }
    CHECK(painted == item.features);
  }
  CHECK(counts == std::set<std::size_t>{1, 2, 3});
  CHECK(set.classes[3] == "red");
  CHECK(set.classes[6 + 16] == "16");
  CHECK_THROWS_WITH_AS(read_boxes({3, 6, 6, 9}), "heed: read_boxes: expected five ids a box, got 4 in all", Error);
  CHECK_THROWS_WITH_AS(read_boxes({3, 6, 6, 9, 5}), "heed: read_boxes: box 0: expected a colour and four numbers",
                       Error);
  CHECK_THROWS_AS(read_boxes({6, 6, 6, 9, 9}), Error);
}

TEST_CASE("tasks: glimpses hide one of four patterns, all of five pixels, anywhere") {
  ExampleSet set = draw("glimpses", 2000);
  std::set<std::pair<int, int>> places;
  for (const Example& item : set.items) {
    Image image{set, item};
    int top = 14, left = 14, bits = 0, lit = 0;
    for (int i = 0; i < 196; i++)
      if (image(i / 14, i % 14) > 0) top = std::min(top, i / 14), left = std::min(left, i % 14), lit++;
    CHECK(lit == 5);
    for (int i = 0; i < 9; i++) bits = 2 * bits + (image(std::min(13, top + i / 3), std::min(13, left + i % 3)) > 0);
    CHECK(bits == std::vector<int>{0b010111010, 0b101010101, 0b111010010,
                                   0b100100111}[static_cast<std::size_t>(item.targets[0])]);
    places.insert({top, left});
  }
  CHECK(places.size() == 144);
}

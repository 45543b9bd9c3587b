// Tasks on images: what is where, and what belongs together across a distance.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>

#include "models/data/task_sources.hpp"

namespace HEED_NAMESPACE::tasks {

namespace {

constexpr double noise = 0.2;

ExampleSet images(int size, int channels, std::vector<std::string> classes) {
  ExampleSet set;
  set.width = channels, set.height = set.columns = size, set.classes = std::move(classes);
  return set;
}

// An image of one size and number of channels, to paint on.
struct Canvas {
  int size, channels;
  std::vector<float> pixels;
  Canvas(int s, int c)
      : size(s),
        channels(c),
        pixels(static_cast<std::size_t>(s) * static_cast<std::size_t>(s) * static_cast<std::size_t>(c)) {}
  float& at(int row, int column, int channel = 0) {
    int place = (row * size + column) * channels + channel;
    return pixels[static_cast<std::size_t>(place)];
  }
  void add_noise(Rng& rng) {
    for (float& p : pixels) p += static_cast<float>(noise * rng.normal());
  }
};

// Whether a shape of `size` pixels covers pixel (i, j).
bool covers(int kind, int size, int i, int j) {
  double half = size / 2.0, y = i + 0.5 - half, x = j + 0.5 - half, r = std::hypot(x, y);
  switch (kind) {
    case 0:
      return true;  // square
    case 1:
      return r <= half;  // disc
    case 2:
      return std::abs(std::abs(x) - std::abs(y)) < 1;  // cross
    case 3:
      return std::abs(x) < 1 || std::abs(y) < 1;  // plus
    case 4:
      return std::abs(x) <= (i + 1) / 2.0;  // triangle
    case 5:
      return j < 2 || i >= size - 2;  // L
    case 6:
      return r <= half && r > half - 1.5;  // ring
    default:
      return i == size / 2 || i == size / 2 - 1;  // bar
  }
}

// Patterns of 3 x 3, all of five pixels, so that counting says nothing.
constexpr std::array<std::string_view, 4> patterns = {".#.###.#.", "#.#.#.#.#", "###.#..#.", "#..#..###"};

void stamp(Canvas& canvas, int kind, int top, int left) {
  for (int i = 0; i < 9; i++)
    if (patterns[static_cast<std::size_t>(kind)][static_cast<std::size_t>(i)] == '#')
      canvas.at(top + i / 3, left + i % 3) = 1;
}

struct Cell {
  int row, column;
  std::size_t in(int size) const {
    return static_cast<std::size_t>(row) * static_cast<std::size_t>(size) + static_cast<std::size_t>(column);
  }
};

// A self-avoiding walk of 10 cells over free ones; empty when it runs into a corner.
std::vector<Cell> walk(Rng& rng, std::vector<bool> taken, int size) {
  auto free = [&](Cell c) {
    return c.row >= 0 && c.column >= 0 && c.row < size && c.column < size && !taken[c.in(size)];
  };
  std::vector<Cell> path;
  std::vector<Cell> next = {{below(rng, size), below(rng, size)}};
  while (path.size() < 10) {
    std::erase_if(next, [&](Cell c) { return !free(c); });
    if (next.empty()) return {};
    Cell c = next[static_cast<std::size_t>(below(rng, static_cast<int>(next.size())))];
    path.push_back(c);
    taken[c.in(size)] = true;
    next = {{c.row - 1, c.column}, {c.row + 1, c.column}, {c.row, c.column - 1}, {c.row, c.column + 1}};
  }
  return path;
}

// Two walks no cell of which is next to one of the other, not by a corner either.
std::array<std::vector<Cell>, 2> two_walks(Rng& rng, int size) {
  for (;;) {
    std::vector<bool> taken(static_cast<std::size_t>(size * size));
    std::vector<Cell> first = walk(rng, taken, size);
    for (Cell c : first)
      for (int row = std::max(0, c.row - 1); row <= std::min(size - 1, c.row + 1); row++)
        for (int column = std::max(0, c.column - 1); column <= std::min(size - 1, c.column + 1); column++)
          taken[Cell{row, column}.in(size)] = true;
    std::vector<Cell> second = walk(rng, taken, size);
    if (!first.empty() && !second.empty()) return {first, second};
  }
}

}  // namespace

TaskSource shapes(int size) {
  return {images(size, 3, {"square", "disc", "cross", "plus", "triangle", "L", "ring", "bar"}), [=](Rng& rng) {
            Canvas canvas(size, 3);
            int kind = below(rng, 8), side = 5 + below(rng, 4);
            int top = below(rng, size + 1 - side), left = below(rng, size + 1 - side);
            std::array<double, 3> colour;
            do
              for (double& c : colour) c = rng.uniform();
            while (colour[0] + colour[1] + colour[2] < 1);
            for (int i = 0; i < side; i++)
              for (int j = 0; j < side; j++)
                for (int c = 0; c < 3 && covers(kind, side, i, j); c++)
                  canvas.at(top + i, left + j, c) = static_cast<float>(colour[static_cast<std::size_t>(c)]);
            canvas.add_noise(rng);
            Example item;
            item.features = std::move(canvas.pixels), item.targets = {kind};
            return item;
          }};
}

TaskSource far_pair(int) {
  return {images(16, 1, {"different", "same"}), [](Rng& rng) {
            Canvas canvas(16, 1);
            int first = below(rng, 4), same = below(rng, 2), second = same ? first : (first + 1 + below(rng, 3)) % 4;
            stamp(canvas, first, below(rng, 14), below(rng, 3));
            stamp(canvas, second, below(rng, 14), 11 + below(rng, 3));
            canvas.add_noise(rng);
            Example item;
            item.features = std::move(canvas.pixels), item.targets = {same};
            return item;
          }};
}

TaskSource pathfinder(int) {
  return {images(12, 2, {"different", "same"}), [](Rng& rng) {
            Canvas canvas(12, 2);
            auto paths = two_walks(rng, 12);
            for (const std::vector<Cell>& path : paths)
              for (Cell c : path) canvas.at(c.row, c.column, 0) = 1;
            int same = below(rng, 2);
            Cell other = same ? paths[0].back() : below(rng, 2) ? paths[1].front() : paths[1].back();
            for (Cell c : {paths[0].front(), other}) canvas.at(c.row, c.column, 1) = 1;
            Example item;
            item.features = std::move(canvas.pixels), item.targets = {same};
            return item;
          }};
}

TaskSource boxes(int) {
  ExampleSet set = images(16, 3, {"red", "green", "blue"});
  std::vector<std::string> places = numbers(17);
  set.answer = Answer::sequence;
  set.classes.insert(set.classes.end(), places.begin(), places.end());
  set.classes = sequence_names(set.classes);
  return {set, [](Rng& rng) {
            Canvas canvas(16, 3);
            std::vector<Box> drawn;
            std::size_t count = 1 + static_cast<std::size_t>(below(rng, 3));
            while (drawn.size() < count) {
              int width = 3 + below(rng, 4), height = 3 + below(rng, 4);
              Box box = {below(rng, 3), below(rng, 17 - width), below(rng, 17 - height), width, height};
              bool apart = std::all_of(drawn.begin(), drawn.end(), [&](const Box& b) {
                return b.left + b.width <= box.left || box.left + box.width <= b.left || b.top + b.height <= box.top ||
                       box.top + box.height <= b.top;
              });
              if (apart) drawn.push_back(box);
            }
            Example item;
            for (const Box& b : drawn) {
              for (int row = b.top; row < b.top + b.height; row++)
                for (int column = b.left; column < b.left + b.width; column++) canvas.at(row, column, b.kind) = 1;
              item.targets.push_back(3 + b.kind);
              for (int number : {b.left, b.top, b.width, b.height}) item.targets.push_back(6 + number);
            }
            item.features = std::move(canvas.pixels);
            return item;
          }};
}

TaskSource glimpses(int) {
  return {images(14, 1, {"plus", "cross", "T", "L"}), [](Rng& rng) {
            Canvas canvas(14, 1);
            int kind = below(rng, 4), top = below(rng, 12);
            stamp(canvas, kind, top, below(rng, 12));
            Example item;
            item.features = std::move(canvas.pixels), item.targets = {kind};
            return item;
          }};
}

}  // namespace HEED_NAMESPACE::tasks

namespace HEED_NAMESPACE {

std::vector<Box> read_boxes(const std::vector<int>& ids) {
  check(ids.size() % 5 == 0, "read_boxes", "expected five ids a box, got ", ids.size(), " in all");
  std::vector<Box> boxes;
  for (std::size_t i = 0; i < ids.size(); i += 5) {
    bool sound = ids[i] >= 3 && ids[i] < 6;
    for (std::size_t j = i + 1; j < i + 5; j++) sound = sound && ids[j] >= 6 && ids[j] < 6 + 17;
    check(sound, "read_boxes", "box ", i / 5, ": expected a colour and four numbers");
    boxes.push_back({ids[i] - 3, ids[i + 1] - 6, ids[i + 2] - 6, ids[i + 3] - 6, ids[i + 4] - 6});
  }
  return boxes;
}

}  // namespace HEED_NAMESPACE

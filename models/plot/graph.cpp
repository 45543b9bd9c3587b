// Graphs in layers (Sugiyama, Tagawa and Toda 1981): a layer for each node, an order in each layer with few crossings,
// then places near the middle of their neighbours. Links over several layers bend at a point in each layer between.
#include <algorithm>
#include <cmath>

#include "models/plot/frame.hpp"
#include "tensor/error.hpp"

namespace heed {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double line_height = 15, gap_between_layers = 42, gap_between_nodes = 22;

struct Slot {  // a node, or a bend of a link
  double width, height, x = 0, y = 0;
  std::size_t layer;
  std::vector<std::size_t> up = {}, down = {};
};

// Each node below all that lead to it.
std::vector<std::size_t> layers_of(const GraphPicture& graph) {
  const std::size_t count = graph.nodes.size();
  std::vector<std::size_t> layer(count, 0), waiting(count, 0), ready;
  for (const GraphLink& link : graph.links) {
    check(link.from < count && link.to < count, "graph_picture", "got a link from node ", link.from, " to node ",
          link.to, ", expected numbers below ", count);
    waiting[link.to]++;
  }
  for (std::size_t i = 0; i < count; i++)
    if (!waiting[i]) ready.push_back(i);
  for (std::size_t next = 0; next < ready.size(); next++)
    for (const GraphLink& link : graph.links) {
      if (link.from != ready[next]) continue;
      layer[link.to] = std::max(layer[link.to], layer[link.from] + 1);
      if (--waiting[link.to] == 0) ready.push_back(link.to);
    }
  check(ready.size() == count, "graph_picture", "the links form a cycle; leave out one of its links");
  // A source stands right above what it leads to, not at the top.
  std::vector<bool> leads(count, false);
  for (const GraphLink& link : graph.links) leads[link.to] = true;
  for (std::size_t i = 0; i < count; i++) {
    std::size_t nearest = graph.nodes.size();
    for (const GraphLink& link : graph.links)
      if (link.from == i) nearest = std::min(nearest, layer[link.to]);
    if (!leads[i] && nearest < graph.nodes.size() && nearest > 0) layer[i] = nearest - 1;
  }
  return layer;
}

double middle_of(const std::vector<Slot>& slots, const std::vector<std::size_t>& near, double fallback) {
  if (near.empty()) return fallback;
  double sum = 0;
  for (std::size_t i : near) sum += slots[i].x;
  return sum / static_cast<double>(near.size());
}

class Layout {
 public:
  explicit Layout(const GraphPicture& graph) {
    std::vector<std::size_t> layer = layers_of(graph);
    for (std::size_t i = 0; i < graph.nodes.size(); i++) {
      double width = 0;
      for (const std::string& line : graph.nodes[i].lines) width = std::max(width, text_width(line));
      auto lines = static_cast<double>(graph.nodes[i].lines.size());
      add({.width = std::max(30.0, width + 18), .height = 12 + line_height * std::max(1.0, lines), .layer = layer[i]});
    }
    for (const GraphLink& link : graph.links) route(link);
    order();
    place();
  }
  const std::vector<Slot>& slots() const { return slots_; }
  /// The slots that a link passes, its ends included.
  const std::vector<std::size_t>& route_of(std::size_t link) const { return routes_[link]; }
  double width() const { return width_; }
  double height() const { return height_; }

 private:
  std::size_t add(Slot slot) {
    if (rows_.size() <= slot.layer) rows_.resize(slot.layer + 1);
    rows_[slot.layer].push_back(slots_.size());
    slots_.push_back(std::move(slot));
    return slots_.size() - 1;
  }

  void route(const GraphLink& link) {
    std::vector<std::size_t> route{link.from};
    for (std::size_t l = slots_[link.from].layer + 1; l < slots_[link.to].layer; l++)
      route.push_back(add({.width = 10, .height = 0, .layer = l}));
    route.push_back(link.to);
    for (std::size_t i = 0; i + 1 < route.size(); i++) {
      slots_[route[i]].down.push_back(route[i + 1]);
      slots_[route[i + 1]].up.push_back(route[i]);
    }
    routes_.push_back(route);
  }

  // Sorts each layer by the mean of its neighbours' places, down and up in turns.
  void order() {
    for (auto& row : rows_)
      for (std::size_t i = 0; i < row.size(); i++) slots_[row[i]].x = static_cast<double>(i);
    for (int sweep = 0; sweep < 12; sweep++) {
      bool downwards = sweep % 2 == 0;
      for (std::size_t n = 0; n < rows_.size(); n++) {
        auto& row = rows_[downwards ? n : rows_.size() - 1 - n];
        std::vector<std::pair<double, std::size_t>> keys;
        for (std::size_t i : row)
          keys.emplace_back(middle_of(slots_, downwards ? slots_[i].up : slots_[i].down, slots_[i].x), i);
        std::stable_sort(keys.begin(), keys.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
        for (std::size_t i = 0; i < row.size(); i++) {
          row[i] = keys[i].second;
          slots_[row[i]].x = static_cast<double>(i);
        }
      }
    }
  }

  // Moves nodes to the middle of their neighbours, as far as those beside them let them.
  void place() {
    for (auto& row : rows_) {
      double x = 0;
      for (std::size_t i : row) {
        slots_[i].x = x + slots_[i].width / 2;
        x += slots_[i].width + gap_between_nodes;
      }
      for (std::size_t i : row) slots_[i].x -= x / 2;
    }
    for (int sweep = 0; sweep < 40; sweep++)
      for (std::size_t n = 0; n < rows_.size(); n++) {
        auto& row = rows_[sweep % 2 == 0 ? n : rows_.size() - 1 - n];
        std::vector<double> wanted;
        for (std::size_t i : row) {
          std::vector<std::size_t> near = sweep % 2 == 0 ? slots_[i].up : slots_[i].down;
          if (sweep > 30) near = slots_[i].up, near.insert(near.end(), slots_[i].down.begin(), slots_[i].down.end());
          wanted.push_back(middle_of(slots_, near, slots_[i].x));
        }
        settle(row, wanted);
      }
    double y = 0, left = infinity, right = -infinity;
    for (auto& row : rows_) {
      double tallest = 0;
      for (std::size_t i : row) tallest = std::max(tallest, slots_[i].height);
      for (std::size_t i : row) {
        slots_[i].y = y + tallest / 2;
        left = std::min(left, slots_[i].x - slots_[i].width / 2);
        right = std::max(right, slots_[i].x + slots_[i].width / 2);
      }
      y += tallest + gap_between_layers;
    }
    if (slots_.empty()) return;
    for (Slot& slot : slots_) slot.x -= left;
    width_ = right - left;
    height_ = y - gap_between_layers;
  }

  // The places nearest to the wanted ones that keep order and distance: the mean of packing from either side.
  void settle(const std::vector<std::size_t>& row, const std::vector<double>& wanted) {
    std::vector<double> from_left = wanted, from_right = wanted;
    auto apart = [&](std::size_t i) {
      return (slots_[row[i]].width + slots_[row[i + 1]].width) / 2 + gap_between_nodes;
    };
    for (std::size_t i = 1; i < row.size(); i++) from_left[i] = std::max(from_left[i], from_left[i - 1] + apart(i - 1));
    for (std::size_t i = row.size(); i-- > 1;)
      from_right[i - 1] = std::min(from_right[i - 1], from_right[i] - apart(i - 1));
    for (std::size_t i = 0; i < row.size(); i++) slots_[row[i]].x = (from_left[i] + from_right[i]) / 2;
  }

  std::vector<Slot> slots_;
  std::vector<std::vector<std::size_t>> rows_, routes_;
  double width_ = 0, height_ = 0;
};

std::string at(double x, double y) { return number_text(x) + ' ' + number_text(y); }

}  // namespace

std::string graph_picture(const GraphPicture& graph) {
  const Layout layout(graph);
  std::vector<std::string> names;
  for (const GraphNode& node : graph.nodes) names.push_back(node.family);
  const Families families(names);
  const double x0 = 20, y0 = graph.title.empty() ? 16 : 40;
  Svg svg(std::max(layout.width() + 2 * x0, 28 + text_width(graph.title)), y0 + std::max(24.0, layout.height()) + 16,
          graph.title);
  svg.text({14, 20}, graph.title, "bold");
  if (graph.nodes.empty()) svg.text({x0, y0 + 12}, "no data", "muted");
  for (std::size_t l = 0; l < graph.links.size(); l++) {
    const auto& route = layout.route_of(l);
    const Slot& first = layout.slots()[route.front()];
    Point from{x0 + first.x, y0 + first.y + first.height / 2};
    std::string d = std::string("M") + at(from.x, from.y);
    Point label;
    for (std::size_t i = 1; i < route.size(); i++) {
      const Slot& slot = layout.slots()[route[i]];
      Point to{x0 + slot.x, y0 + slot.y - slot.height / 2 - (i + 1 == route.size() ? 5 : 0)};
      double half = (to.y - from.y) / 2;
      d += std::string("C") + at(from.x, from.y + half) + ' ' + at(to.x, to.y - half) + ' ' + at(to.x, to.y);
      if (i == 1) label = {(from.x + to.x) / 2, (from.y + to.y) / 2};
      from = to;
    }
    svg.path(d, "line thin muted");
    svg.path(std::string("M") + at(from.x - 4, from.y - 3) + 'L' + at(from.x + 4, from.y - 3) + 'L' +
                 at(from.x, from.y + 5) + 'Z',
             "fill muted");
    if (!graph.links[l].label.empty()) {
      double width = text_width(graph.links[l].label) * 0.85 + 4;
      svg.rect({label.x - width / 2, label.y - 8, width, 14}, "fill page", {.opacity = 0.9});
      svg.text({label.x, label.y + 3}, graph.links[l].label, "small muted", Anchor::middle);
    }
  }
  for (std::size_t i = 0; i < graph.nodes.size(); i++) {
    const Slot& slot = layout.slots()[i];
    const GraphNode& node = graph.nodes[i];
    const Rect box{x0 + slot.x - slot.width / 2, y0 + slot.y - slot.height / 2, slot.width, slot.height};
    const std::string ink = colour(families.of[i]);
    svg.rect(box, "fill page", {}, 6);
    svg.rect(box, "fill " + ink, {.title = node.family, .opacity = 0.15}, 6);
    svg.rect(box, "line thin " + ink, {}, 6);
    for (std::size_t n = 0; n < node.lines.size(); n++)
      svg.text({box.x + box.width / 2, box.y + 6 + line_height * (static_cast<double>(n) + 0.75)}, node.lines[n],
               n == 0 ? "bold" : "small", Anchor::middle);
  }
  return svg.str();
}

}  // namespace heed

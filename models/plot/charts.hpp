// charts.hpp — pictures of data as SVG: each a function of a plain struct, the same bytes for the same data.
//
// Numbers that are not finite, and those that a logarithmic axis cannot show, are left out; a picture without data says
// so. Text may be in any script. Names of series stand where the eye ends, not in a box of their own. All throw Error
// when lists that belong together differ in length.
#pragma once

#include <cstddef>
#include <limits>
#include <string>
#include <vector>

namespace heed {

/// An axis of numbers; ends that are not given come from the data.
struct Axis {
  static constexpr double automatic = std::numeric_limits<double>::quiet_NaN();
  std::string title = {};
  bool log = false;
  double low = automatic, high = automatic;
};

/// Points in order; `labels` are empty or name each point.
struct Series {
  std::string name;
  std::vector<double> x, y;
  std::vector<std::string> labels = {};
};

/// Series as lines, each named at its end; `marks` shows the points too.
struct LineChart {
  std::string title;
  Axis x = {}, y = {};
  std::vector<Series> series = {};
  bool marks = false;
};
std::string line_chart(const LineChart& chart);

/// Series as points, each in its colour and shape; labels of points stand beside them without collisions.
struct ScatterChart {
  std::string title;
  Axis x = {}, y = {};
  std::vector<Series> series = {};
};
std::string scatter_chart(const ScatterChart& chart);

/// One bar of each series in each group: values[g] belongs to groups[g].
struct Bars {
  std::string name;
  std::vector<double> values;
};
struct BarChart {
  std::string title;
  Axis y = {};
  std::vector<std::string> groups = {};
  std::vector<Bars> series = {};
};
std::string bar_chart(const BarChart& chart);

/// A matrix as shades, row by row: values[r][c]; colours go from `low` to `high`, negative numbers in another colour.
/// What is not finite stays empty. `decimals` < 0 leaves the numbers to the titles of the cells.
struct HeatMap {
  std::string title;
  std::vector<std::string> rows = {}, columns = {};
  std::vector<std::vector<double>> values = {};
  std::string row_title = {}, column_title = {};
  int decimals = -1;
  double high = Axis::automatic;  ///< size of a value with the full colour; default: the greatest
};
std::string heat_map(const HeatMap& map);

/// Weights (N, M) of queries on keys: weights[i][j] in 0 … 1, not finite where the pattern keeps no cell.
struct AttentionMatrix {
  std::string title;
  std::vector<std::string> queries = {}, keys = {};
  std::vector<std::vector<double>> weights = {};
};
std::string attention_matrix(const AttentionMatrix& matrix);

/// Bubbles: area stands for `size`, colour for `family`, and labels do not cover each other.
struct Bubble {
  std::string label, family = {};
  double x = 0, y = 0, size = 1;
};
struct BubbleChart {
  std::string title;
  Axis x = {.log = true}, y = {};
  std::string size_title = {};
  std::vector<Bubble> bubbles = {};
};
std::string bubble_chart(const BubbleChart& chart);

/// A graph without cycles in layers from top to bottom. The lines of a node stand below each other, the first one bold;
/// nodes of a family share a colour. Throws Error on a cycle and on an edge to no node.
struct GraphNode {
  std::vector<std::string> lines;
  std::string family = {};
};
struct GraphLink {
  std::size_t from = 0, to = 0;
  std::string label = {};
};
struct GraphPicture {
  std::string title;
  std::vector<GraphNode> nodes = {};
  std::vector<GraphLink> links = {};
};
std::string graph_picture(const GraphPicture& graph);

}  // namespace heed

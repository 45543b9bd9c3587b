// Matrices as shades: heat maps and attention.
#include <algorithm>
#include <cmath>

#include "models/plot/charts.hpp"
#include "models/plot/svg.hpp"
#include "tensor/error.hpp"

namespace heed {

namespace {

void check_lists(const char* where, const std::vector<std::string>& rows, const std::vector<std::string>& columns,
                 const std::vector<std::vector<double>>& values) {
  check(rows.size() == values.size(), where, "got ", values.size(), " rows of values and ", rows.size(),
        " labels, expected as many");
  for (const auto& row : values)
    check(row.size() == columns.size(), where, "got a row of ", row.size(), " values, expected one for each of ",
          columns.size(), " columns");
}

double widest(const std::vector<std::string>& labels) {
  double width = 0;
  for (const std::string& label : labels) width = std::max(width, text_width(label));
  return width;
}

double greatest(const std::vector<std::vector<double>>& values) {
  double most = 0;
  for (const auto& row : values)
    for (double value : row)
      if (std::isfinite(value)) most = std::max(most, std::fabs(value));
  return most;
}

// A grid of cells with labels of rows at the left and of columns above, turned when they are wider than a cell.
struct Grid {
  double cell, left, top, longest = 140;
  bool turned;
  const std::vector<std::string>&rows, &columns;
  Grid(double size, const std::vector<std::string>& r, const std::vector<std::string>& c, bool row_title,
       bool column_title)
      : cell(size), turned(widest(c) > size - 2), rows(r), columns(c) {
    left = 14 + std::min(widest(r), longest) + (row_title ? 22 : 0);
    top = 38 + (turned ? std::min(widest(c), longest) * 0.78 + 12 : 18) + (column_title ? 20 : 0);
  }
  // The room that labels turned by 45 degrees need at the right.
  double width() const {
    double end = left + cell * static_cast<double>(columns.size());
    return end + (turned && !columns.empty() ? std::min(text_width(columns.back()), longest) * 0.72 : 0) + 14;
  }
  double height() const { return top + cell * static_cast<double>(rows.size()) + 14; }
  Rect box(std::size_t r, std::size_t c) const {
    return {left + cell * static_cast<double>(c), top + cell * static_cast<double>(r), cell, cell};
  }
  void draw(Svg& svg, const std::string& title, const std::string& row_title, const std::string& column_title) const {
    svg.text({14, 20}, title, "bold");
    if (!column_title.empty())
      svg.text({left + cell * static_cast<double>(columns.size()) / 2, 40}, column_title, "muted", Anchor::middle);
    if (!row_title.empty())
      svg.text({20, top + cell * static_cast<double>(rows.size()) / 2}, row_title, "muted", Anchor::middle, -90);
    for (std::size_t r = 0; r < rows.size(); r++)
      svg.text({left - 6, top + cell * (static_cast<double>(r) + 0.5) + 4}, fitted(rows[r], longest), "", Anchor::end);
    for (std::size_t c = 0; c < columns.size(); c++) {
      Point at{left + cell * (static_cast<double>(c) + 0.5), top - 6};
      svg.text(turned ? Point{at.x + 3, at.y} : at, fitted(columns[c], longest), "",
               turned ? Anchor::start : Anchor::middle, turned ? -45 : 0);
    }
  }
};

void draw_cell(Svg& svg, const Rect& box, double share, double value, int decimals, const std::string& title) {
  const Rect inner{box.x + 0.5, box.y + 0.5, box.width - 1, box.height - 1};
  const double shade = std::clamp(std::fabs(share), 0.0, 1.0);
  svg.rect(inner, value < 0 ? "fill c1" : "fill c0", {.title = title, .opacity = std::max(0.03, shade)});
  if (decimals >= 0)
    svg.text({box.x + box.width / 2, box.y + box.height / 2 + 4}, fixed_number(value, decimals),
             shade > 0.55 ? "small over" : "small", Anchor::middle);
}

double cell_size(std::size_t rows, std::size_t columns, double wanted) {
  double many = static_cast<double>(std::max<std::size_t>({rows, columns, 1}));
  return std::clamp(std::min(wanted, 960 / many), 4.0, wanted);
}

}  // namespace

std::string heat_map(const HeatMap& map) {
  check_lists("heat_map", map.rows, map.columns, map.values);
  const double most = std::isfinite(map.high) && map.high > 0 ? map.high : greatest(map.values);
  double number = 0;
  for (const auto& row : map.values)
    for (double value : row)
      if (map.decimals >= 0 && std::isfinite(value))
        number = std::max(number, text_width(fixed_number(value, map.decimals)));
  const double size = map.decimals >= 0 ? std::max(28.0, number * 0.85 + 8)
                                        : std::max(14.0, cell_size(map.rows.size(), map.columns.size(), 30));
  const Grid grid(size, map.rows, map.columns, !map.row_title.empty(), !map.column_title.empty());
  Svg svg(std::max(grid.width(), 28 + text_width(map.title)), grid.height(), map.title);
  grid.draw(svg, map.title, map.row_title, map.column_title);
  for (std::size_t r = 0; r < map.rows.size(); r++)
    for (std::size_t c = 0; c < map.columns.size(); c++) {
      const double value = map.values[r][c];
      if (!std::isfinite(value)) continue;
      draw_cell(svg, grid.box(r, c), most > 0 ? value / most : 0, value, map.decimals,
                map.rows[r] + ", " + map.columns[c] + ": " + short_number(value, 6));
    }
  if (map.rows.empty() || map.columns.empty()) svg.text({14, 44}, "no data", "muted");
  return svg.str();
}

std::string attention_matrix(const AttentionMatrix& matrix) {
  check_lists("attention_matrix", matrix.queries, matrix.keys, matrix.weights);
  const double size = std::max(14.0, cell_size(matrix.queries.size(), matrix.keys.size(), 34));
  const Grid grid(size, matrix.queries, matrix.keys, true, true);
  Svg svg(std::max(grid.width(), 28 + text_width(matrix.title)), grid.height(), matrix.title);
  grid.draw(svg, matrix.title, "queries", "keys");
  for (std::size_t r = 0; r < matrix.queries.size(); r++)
    for (std::size_t c = 0; c < matrix.keys.size(); c++) {
      const Rect box = grid.box(r, c);
      const double weight = matrix.weights[r][c];
      const std::string name = matrix.queries[r] + " → " + matrix.keys[c];
      if (std::isfinite(weight)) {
        draw_cell(svg, box, weight, weight, size >= 30 ? 2 : -1, name + ": " + fixed_number(weight, 4));
      } else {  // outside the pattern
        svg.rect({box.x + 0.5, box.y + 0.5, box.width - 1, box.height - 1}, "fill grid",
                 {.title = name + ": not kept", .opacity = 0.6});
        if (size >= 24)
          svg.line({box.x + 4, box.bottom() - 4}, {box.right() - 4, box.y + 4}, "line thin muted", {.opacity = 0.35});
      }
    }
  if (matrix.queries.empty() || matrix.keys.empty()) svg.text({14, 44}, "no data", "muted");
  return svg.str();
}

}  // namespace heed

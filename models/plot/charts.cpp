#include <algorithm>
#include <cmath>
#include <set>

#include "models/plot/frame.hpp"
#include "tensor/error.hpp"

namespace heed {

namespace {

constexpr double plot_width = 560, plot_height = 340, left = 74, top = 34, below = 52;

void check_series(const char* where, const std::vector<Series>& series) {
  for (const Series& s : series) {
    check(s.x.size() == s.y.size(), where, "series ", s.name, ": got ", s.x.size(), " x and ", s.y.size(),
          " y, expected as many");
    check(s.labels.empty() || s.labels.size() == s.x.size(), where, "series ", s.name, ": got ", s.labels.size(),
          " labels for ", s.x.size(), " points; give none or one each");
  }
}

template <class Get>
std::vector<double> all(const std::vector<Series>& series, const Get& get) {
  std::vector<double> out;
  for (const Series& s : series) out.insert(out.end(), get(s).begin(), get(s).end());
  return out;
}

// A logarithmic axis over few sizes, as 256, 512, …, is best read at these sizes.
std::vector<double> x_ticks(const Axis& axis, const Scale& scale, const std::vector<double>& values) {
  std::set<double> sizes;
  for (double value : values)
    if (!std::isnan(scale(value))) sizes.insert(value);
  if (axis.log && sizes.size() > 1 && sizes.size() < 10) return {sizes.begin(), sizes.end()};
  return scale.ticks(6);
}

std::vector<Point> places(const Series& s, const Scale& across, const Scale& up) {
  std::vector<Point> out;
  for (std::size_t i = 0; i < s.x.size(); i++) out.push_back({across(s.x[i]), up(s.y[i])});
  return out;
}

bool visible(Point p) { return std::isfinite(p.x) && std::isfinite(p.y); }

std::string point_title(const std::string& name, double x, double y) {
  return (name.empty() ? "" : name + ": ") + short_number(x, 6) + ", " + short_number(y, 6);
}

// A point's shape differs with its series, so that colour is not all that tells them apart.
void draw_point(Svg& svg, Point p, std::size_t shape, const Mark& mark) {
  const std::string style = "fill " + colour(shape);
  auto at = [](double x, double y) { return number_text(x) + ' ' + number_text(y); };
  if (shape % 4 == 0) {
    svg.circle(p, 3.5, style, mark);
  } else if (shape % 4 == 1) {
    svg.rect({p.x - 3.2, p.y - 3.2, 6.4, 6.4}, style, mark);
  } else {
    double s = shape % 4 == 2 ? 4.2 : -4.2;
    std::string d = shape % 4 == 2 ? std::string("M") + at(p.x - s, p.y + s * 0.8) + 'L' + at(p.x + s, p.y + s * 0.8) +
                                         'L' + at(p.x, p.y - s) + 'Z'
                                   : std::string("M") + at(p.x + s, p.y) + 'L' + at(p.x, p.y + s) + 'L' +
                                         at(p.x - s, p.y) + 'L' + at(p.x, p.y - s) + 'Z';
    svg.path(d, style, mark);
  }
}

// Names of series at the right of the plot, each at the height of its last point.
void draw_names(Svg& svg, const Rect& plot, const std::vector<Series>& series,
                const std::vector<std::vector<Point>>& lines) {
  std::vector<std::size_t> shown;
  std::vector<Point> ends;
  std::vector<double> heights;
  for (std::size_t i = 0; i < series.size(); i++) {
    auto end = std::find_if(lines[i].rbegin(), lines[i].rend(), visible);
    if (end == lines[i].rend() || series[i].name.empty()) continue;
    shown.push_back(i);
    ends.push_back(*end);
    heights.push_back(end->y);
  }
  heights = spread(heights, 14, plot.y, plot.bottom());
  for (std::size_t k = 0; k < shown.size(); k++) {
    const double x = plot.right() + 14;
    svg.line({ends[k].x + 2, ends[k].y}, {x - 3, heights[k]}, "line thin " + colour(shown[k]), {.opacity = 0.5});
    svg.text({x, heights[k] + 4}, series[shown[k]].name, colour(shown[k]));
  }
}

constexpr const char* dashes[] = {"", " dashed", " dotted"};

}  // namespace

std::string line_chart(const LineChart& chart) {
  check_series("line_chart", chart.series);
  double names = 0;
  for (const Series& s : chart.series) names = std::max(names, text_width(s.name));
  const Rect plot{left, top, plot_width, plot_height};
  const std::vector<double> xs = all(
      chart.series, [](const Series& s) -> const auto& { return s.x; });
  const Scale across(chart.x, xs, plot.x, plot.right());
  const Scale up(chart.y,
                 all(
                     chart.series, [](const Series& s) -> const auto& { return s.y; }),
                 plot.bottom(), plot.y);
  Svg svg(plot.right() + 24 + names, plot.bottom() + below, chart.title);
  draw_y_axis(svg, plot, chart.title, chart.y, up);
  draw_x_axis(svg, plot, chart.x, across, x_ticks(chart.x, across, xs));
  std::vector<std::vector<Point>> lines;
  bool any = false;
  for (std::size_t i = 0; i < chart.series.size(); i++) {
    const Series& s = chart.series[i];
    lines.push_back(places(s, across, up));
    svg.lines(lines[i], "line " + colour(i) + dashes[i / 8 % 3], {.title = s.name});
    for (std::size_t p = 0; p < lines[i].size(); p++) {
      if (!visible(lines[i][p])) continue;
      any = true;
      bool alone = (p == 0 || !visible(lines[i][p - 1])) && (p + 1 == lines[i].size() || !visible(lines[i][p + 1]));
      if (chart.marks || alone) draw_point(svg, lines[i][p], i, {.title = point_title(s.name, s.x[p], s.y[p])});
    }
  }
  draw_names(svg, plot, chart.series, lines);
  if (!any) draw_nothing(svg, plot);
  return svg.str();
}

std::string scatter_chart(const ScatterChart& chart) {
  check_series("scatter_chart", chart.series);
  std::vector<std::string> names, styles;
  for (std::size_t i = 0; i < chart.series.size(); i++)
    if (!chart.series[i].name.empty()) names.push_back(chart.series[i].name), styles.push_back(colour(i));
  const double legend = legend_height(plot_width, names);
  const Rect plot{left, top + legend, plot_width, plot_height};
  const std::vector<double> xs = all(
      chart.series, [](const Series& s) -> const auto& { return s.x; });
  const Scale across(chart.x, xs, plot.x + 8, plot.right() - 8);
  const Scale up(chart.y,
                 all(
                     chart.series, [](const Series& s) -> const auto& { return s.y; }),
                 plot.bottom(), plot.y);
  Svg svg(plot.right() + 20, plot.bottom() + below, chart.title);
  draw_y_axis(svg, plot, chart.title, chart.y, up);
  draw_x_axis(svg, plot, chart.x, across, x_ticks(chart.x, across, xs));
  draw_legend(svg, {left, top + 8}, plot_width, names, styles);
  std::vector<std::string> labels, inks;
  std::vector<Point> at;
  bool any = false;
  for (std::size_t i = 0; i < chart.series.size(); i++) {
    const Series& s = chart.series[i];
    std::vector<Point> points = places(s, across, up);
    for (std::size_t p = 0; p < points.size(); p++) {
      if (!visible(points[p])) continue;
      any = true;
      std::string name = s.labels.empty() ? s.name : s.labels[p];
      draw_point(svg, points[p], i, {.title = point_title(name, s.x[p], s.y[p]), .opacity = 0.85});
      if (s.labels.empty() || name.empty()) continue;
      labels.push_back(name), at.push_back(points[p]), inks.push_back(colour(i));
    }
  }
  draw_labels(svg, labels, at, std::vector<double>(at.size(), 4), inks, plot);
  if (!any) draw_nothing(svg, plot);
  return svg.str();
}

std::string bubble_chart(const BubbleChart& chart) {
  std::vector<std::string> all_families, styles, labels, inks;
  std::vector<double> xs, ys, gaps;
  double largest = 0;
  for (const Bubble& b : chart.bubbles) {
    all_families.push_back(b.family), xs.push_back(b.x), ys.push_back(b.y);
    if (std::isfinite(b.size)) largest = std::max(largest, b.size);
  }
  const Families families(all_families);
  for (std::size_t i = 0; i < families.names.size(); i++) styles.push_back(colour(i));
  const bool named = families.names.size() > 1 || (!families.names.empty() && !families.names[0].empty());
  const std::vector<std::string> legend = named ? families.names : std::vector<std::string>{};
  const Rect plot{left, top + legend_height(720, legend), 720, 460};
  const Scale across(chart.x, xs, plot.x + 40, plot.right() - 40), up(chart.y, ys, plot.bottom() - 24, plot.y + 24);
  Svg svg(plot.right() + 20, plot.bottom() + below + (chart.size_title.empty() ? 0 : 16), chart.title);
  draw_y_axis(svg, plot, chart.title, chart.y, up);
  draw_x_axis(svg, plot, chart.x, across, across.ticks(6));
  draw_legend(svg, {left, top + 8}, 720, legend, styles);
  std::vector<Point> at;
  for (std::size_t i = 0; i < chart.bubbles.size(); i++) {
    const Bubble& b = chart.bubbles[i];
    Point p{across(b.x), up(b.y)};
    if (!visible(p)) continue;
    double radius = std::isfinite(b.size) && b.size > 0 ? std::max(3.0, 22 * std::sqrt(b.size / largest)) : 3;
    std::string title = point_title(b.label, b.x, b.y);
    if (!chart.size_title.empty()) title += ", " + chart.size_title + ' ' + short_number(b.size);
    svg.circle(p, radius, "fill " + styles[families.of[i]], {.title = title, .opacity = 0.55});
    at.push_back(p), gaps.push_back(radius), labels.push_back(b.label), inks.push_back(styles[families.of[i]]);
  }
  draw_labels(svg, labels, at, gaps, inks, plot);
  if (!chart.size_title.empty())
    svg.text({plot.right(), plot.bottom() + 56}, "area: " + chart.size_title, "small muted", Anchor::end);
  if (at.empty()) draw_nothing(svg, plot);
  return svg.str();
}

std::string bar_chart(const BarChart& chart) {
  std::vector<std::string> names, styles;
  std::vector<double> values;
  for (std::size_t i = 0; i < chart.series.size(); i++) {
    const Bars& bars = chart.series[i];
    check(bars.values.size() == chart.groups.size(), "bar_chart", "series ", bars.name, ": got ", bars.values.size(),
          " values, expected one for each of ", chart.groups.size(), " groups");
    values.insert(values.end(), bars.values.begin(), bars.values.end());
    if (!bars.name.empty()) names.push_back(bars.name), styles.push_back(colour(i));
  }
  double longest = 0;
  for (const std::string& group : chart.groups) longest = std::max(longest, text_width(group));
  const auto groups = static_cast<double>(chart.groups.size()), count = static_cast<double>(chart.series.size());
  const double pitch = std::max(plot_width / std::max(1.0, groups), 8 * count + 10),
               width = pitch * std::max(1.0, groups);
  const bool turned = longest + 6 > pitch;
  const Rect plot{left, top + legend_height(width, names), width, plot_height};
  const Scale up(chart.y, values, plot.bottom(), plot.y, true);
  const double base = chart.y.log ? plot.bottom() : up(std::clamp(0.0, up.low(), up.high()));
  Svg svg(plot.right() + 20, plot.bottom() + (turned ? 20 + longest * 0.75 : 34), chart.title);
  draw_y_axis(svg, plot, chart.title, chart.y, up);
  draw_legend(svg, {left, top + 8}, width, names, styles);
  bool any = false;
  for (std::size_t g = 0; g < chart.groups.size(); g++) {
    const double from = plot.x + pitch * static_cast<double>(g);
    for (std::size_t i = 0; i < chart.series.size(); i++) {
      const double value = chart.series[i].values[g], end = up(value), bar = std::min(pitch * 0.8 / count, 46.0);
      if (!std::isfinite(end)) continue;
      any = true;
      const double x = from + pitch / 2 + bar * (static_cast<double>(i) - count / 2);
      const std::string& name = chart.series[i].name;
      svg.rect({x + 0.5, std::min(base, end), bar - 1, std::fabs(end - base)}, "fill " + colour(i),
               {.title = chart.groups[g] + (name.empty() ? "" : ", " + name) + ": " + short_number(value, 6)});
      if (bar >= text_width(short_number(value)) * 0.85)
        svg.text({x + bar / 2, value < 0 ? end + 12 : end - 4}, short_number(value), "small muted", Anchor::middle);
    }
    const Point at{from + pitch / 2, plot.bottom() + 17};
    svg.text(turned ? Point{at.x + 4, at.y - 3} : at, chart.groups[g], "", turned ? Anchor::end : Anchor::middle,
             turned ? -45 : 0);
  }
  svg.line({plot.x, base}, {plot.right(), base}, "line thin muted");
  if (!any) draw_nothing(svg, plot);
  return svg.str();
}

}  // namespace heed

// frame.hpp — what charts over numbers share: scales with ticks, a frame with axes, and labels that keep apart.
#pragma once

#include "models/plot/charts.hpp"
#include "models/plot/svg.hpp"

namespace heed {

/// Numbers of one axis as pixels.
class Scale {
 public:
  /// An axis over `values` from pixel `from` to pixel `to`; with `zero` it begins at 0 unless the axis says otherwise.
  Scale(const Axis& axis, const std::vector<double>& values, double from, double to, bool zero = false);
  /// Pixel of a number; NaN for what the axis cannot show.
  double operator()(double value) const;
  /// Round numbers along the axis, about `wanted` of them.
  std::vector<double> ticks(int wanted) const;
  double low() const { return low_; }
  double high() const { return high_; }

 private:
  bool log_;
  double low_, high_, from_, to_;
};

/// Draws title and y axis of a chart; its plot is `plot`.
void draw_y_axis(Svg& svg, const Rect& plot, const std::string& title, const Axis& y, const Scale& up);
/// Draws the x axis, with a tick at each of `ticks`.
void draw_x_axis(Svg& svg, const Rect& plot, const Axis& x, const Scale& across, const std::vector<double>& ticks);

/// Draws names with their colours in rows from `at` on, at most `width` wide; styles[i] belongs to names[i].
void draw_legend(Svg& svg, Point at, double width, const std::vector<std::string>& names,
                 const std::vector<std::string>& styles);
/// Height of that legend; 0 without names.
double legend_height(double width, const std::vector<std::string>& names);

/// Returns places near the wanted ones, in their order, at least `distance` apart and within [low, high] if they fit.
std::vector<double> spread(const std::vector<double>& wanted, double distance, double low, double high);

/// Returns a box of sizes[i] near each point, `gap[i]` away from it, so that no two boxes overlap; they keep off other
/// points and inside `area` where there is room.
std::vector<Rect> place_labels(const std::vector<Point>& points, const std::vector<double>& gaps,
                               const std::vector<Rect>& sizes, const Rect& area);

/// Draws labels beside points, with a thin line to those that had to go far.
void draw_labels(Svg& svg, const std::vector<std::string>& labels, const std::vector<Point>& points,
                 const std::vector<double>& gaps, const std::vector<std::string>& styles, const Rect& area);

/// Says "no data" in the middle of `plot`.
void draw_nothing(Svg& svg, const Rect& plot);

/// Names in order of first use, and which of them each item has.
struct Families {
  std::vector<std::string> names;
  std::vector<std::size_t> of;
  explicit Families(const std::vector<std::string>& families);
};

}  // namespace heed

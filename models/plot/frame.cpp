#include "models/plot/frame.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace heed {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

// The round number (1, 2 or 5 times a power of ten) that cuts `range` into about `wanted` parts.
double round_step(double range, int wanted) {
  double raw = range / std::max(1, wanted), power = std::pow(10, std::floor(std::log10(raw)));
  for (double factor : {1.0, 2.0, 5.0})
    if (raw <= factor * power * 1.0001) return factor * power;
  return 10 * power;
}

}  // namespace

Scale::Scale(const Axis& axis, const std::vector<double>& values, double from, double to, bool zero)
    : log_(axis.log), low_(infinity), high_(-infinity), from_(from), to_(to) {
  for (double value : values) {
    if (!std::isfinite(value) || (log_ && value <= 0)) continue;
    low_ = std::min(low_, value);
    high_ = std::max(high_, value);
  }
  if (low_ > high_) low_ = log_ ? 1 : 0, high_ = log_ ? 10 : 1;
  if (zero && !log_) low_ = std::min(low_, 0.0), high_ = std::max(high_, 0.0);
  bool low_given = std::isfinite(axis.low), high_given = std::isfinite(axis.high);
  if (low_given && (!log_ || axis.low > 0)) low_ = axis.low;
  if (high_given && (!log_ || axis.high > 0)) high_ = axis.high;
  if (!(high_ > low_)) {  // a single number stands in the middle
    double around = log_ ? 0 : std::max(std::fabs(low_) * 0.1, 1e-6);
    low_ = log_ ? low_ / 2 : low_ - around;
    high_ = log_ ? low_ * 4 : high_ + around;
  }
  if (log_) return;
  double step = round_step(high_ - low_, 5);
  if (!low_given) low_ = std::floor(low_ / step + 1e-9) * step;
  if (!high_given) high_ = std::ceil(high_ / step - 1e-9) * step;
}

double Scale::operator()(double value) const {
  if (!std::isfinite(value) || (log_ && value <= 0)) return Axis::automatic;
  double share = log_ ? std::log(value / low_) / std::log(high_ / low_) : (value - low_) / (high_ - low_);
  return share < -0.001 || share > 1.001 ? Axis::automatic : from_ + share * (to_ - from_);
}

std::vector<double> Scale::ticks(int wanted) const {
  std::vector<double> out;
  if (!log_) {
    double step = round_step(high_ - low_, wanted);
    for (double n = std::ceil(low_ / step - 1e-9); n <= high_ / step + 1e-9; n++) out.push_back(n * step);
    return out;
  }
  // Powers of ten, or of two when there are few, or round numbers between.
  double decades = std::log10(high_ / low_);
  for (const auto& factors : {std::vector<double>{1}, {1, 3}, {1, 2, 5}, {1, 1.5, 2, 3, 4, 5, 6, 8}}) {
    out.clear();
    int every = std::max(1, static_cast<int>(std::ceil(decades / wanted)));
    for (int power = static_cast<int>(std::floor(std::log10(low_))); power <= std::log10(high_) + 1e-9; power += every)
      for (double factor : factors)
        if (double value = factor * std::pow(10, power); value >= low_ * 0.999 && value <= high_ * 1.001)
          out.push_back(value);
    if (out.size() >= 3) break;
  }
  return out;
}

void draw_y_axis(Svg& svg, const Rect& plot, const std::string& title, const Axis& y, const Scale& up) {
  svg.text({plot.x, 20}, title, "bold");
  double widest = 0;
  for (double tick : up.ticks(5)) {
    svg.line({plot.x, up(tick)}, {plot.right(), up(tick)}, "line thin grid");
    svg.text({plot.x - 7, up(tick) + 4}, short_number(tick), "muted", Anchor::end);
    widest = std::max(widest, text_width(short_number(tick)));
  }
  if (!y.title.empty())
    svg.text({plot.x - widest - 18, plot.y + plot.height / 2}, y.title, "muted", Anchor::middle, -90);
}

void draw_x_axis(Svg& svg, const Rect& plot, const Axis& x, const Scale& across, const std::vector<double>& ticks) {
  for (double tick : ticks) {
    svg.line({across(tick), plot.bottom()}, {across(tick), plot.bottom() + 4}, "line thin muted");
    svg.text({across(tick), plot.bottom() + 18}, short_number(tick), "muted", Anchor::middle);
  }
  svg.line({plot.x, plot.bottom()}, {plot.right(), plot.bottom()}, "line thin muted");
  if (!x.title.empty()) svg.text({plot.x + plot.width / 2, plot.bottom() + 38}, x.title, "muted", Anchor::middle);
}

namespace {

// Places of the names of a legend, and its height.
std::vector<Point> legend_places(double width, const std::vector<std::string>& names, double& height) {
  std::vector<Point> places;
  Point at;
  height = names.empty() ? 0 : 30;
  for (const std::string& name : names) {
    double needed = 34 + text_width(name);
    if (at.x > 0 && at.x + needed > width) at = {0, at.y + 18}, height += 18;
    places.push_back(at);
    at.x += needed;
  }
  return places;
}

}  // namespace

double legend_height(double width, const std::vector<std::string>& names) {
  double height = 0;
  legend_places(width, names, height);
  return height;
}

void draw_legend(Svg& svg, Point at, double width, const std::vector<std::string>& names,
                 const std::vector<std::string>& styles) {
  double height = 0;
  std::vector<Point> places = legend_places(width, names, height);
  for (std::size_t i = 0; i < names.size(); i++) {
    Point place{at.x + places[i].x, at.y + places[i].y};
    svg.rect({place.x, place.y - 9, 10, 10}, "fill " + styles[i], {}, 2);
    svg.text({place.x + 15, place.y}, names[i], styles[i]);
  }
}

std::vector<double> spread(const std::vector<double>& wanted, double distance, double low, double high) {
  std::vector<std::size_t> order(wanted.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return wanted[a] < wanted[b]; });
  std::vector<double> out = wanted;
  double last = low - distance;
  for (std::size_t i : order) out[i] = last = std::max(wanted[i], last + distance);
  double ceiling = std::max(high, low + distance * (static_cast<double>(wanted.size()) - 1)) + distance;
  std::reverse(order.begin(), order.end());
  for (std::size_t i : order) out[i] = ceiling = std::min(out[i], ceiling - distance);
  return out;
}

std::vector<Rect> place_labels(const std::vector<Point>& points, const std::vector<double>& gaps,
                               const std::vector<Rect>& sizes, const Rect& area) {
  std::vector<Rect> placed, dots;
  for (std::size_t i = 0; i < points.size(); i++)
    dots.push_back({points[i].x - gaps[i], points[i].y - gaps[i], 2 * gaps[i], 2 * gaps[i]});
  for (std::size_t i = 0; i < points.size(); i++) {
    const double width = sizes[i].width, height = sizes[i].height;
    Rect best;
    double least = infinity;
    // Rings of places around the point; far ones cost, covered dots cost more, labels may never be covered.
    for (double far = 0; far < 4000 && least >= far; far += 10) {
      for (int direction = 0; direction < 16; direction++) {
        double angle = direction * std::acos(-1.0) / 8, cosine = std::cos(angle), sine = std::sin(angle);
        double reach = gaps[i] + 3 + far;
        Rect box{points[i].x + reach * cosine + (cosine - 1) * width / 2,
                 points[i].y + reach * sine + (sine - 1) * height / 2, width, height};
        if (std::any_of(placed.begin(), placed.end(), [&](const Rect& b) { return b.overlaps(box); })) continue;
        double cost = far + direction * 0.1;
        for (std::size_t j = 0; j < dots.size(); j++)
          if (j != i && dots[j].overlaps(box)) cost += 60;
        bool outside = box.x < area.x || box.y < area.y || box.right() > area.right() || box.bottom() > area.bottom();
        if (outside) cost += 1000;
        if (cost < least) least = cost, best = box;
      }
    }
    placed.push_back(best);
  }
  return placed;
}

void draw_labels(Svg& svg, const std::vector<std::string>& labels, const std::vector<Point>& points,
                 const std::vector<double>& gaps, const std::vector<std::string>& styles, const Rect& area) {
  std::vector<Rect> sizes;
  for (const std::string& label : labels) sizes.push_back({0, 0, text_width(label) + 2, 13});
  std::vector<Rect> boxes = place_labels(points, gaps, sizes, area);
  for (std::size_t i = 0; i < labels.size(); i++) {
    const Rect& box = boxes[i];
    Point near{std::clamp(points[i].x, box.x, box.right()), std::clamp(points[i].y, box.y, box.bottom())};
    double away = std::hypot(near.x - points[i].x, near.y - points[i].y);
    if (away > gaps[i] + 8) svg.line(points[i], near, "line thin " + styles[i], {.opacity = 0.6});
    svg.text({box.x + box.width / 2, box.y + 10.5}, labels[i], styles[i], Anchor::middle);
  }
}

void draw_nothing(Svg& svg, const Rect& plot) {
  svg.text({plot.x + plot.width / 2, plot.y + plot.height / 2}, "no data", "muted", Anchor::middle);
}

Families::Families(const std::vector<std::string>& families) {
  for (const std::string& family : families) {
    auto at = std::find(names.begin(), names.end(), family);
    of.push_back(static_cast<std::size_t>(at - names.begin()));
    if (at == names.end()) names.push_back(family);
  }
}

}  // namespace heed

// svg.hpp — a small writer of SVG: shapes with titles, text that stays text, the same bytes for the same calls.
//
// How a mark looks is said by names of its style, as "line c0": `fill` or `line`; a colour: c0 … c7 (apart for
// colour-blind readers too, see Okabe and Ito 2008), `muted`, `grid`, `page` (the background), `over` (text on a strong
// colour), else that of text; `thin`, `dashed`, `dotted`; for text `small` and `bold`. Every colour has a light and a
// dark form, chosen by the reader's `prefers-color-scheme`. No font is embedded: the reader's sans-serif is used.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace heed {

/// A place in a picture; x goes right, y goes down, both in pixels.
struct Point {
  double x = 0, y = 0;
};

/// A rectangle of a picture.
struct Rect {
  double x = 0, y = 0, width = 0, height = 0;
  double right() const { return x + width; }
  double bottom() const { return y + height; }
  /// Says whether the two share more than a border.
  bool overlaps(const Rect& other) const {
    return x < other.right() && other.x < right() && y < other.bottom() && other.y < bottom();
  }
};

/// What any mark may have beside its place and style.
struct Mark {
  std::string title = {};  ///< shown when a reader points at the mark
  double opacity = 1;      ///< of fill and line
};

/// Where a text's place is on its line.
enum class Anchor { start, middle, end };

/// Returns the style's name of the colour of series number `index`: c0 … c7, then again from c0.
std::string colour(std::size_t index);

/// Returns `value` as `%.2f` without needless zeros and never as "-0", whatever the locale; "nan" and "inf" as such.
std::string number_text(double value);

/// Returns `value` with exactly `decimals` digits after the point, nothing as "-0".
std::string fixed_number(double value, int decimals);

/// Returns `value` with up to `digits` significant digits, as "0.001", "1500" or "2e6".
std::string short_number(double value, int digits = 4);

/// Returns `text` with &, <, >, quotes and characters that XML forbids replaced.
std::string escape_xml(std::string_view text);

/// Returns about how wide `text` is in pixels, for a font of 12 pixels; Chinese characters count twice.
double text_width(std::string_view text);

/// Returns `text`, cut with "…" when it is wider than `width` pixels.
std::string fitted(std::string_view text, double width);

/// A picture that grows mark by mark; what comes later lies on top.
class Svg {
 public:
  /// A picture of width × height pixels; `title` says what it is to those who cannot see it.
  Svg(double width, double height, const std::string& title);
  void rect(const Rect& box, const std::string& style, const Mark& mark = {}, double radius = 0);
  void circle(Point centre, double radius, const std::string& style, const Mark& mark = {});
  void line(Point from, Point to, const std::string& style, const Mark& mark = {});
  /// Straight lines from point to point; points that are not finite break the line.
  void lines(const std::vector<Point>& points, const std::string& style, const Mark& mark = {});
  /// Any path in SVG's own words.
  void path(const std::string& d, const std::string& style, const Mark& mark = {});
  /// One line of text on the base line at `at`, turned by `turn` degrees about it.
  void text(Point at, std::string_view text, const std::string& style = {}, Anchor anchor = Anchor::start,
            double turn = 0);
  /// The whole file, ending with a newline.
  std::string str() const;

 private:
  void element(const std::string& name, const std::string& attributes, const std::string& style, const Mark& mark);
  std::string head_, body_;
};

/// Pictures of Svg in rows, as one picture. Throws Error for what is no picture of Svg.
std::string picture_grid(const std::vector<std::vector<std::string>>& rows, const std::string& title);

}  // namespace heed

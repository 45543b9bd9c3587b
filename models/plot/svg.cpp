#include "models/plot/svg.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "models/data/utf8.hpp"
#include "tensor/error.hpp"

namespace heed {

namespace {

// Light colours have a contrast of 3 and more to white, dark ones to #16181c.
constexpr const char* style_sheet = R"(<style>
.heed{color:#1f2328;font:12px sans-serif}
.heed text{fill:currentColor}
.heed .small{font-size:10px}.heed .bold{font-weight:bold}
.heed .fill{fill:currentColor}.heed .line{fill:none;stroke:currentColor;stroke-width:1.8;stroke-linejoin:round}
.heed .thin{stroke-width:1}.heed .dashed{stroke-dasharray:6 3}.heed .dotted{stroke-dasharray:1.5 3}
.heed .page{color:#fff}.heed .over{color:#fff}.heed .muted{color:#656d76}.heed .grid{color:#e1e4e8}
.heed .c0{color:#0072b2}.heed .c1{color:#d55e00}.heed .c2{color:#008f68}.heed .c3{color:#b3599a}
.heed .c4{color:#a77700}.heed .c5{color:#2f93cc}.heed .c6{color:#6a5acd}.heed .c7{color:#6b6b6b}
@media (prefers-color-scheme:dark){
.heed{color:#e6e8eb}
.heed .page{color:#16181c}.heed .over{color:#101215}.heed .muted{color:#9aa3ad}.heed .grid{color:#32363d}
.heed .c0{color:#4aa8e8}.heed .c1{color:#ff8a3c}.heed .c2{color:#2fc79a}.heed .c3{color:#e08fc8}
.heed .c4{color:#e6b12e}.heed .c5{color:#8fd0f5}.heed .c6{color:#a99cf5}.heed .c7{color:#b5b5b5}
}
</style>
)";

std::string attribute(const char* name, const std::string& value) {
  return std::string(" ") + name + "=\"" + value + '"';
}
std::string attribute(const char* name, double value) { return attribute(name, number_text(value)); }

std::string formatted(double value, std::chars_format format, int precision) {
  std::array<char, 400> text{};  // the greatest double has 309 digits
  auto [end, error] = std::to_chars(text.data(), text.data() + text.size(), value, format, precision);
  return {text.data(), end};
}

void drop_zeros(std::string& text) {
  if (text.find('.') == std::string::npos) return;
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
}

}  // namespace

std::string colour(std::size_t index) { return std::string("c") + std::to_string(index % 8); }

std::string number_text(double value) {
  if (!std::isfinite(value)) return std::isnan(value) ? "nan" : value > 0 ? "inf" : "-inf";
  std::string text = fixed_number(value, 2);
  drop_zeros(text);
  return text;
}

std::string fixed_number(double value, int decimals) {
  std::string text = formatted(value, std::chars_format::fixed, decimals);
  const bool nothing = text.find_first_not_of("-0.") == std::string::npos;
  return nothing && text.front() == '-' ? text.substr(1) : text;
}

std::string short_number(double value, int digits) {
  if (!std::isfinite(value) || value == 0) return number_text(value);
  double size = std::fabs(value);
  if (size >= 1e-4 && size < 1e6) {
    int whole = static_cast<int>(std::floor(std::log10(size))) + 1;
    std::string text = formatted(value, std::chars_format::fixed, std::max(0, digits - whole));
    drop_zeros(text);
    return text;
  }
  std::string text = formatted(value, std::chars_format::scientific, digits - 1);
  std::size_t e = text.find('e');
  std::string mantissa = text.substr(0, e);
  drop_zeros(mantissa);
  return mantissa + "e" + std::to_string(std::stoi(text.substr(e + 1)));
}

std::string escape_xml(std::string_view text) {
  std::string out;
  for (char32_t point : decode(text)) {
    if (point == U'&') {
      out += "&amp;";
    } else if (point == U'<') {
      out += "&lt;";
    } else if (point == U'>') {
      out += "&gt;";
    } else if (point == U'"') {
      out += "&quot;";
    } else if (point == U'\t' || point == U'\n' || point == U'\r') {
      out += ' ';
    } else {
      bool forbidden = point < 0x20 || point == 0xFFFE || point == 0xFFFF;
      out += encode(std::u32string(1, forbidden ? char32_t{0xFFFD} : point));
    }
  }
  return out;
}

double text_width(std::string_view text) { return 6.6 * static_cast<double>(display_width(text)); }

std::string fitted(std::string_view text, double width) {
  if (text_width(text) <= width) return std::string(text);
  std::u32string points = decode(text);
  while (!points.empty() && text_width(encode(points) + "…") > width) points.pop_back();
  return encode(points) + "…";
}

Svg::Svg(double width, double height, const std::string& title) {
  std::string size = number_text(width) + ' ' + number_text(height);
  head_ = "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"heed\" role=\"img\"" +
          attribute("viewBox", "0 0 " + size) + attribute("width", width) + attribute("height", height) + ">\n<title>" +
          escape_xml(title) + "</title>\n";
  rect({0, 0, width, height}, "fill page");
}

void Svg::element(const std::string& name, const std::string& attributes, const std::string& style, const Mark& mark) {
  body_ += '<' + name + attributes + attribute("class", style);
  if (mark.opacity < 1) body_ += attribute("opacity", mark.opacity);
  body_ += mark.title.empty() ? "/>\n" : "><title>" + escape_xml(mark.title) + "</title></" + name + ">\n";
}

void Svg::rect(const Rect& box, const std::string& style, const Mark& mark, double radius) {
  element("rect",
          attribute("x", box.x) + attribute("y", box.y) + attribute("width", box.width) +
              attribute("height", box.height) + (radius > 0 ? attribute("rx", radius) : ""),
          style, mark);
}

void Svg::circle(Point centre, double radius, const std::string& style, const Mark& mark) {
  element("circle", attribute("cx", centre.x) + attribute("cy", centre.y) + attribute("r", radius), style, mark);
}

void Svg::line(Point from, Point to, const std::string& style, const Mark& mark) { lines({from, to}, style, mark); }

void Svg::lines(const std::vector<Point>& points, const std::string& style, const Mark& mark) {
  std::string d;
  bool broken = true;
  for (const Point& p : points) {
    bool finite = std::isfinite(p.x) && std::isfinite(p.y);
    if (finite) d += (broken ? 'M' : 'L') + number_text(p.x) + ' ' + number_text(p.y);
    broken = !finite;
  }
  if (!d.empty()) path(d, style, mark);
}

void Svg::path(const std::string& d, const std::string& style, const Mark& mark) {
  element("path", attribute("d", d), style, mark);
}

void Svg::text(Point at, std::string_view text, const std::string& style, Anchor anchor, double turn) {
  body_ += "<text" + attribute("x", at.x) + attribute("y", at.y);
  if (!style.empty()) body_ += attribute("class", style);
  if (anchor != Anchor::start) body_ += attribute("text-anchor", anchor == Anchor::middle ? "middle" : "end");
  if (turn != 0)
    body_ +=
        attribute("transform", "rotate(" + number_text(turn) + ' ' + number_text(at.x) + ' ' + number_text(at.y) + ')');
  body_ += '>' + escape_xml(text) + "</text>\n";
}

std::string Svg::str() const { return head_ + style_sheet + body_ + "</svg>\n"; }

std::string picture_grid(const std::vector<std::vector<std::string>>& rows, const std::string& title) {
  auto size = [](const std::string& picture, const char* name) {
    const std::size_t at = picture.find(name);
    check(picture.starts_with("<svg ") && at < picture.find('>'), "picture_grid", "got what is no picture of Svg");
    return std::stod(picture.substr(at + std::string_view(name).size()));
  };
  std::string inside;
  double width = 0, y = 0;
  for (const auto& row : rows) {
    double x = 0, height = 0;
    for (const std::string& picture : row) {
      inside += "<svg" + attribute("x", x) + attribute("y", y) + picture.substr(4);
      x += size(picture, " width=\"");
      height = std::max(height, size(picture, " height=\""));
    }
    width = std::max(width, x);
    y += height;
  }
  std::string text = Svg(width, y, title).str();
  return text.insert(text.rfind("</svg>"), inside);
}

}  // namespace heed

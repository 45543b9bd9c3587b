// Tests of models/plot/charts.hpp and frame.hpp.
#include "models/plot/charts.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <functional>

#include "models/plot/frame.hpp"
#include "tensor/error.hpp"
#include "tensor/rng.hpp"
#include "tests/models/plot.hpp"

using namespace heed;
using namespace heed::testing;

namespace {

constexpr double none = Axis::automatic, infinite = std::numeric_limits<double>::infinity();

struct Picture {
  const char* name;
  std::function<std::string()> draw;
};

// Each chart with awkward text and numbers, and each without data.
const std::vector<Picture> awkward = {
    {"line",
     [] {
       return line_chart({"<t> & \"词\"",
                          {.log = true},
                          {"y", true},
                          {{"a<b", {1, 2, 0, none}, {3, infinite, 1, 4}}, {"", {}, {}}},
                          true});
     }},
    {"scatter",
     [] {
       return scatter_chart(
           {"t", {}, {}, {{"名", {1, 1, none}, {2, 2, 2}, {"&x", "&x", "z"}}, {"n", {5}, {-infinite}}}});
     }},
    {"bars",
     [] {
       return bar_chart({"t", {"%"}, {"<g>", "h"}, {{"s&", {-1, none}}, {"u", {1e300, 2}}}});
     }},
    {"heat",
     [] {
       return heat_map({"t", {"<r>", "s"}, {"&c", "d", "e"}, {{1, none, -2}, {infinite, 0, 1e-9}}, "r", "c", 1});
     }},
    {"attention",
     [] {
       return attention_matrix({"t", {"我", "<"}, {"我", "&"}, {{1, none}, {0.5, 0.5}}});
     }},
    {"bubbles",
     [] {
       return bubble_chart(
           {"t", {"x", true}, {}, "<MB>", {{"a&", "f", 1, 2, 3}, {"b", "g", -1, 2, 3}, {"c", "f", 9, 9, none}}});
     }},
    {"graph",
     [] {
       return graph_picture({"t", {{{"<a>", "1"}, "x"}, {{"b"}, "y"}, {}}, {{0, 1, "&"}, {1, 2}, {0, 2}}});
     }},
    {"no line", [] { return line_chart({"t"}); }},
    {"no point", [] { return scatter_chart({"t"}); }},
    {"no bar", [] { return bar_chart({"t"}); }},
    {"no cell", [] { return heat_map({"t"}); }},
    {"no token", [] { return attention_matrix({"t"}); }},
    {"no bubble", [] { return bubble_chart({"t"}); }},
    {"no node", [] { return graph_picture({"t"}); }}};

// All values of an attribute in a file.
std::vector<double> attribute_values(const std::string& svg, const std::string& name) {
  std::vector<double> out;
  const std::string key = ' ' + name + "=\"";
  for (std::size_t at = svg.find(key); at != std::string::npos; at = svg.find(key, at + 1))
    out.push_back(std::stod(svg.substr(at + key.size())));
  return out;
}

}  // namespace

TEST_CASE("charts: well-formed and the same bytes again, whatever the numbers and the text") {
  for (const Picture& picture : awkward) {
    CAPTURE(picture.name);
    const std::string svg = picture.draw();
    CHECK(xml_fault(svg) == "");
    CHECK(svg == picture.draw());
    CHECK(svg.find("\"nan") == std::string::npos);
    CHECK(svg.find("inf\"") == std::string::npos);
    CHECK((svg.find("no data") != std::string::npos) == (std::string(picture.name).rfind("no ", 0) == 0));
  }
}

TEST_CASE("charts: a line goes through its points, on a logarithmic axis at equal distances for equal factors") {
  const std::string svg = line_chart({"t", {.log = true}, {}, {{"s", {1, 10, 100}, {0, 5, 10}}}, true});
  const std::vector<double> x = attribute_values(svg, "cx"), y = attribute_values(svg, "cy");
  REQUIRE(x.size() == 3);
  CHECK(x[1] - x[0] == doctest::Approx(x[2] - x[1]));
  CHECK(y[0] - y[1] == doctest::Approx(y[1] - y[2]));
  CHECK(y[0] > y[2]);
}

TEST_CASE("charts: bars begin at zero and are as long as their numbers say") {
  const std::string svg = bar_chart({"t", {}, {"a", "b", "c"}, {{"s", {50, 100, 25}}}});
  const std::vector<double> all = attribute_values(svg, "height");
  REQUIRE(all.size() >= 3);
  const std::vector<double> bars(all.end() - 3, all.end());
  CHECK(bars[1] == doctest::Approx(2 * bars[0]).epsilon(1e-3));
  CHECK(bars[0] == doctest::Approx(2 * bars[2]).epsilon(1e-3));
}

TEST_CASE("charts: shades are shares of the greatest number, weights are themselves, and cells outside stay marked") {
  std::string svg = heat_map({"t", {"r"}, {"a", "b"}, {{5, -10}}});
  CHECK(svg.find("class=\"fill c0\" opacity=\"0.5\"><title>r, a: 5<") != std::string::npos);
  CHECK(svg.find("class=\"fill c1\"><title>r, b: -10<") != std::string::npos);
  svg = attention_matrix({"t", {"I"}, {"I", "saw"}, {{0.25, none}}});
  CHECK(svg.find("opacity=\"0.25\"><title>I → I: 0.2500<") != std::string::npos);
  CHECK(svg.find("<title>I → saw: not kept<") != std::string::npos);
}

TEST_CASE("charts: ticks are round and inside") {
  const Scale linear({}, {0.13, 9.7}, 0, 100);
  CHECK(linear.ticks(5) == std::vector<double>{0, 2, 4, 6, 8, 10});
  const Scale log({.log = true}, {1, 1e6}, 0, 100);
  CHECK(log.ticks(6).size() == 7);
  CHECK(log(1000) == doctest::Approx(50));
  CHECK(std::isnan(log(0)));
  const Scale same({}, {3, 3}, 0, 100);
  CHECK(same(3) == doctest::Approx(50).epsilon(0.3));
}

TEST_CASE("charts: labels never cover each other, however close their points") {
  Rng rng(7);
  for (int trial = 0; trial < 20; trial++) {
    std::vector<Point> points;
    std::vector<Rect> sizes;
    const double room = trial % 2 ? 20 : 400;  // a heap, or a page
    for (int i = 0; i < 40; i++) {
      points.push_back({100 + room * rng.uniform(), 100 + room * rng.uniform()});
      sizes.push_back({0, 0, 20 + 80 * rng.uniform(), 13});
    }
    const std::vector<Rect> placed = place_labels(points, std::vector<double>(40, 5), sizes, {0, 0, 640, 480});
    for (std::size_t i = 0; i < placed.size(); i++)
      for (std::size_t j = 0; j < i; j++) CHECK_FALSE(placed[i].overlaps(placed[j]));
  }
}

TEST_CASE("charts: names at the end of lines keep apart, in the order of their lines") {
  const std::vector<double> out = spread({10, 10, 11, 95, 96}, 14, 0, 100);
  CHECK(out[0] < out[1]);
  for (std::size_t i = 1; i < out.size(); i++) CHECK(out[i] - out[i - 1] >= 14 - 1e-9);
  CHECK(out.back() <= 100);
  CHECK(out.front() >= 0);
}

TEST_CASE("charts: nodes of a graph stand below those that lead to them") {
  const std::string svg = graph_picture({"", {{{"a"}}, {{"b"}}, {{"c"}}, {{"d"}}}, {{0, 1}, {1, 2}, {0, 2}, {3, 2}}});
  std::vector<double> y = attribute_values(svg, "y");
  // The four labels are the last of each node's marks: rect, rect, rect, text.
  REQUIRE(y.size() >= 16);
  y.erase(y.begin(), y.end() - 16);
  const double a = y[3], b = y[7], c = y[11], d = y[15];
  CHECK(a < b);
  CHECK(b < c);
  CHECK(d == b);  // right above what it leads to
}

TEST_CASE("charts: lists that do not fit are named") {
  CHECK_THROWS_WITH_AS(line_chart({"t", {}, {}, {{"s", {1, 2}, {1}}}}),
                       "heed: line_chart: series s: got 2 x and 1 y, expected as many", Error);
  CHECK_THROWS_WITH_AS(bar_chart({"t", {}, {"g"}, {{"s", {1, 2}}}}),
                       "heed: bar_chart: series s: got 2 values, expected one for each of 1 groups", Error);
  CHECK_THROWS_AS(heat_map({"t", {"r"}, {"c"}, {{1, 2}}}), Error);
  CHECK_THROWS_AS(attention_matrix({"t", {"q"}, {"k"}, {}}), Error);
  CHECK_THROWS_AS(scatter_chart({"t", {}, {}, {{"s", {1}, {1}, {"a", "b"}}}}), Error);
  CHECK_THROWS_AS(graph_picture({"t", {{{"a"}}}, {{0, 1}}}), Error);
  CHECK_THROWS_AS(graph_picture({"t", {{{"a"}}, {{"b"}}}, {{0, 1}, {1, 0}}}), Error);
}

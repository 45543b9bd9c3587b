// Tests of models/plot/svg.hpp.
#include "models/plot/svg.hpp"

#include <doctest/doctest.h>

#include <limits>

#include "tests/models/plot.hpp"

using namespace heed;
using namespace heed::testing;

TEST_CASE("svg: numbers have a fixed form") {
  CHECK(number_text(1.0 / 3) == "0.33");
  CHECK(number_text(2.5) == "2.5");
  CHECK(number_text(1200) == "1200");
  CHECK(number_text(-0.001) == "0");
  CHECK(number_text(std::numeric_limits<double>::quiet_NaN()) == "nan");
  CHECK(number_text(-std::numeric_limits<double>::infinity()) == "-inf");
  CHECK(number_text(std::numeric_limits<double>::max()).size() == 309);
  CHECK(fixed_number(2.0 / 3, 3) == "0.667");
  CHECK(fixed_number(-0.00001, 2) == "0.00");
  CHECK(fixed_number(-10, 0) == "-10");
  CHECK(short_number(0.1 + 0.2) == "0.3");
  CHECK(short_number(65536) == "65536");
  CHECK(short_number(1234.5678, 6) == "1234.57");
  CHECK(short_number(2e6) == "2e6");
  CHECK(short_number(-1.5e-7) == "-1.5e-7");
  CHECK(short_number(0) == "0");
}

TEST_CASE("svg: text is escaped, and what XML forbids is replaced") {
  CHECK(escape_xml("a<b & \"c\" > d") == "a&lt;b &amp; &quot;c&quot; &gt; d");
  CHECK(escape_xml("词性 é 🙂") == "词性 é 🙂");
  CHECK(escape_xml(std::string_view("\0\x1b\xff", 3)) == "���");
  CHECK(escape_xml("a\tb\nc") == "a b c");
}

TEST_CASE("svg: width of text counts Chinese characters twice, and long text is cut") {
  CHECK(text_width("词") == text_width("ab"));
  CHECK(fitted("short", 100) == "short");
  CHECK(fitted("a rather long label", 50) == "a rath…");
  CHECK(text_width(fitted("一个相当长的标签", 50)) <= 50);
}

TEST_CASE("svg: a picture is well-formed, has titles, both colour schemes and no font of its own") {
  Svg svg(100, 50, "a & b");
  svg.rect({1, 2, 3, 4}, "fill c0", {.title = "<one>", .opacity = 0.5}, 2);
  svg.circle({5, 6}, 2, "fill c1");
  svg.line({0, 0}, {9, 9}, "line");
  svg.text({1, 1}, "词 <性>", "bold", Anchor::middle, -45);
  const std::string file = svg.str();
  CAPTURE(file);
  CHECK(xml_fault(file) == "");
  CHECK(file.find("<title>a &amp; b</title>") != std::string::npos);
  CHECK(file.find("<title>&lt;one&gt;</title>") != std::string::npos);
  CHECK(file.find("prefers-color-scheme:dark") != std::string::npos);
  CHECK(file.find("@font-face") == std::string::npos);
  CHECK(file.find("词 &lt;性&gt;</text>") != std::string::npos);
  CHECK(file.back() == '\n');
}

TEST_CASE("svg: lines break where a point is missing") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  Svg svg(10, 10, "");
  svg.lines({{0, 0}, {1, 1}, {2, nan}, {3, 3}, {4, 4}}, "line");
  svg.lines({{nan, 0}}, "line");
  CHECK(svg.str().find("d=\"M0 0L1 1M3 3L4 4\"") != std::string::npos);
  CHECK(occurrences(svg.str(), "<path") == 1);
}

TEST_CASE("svg: the check of XML finds faults") {
  CHECK(xml_fault("<a><b/></a>") == "");
  CHECK(xml_fault("<a><b></a></b>") != "");
  CHECK(xml_fault("<a>&</a>") != "");
  CHECK(xml_fault("<a t=\"&x\"/>") != "");
  CHECK(xml_fault("<a t=\"<\"/>") != "");
  CHECK(xml_fault("<a>") != "");
  CHECK(xml_fault("<a/><b/>") != "");
}

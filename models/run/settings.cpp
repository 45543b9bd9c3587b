#include "models/run/settings.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <sstream>

namespace HEED_NAMESPACE {

namespace {
std::string shortest(double x) {
  std::ostringstream text;
  text << x;
  return text.str();
}

// NaN when the text is no number.
double parsed(const std::string& text) {
  double x = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), x);
  return error == std::errc() && end == text.data() + text.size() ? x : std::nan("");
}
}  // namespace

Setting share(const char* name, double value, const char* help) {
  return {name, shortest(value), help, Setting::Form::number, 0, 0.99};
}

Settings Settings::with(const Settings& others) const {
  Settings all = *this;
  all.list_.insert(all.list_.end(), others.list_.begin(), others.list_.end());
  return all;
}

const Setting& Settings::find(const std::string& name) const {
  auto it = std::find_if(list_.begin(), list_.end(), [&](const Setting& s) { return s.name == name; });
  check(it != list_.end(), "settings", "there is no ", name);
  return *it;
}

double Settings::number(const std::string& name) const { return parsed(find(name).value); }

void Settings::set(const std::string& name, const std::string& value) {
  const Setting& s = find(name);
  if (s.form == Setting::Form::word) {
    std::string all;
    for (const std::string& word : s.words) all += (all.empty() ? "" : ", ") + word;
    check(std::find(s.words.begin(), s.words.end(), value) != s.words.end(), name.c_str(), "got ", value,
          ", expected one of ", all);
  } else if (s.form != Setting::Form::text) {
    double x = parsed(value);
    check(x >= s.low && x <= s.high && (s.form == Setting::Form::number || x == std::floor(x)), name.c_str(), "got ",
          value, ", expected a ", s.form == Setting::Form::whole ? "whole " : "", "number from ", s.low, " to ",
          s.high);
  }
  const_cast<Setting&>(s).value = value;
}

}  // namespace HEED_NAMESPACE

#include "models/data/listops.hpp"

#include <algorithm>
#include <numeric>

namespace HEED_NAMESPACE {

namespace {

constexpr int first_operator = 11, closing = 15;  // after padding and ten digits

int apply(int symbol, std::vector<int>& values) {
  check(!values.empty(), "listops_value", listops_operators[static_cast<std::size_t>(symbol - first_operator)],
        " of nothing");
  std::sort(values.begin(), values.end());
  switch (symbol - first_operator) {
    case 0:
      return values.front();
    case 1:
      return values.back();
    case 2:
      return (values[(values.size() - 1) / 2] + values[values.size() / 2]) / 2;
    default:
      return std::accumulate(values.begin(), values.end(), 0) % 10;
  }
}

}  // namespace

ExampleSet listops_set() {
  ExampleSet set;
  for (char digit = '0'; digit <= '9'; digit++) set.classes.emplace_back(1, digit);
  set.names = {"<pad>"};
  set.names.insert(set.names.end(), set.classes.begin(), set.classes.end());
  set.names.insert(set.names.end(), listops_operators.begin(), listops_operators.end());
  set.names.emplace_back("]");
  set.symbols = static_cast<Size>(set.names.size());
  return set;
}

std::vector<int> listops_symbols(std::string_view text) {
  static const std::vector<std::string> names = listops_set().names;
  std::vector<int> symbols;
  while (!text.empty()) {
    std::string_view token = text.substr(0, text.find(' '));
    text.remove_prefix(std::min(token.size() + 1, text.size()));
    if (token.empty() || token == "(" || token == ")") continue;
    auto found = std::find(names.begin() + 1, names.end(), token);
    check(found != names.end(), "listops_symbols", "\"", token.substr(0, 20), "\" is no token");
    symbols.push_back(static_cast<int>(found - names.begin()));
  }
  return symbols;
}

int listops_value(const std::vector<int>& symbols) {
  std::vector<std::vector<int>> open = {{}};  // values so far, of each expression around
  std::vector<int> operators;
  for (int symbol : symbols) {
    if (symbol >= first_operator && symbol < closing) {
      operators.push_back(symbol);
      open.emplace_back();
    } else if (symbol == closing) {
      check(!operators.empty(), "listops_value", "\"]\" closes nothing");
      int value = apply(operators.back(), open.back());
      operators.pop_back(), open.pop_back();
      open.back().push_back(value);
    } else {
      check(symbol > 0 && symbol < first_operator, "listops_value", "symbol ", symbol);
      open.back().push_back(symbol - 1);
    }
  }
  check(operators.empty() && open[0].size() == 1, "listops_value", "expected one expression, with all brackets closed");
  return open[0][0];
}

}  // namespace HEED_NAMESPACE

// table.hpp — tables in CSV: numbers and, in the last column, a label.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "models/data/input.hpp"

namespace heed {

/// Whether a first line holds names of columns, not values: it does not start as a number does.
inline bool is_header(std::string_view line) { return line.find_first_of("0123456789.+-") != 0; }

/// Calls f with the numbers and the label of each line, as each_line() does, but for a header. There is no quoting.
inline void each_row(const std::string& path,
                     const std::function<void(std::vector<float> numbers, std::string_view label)>& f) {
  each_line(path, [&](std::string_view line, std::size_t number) {
    if (number == 1 && is_header(line)) return;
    std::vector<float> numbers;
    while (line.find(',') != line.npos) numbers.push_back(read_number(take_cell(line, ','), "column"));
    f(std::move(numbers), line);
  });
}

}  // namespace heed

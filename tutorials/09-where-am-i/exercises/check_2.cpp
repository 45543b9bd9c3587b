#include <doctest/doctest.h>

#include <cmath>

#include EXERCISE

TEST_CASE("09.2: sinusoidal positions turn") {
  for (std::size_t dim : {std::size_t(2), std::size_t(8), std::size_t(32)}) {
    auto position = [&](int i) {
      std::vector<double> e;
      for (std::size_t c = 0; c < dim; c += 2) {
        double angle = i / std::pow(10000, static_cast<double>(c) / static_cast<double>(dim));
        e.push_back(std::sin(angle)), e.push_back(std::cos(angle));
      }
      return e;
    };
    for (int i : {0, 3, 50})
      for (int distance : {-5, 1, 12}) {
        std::vector<double> found = moved(position(i), distance), wanted = position(i + distance);
        REQUIRE(found.size() == dim);
        for (std::size_t c = 0; c < dim; c++) CHECK(std::abs(found[c] - wanted[c]) < 1e-9);
      }
  }
}

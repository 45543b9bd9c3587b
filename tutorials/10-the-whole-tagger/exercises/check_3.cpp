#include <doctest/doctest.h>

#include EXERCISE

TEST_CASE("10.3: clipping by the norm of all gradients together") {
  using Arrays = std::vector<std::vector<double>>;
  Arrays gradients{{3, 0}, {0, 4}};
  CHECK(clip(gradients, 10) == doctest::Approx(5));
  CHECK(gradients == Arrays{{3, 0}, {0, 4}});
  CHECK(clip(gradients, 1) == doctest::Approx(5));
  REQUIRE(gradients.size() == 2);
  CHECK(gradients[0][0] == doctest::Approx(0.6));
  CHECK(gradients[0][1] == doctest::Approx(0));
  CHECK(gradients[1][1] == doctest::Approx(0.8));
  Arrays zeros{{0, 0}};
  CHECK(clip(zeros, 1) == doctest::Approx(0));
  CHECK(zeros == Arrays{{0, 0}});
}

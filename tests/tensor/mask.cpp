// Tests of tensor/mask.cpp: true means keep.
#include "tensor/mask.hpp"

#include "tests/check.hpp"

using namespace heed;
using namespace heed::testing;

namespace {
using Cells = std::vector<std::uint8_t>;
Cells cells(const Mask& mask) {
  Cells out;
  for (Size i = 0; i < mask.numel(); i++) out.push_back(mask[i]);
  return out;
}
}  // namespace

TEST_CASE("mask: values") {
  Mask none, m({2, 2}, {1, 0, 0, 7});
  CHECK_FALSE(none.defined());
  CHECK(none.data() == nullptr);
  CHECK(m.defined());
  CHECK(m.shape() == Shape{2, 2});
  CHECK(m.numel() == 4);
  CHECK(m.count() == 2);
  CHECK(m[0]);
  CHECK_FALSE(m[1]);
  CHECK(m[3]);
  CHECK(m.reshape({4}).shape() == Shape{4});
  CHECK(cells(m.reshape({4})) == Cells{1, 0, 0, 1});
  CHECK(m.shape() == Shape{2, 2});
}

TEST_CASE("mask: and, or, not, with broadcasting") {
  Mask rows({2, 1}, {1, 0}), columns({3}, {1, 0, 1}), none;
  CHECK((rows & columns).shape() == Shape{2, 3});
  CHECK(cells(rows & columns) == Cells{1, 0, 1, 0, 0, 0});
  CHECK(cells(columns & rows) == Cells{1, 0, 1, 0, 0, 0});
  CHECK(cells(rows | columns) == Cells{1, 1, 1, 1, 0, 1});
  CHECK(cells(!columns) == Cells{0, 1, 0});
  CHECK(cells(!!columns) == cells(columns));
  CHECK(cells(!(rows & columns)) == cells((!rows) | (!columns)));
  CHECK(cells(!Mask({1}, {5})) == Cells{0});
  // An undefined mask keeps everything.
  CHECK(cells(none & columns) == cells(columns));
  CHECK(cells(columns & none) == cells(columns));
  CHECK_FALSE((none & none).defined());
  CHECK_FALSE((none | columns).defined());
  CHECK_FALSE((columns | none).defined());
  CHECK((Mask({0}, {}) & columns.reshape({3, 1})).shape() == Shape{3, 0});
}

TEST_CASE("mask: causal, the last query sees every key") {
  CHECK(cells(causal_mask(3, 3)) == Cells{1, 0, 0, 1, 1, 0, 1, 1, 1});
  CHECK(cells(causal_mask(2, 4)) == Cells{1, 1, 1, 0, 1, 1, 1, 1});
  CHECK(cells(causal_mask(3, 2)) == Cells{0, 0, 1, 0, 1, 1});
  CHECK(cells(causal_mask(4, 1)) == Cells{0, 0, 0, 1});
  CHECK(cells(causal_mask(1, 1)) == Cells{1});
  CHECK(causal_mask(0, 3).shape() == Shape{0, 3});
  CHECK(causal_mask(3, 0).numel() == 0);
  for (Size queries = 1; queries < 7; queries++)
    for (Size keys = 1; keys < 7; keys++) {
      Mask mask = causal_mask(queries, keys);
      for (Size i = 0; i < queries; i++)
        for (Size j = 0; j < keys; j++) CHECK(mask[i * keys + j] == (j <= i + keys - queries));
    }
}

TEST_CASE("mask: padding") {
  CHECK(cells(padding_mask(std::vector<int>{2, 0, 3}, 3)) == Cells{1, 1, 0, 0, 0, 0, 1, 1, 1});
  CHECK(padding_mask(std::vector<int>{2, 0, 3}, 3).shape() == Shape{3, 3});
  CHECK(padding_mask(std::vector<int>{}, 3).shape() == Shape{0, 3});
}

TEST_CASE("mask: errors") {
  Mask m({2}, {1, 0});
  CHECK_THROWS_WITH(Mask({2, 2}, {1, 0}), "heed: Mask: shape (2, 2) needs 4 values, got 2");
  CHECK_THROWS_WITH(m.reshape({3}), "heed: Mask::reshape: (2) does not hold as many cells as (3)");
  CHECK_THROWS_WITH(m & Mask({3}, {1, 1, 1}), "heed: Mask &: shapes do not broadcast: (2) and (3)");
  CHECK_THROWS_WITH(m | Mask({3}, {1, 1, 1}), "heed: Mask |: shapes do not broadcast: (2) and (3)");
  CHECK_THROWS_WITH(!Mask(), "heed: Mask !: an undefined mask keeps everything; its opposite has no shape");
  CHECK_THROWS_WITH(padding_mask(std::vector<int>{1, 4}, 3), "heed: padding_mask: length 4 of row 1 is outside 0 to 3");
  CHECK_THROWS_WITH(padding_mask(std::vector<int>{-1}, 3), "heed: padding_mask: length -1 of row 0 is outside 0 to 3");
}

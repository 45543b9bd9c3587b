// Tests of tensor/shape.cpp and tensor/error.hpp.
#include "tensor/shape.hpp"

#include "tests/check.hpp"

using namespace heed;
using namespace heed::testing;

TEST_CASE("shape: sizes, axes, numel, text") {
  Shape none, s{2, 3, 4};
  CHECK(none.rank() == 0);
  CHECK(none.numel() == 1);
  CHECK(none.str() == "()");
  CHECK(s.rank() == 3);
  CHECK(s.numel() == 24);
  CHECK(s.str() == "(2, 3, 4)");
  CHECK(Shape{7}.str() == "(7)");
  CHECK(Shape{2, 0, 4}.numel() == 0);
  CHECK(s[0] == 2);
  CHECK(s[-1] == 4);
  CHECK(s[-3] == 2);
  CHECK(s.axis(-2) == 1);
  s[-1] = 5;
  CHECK(s == Shape{2, 3, 5});
  CHECK_FALSE(s == Shape{2, 3});
  CHECK_FALSE(Shape{1} == Shape{});
  std::ostringstream out;
  out << s;
  CHECK(out.str() == "(2, 3, 5)");
  CHECK(Shape{1, 2, 3, 4, 5, 6, 7, 8}.numel() == 40320);
}

TEST_CASE("shape: insert, erase, with, strides") {
  Shape s{2, 3};
  CHECK(s.insert(0, 7) == Shape{7, 2, 3});
  CHECK(s.insert(1, 7) == Shape{2, 7, 3});
  CHECK(s.insert(2, 7) == Shape{2, 3, 7});
  CHECK(s.insert(-1, 7) == Shape{2, 3, 7});
  CHECK(s.insert(-3, 7) == Shape{7, 2, 3});
  CHECK(Shape{}.insert(0, 4) == Shape{4});
  CHECK(s.erase(0) == Shape{3});
  CHECK(s.erase(-1) == Shape{2});
  CHECK(s.with(-1, 9) == Shape{2, 9});
  CHECK(s == Shape{2, 3});
  CHECK(Shape{2, 3, 4}.compact_strides() == Shape{12, 4, 1});
  CHECK(Shape{}.compact_strides() == Shape{});
}

TEST_CASE("shape: errors") {
  CHECK_THROWS_WITH((Shape{2, 3}[2]), "heed: Shape: axis 2 does not exist in (2, 3)");
  CHECK_THROWS_WITH((Shape{2, 3}[-3]), "heed: Shape: axis -3 does not exist in (2, 3)");
  CHECK_THROWS_WITH(Shape{}[0], "heed: Shape: axis 0 does not exist in ()");
  CHECK_THROWS_WITH((Shape{2}.erase(1)), "heed: Shape: axis 1 does not exist in (2)");
  CHECK_THROWS_WITH((Shape{2}.insert(2, 1)), "heed: Shape: cannot insert an axis at 2 into (2)");
  CHECK_THROWS_WITH((Shape{1, 1, 1, 1, 1, 1, 1, 1}.insert(0, 1)),
                    "heed: Shape: cannot insert an axis at 0 into (1, 1, 1, 1, 1, 1, 1, 1)");
  CHECK_THROWS_WITH((Shape{1, 1, 1, 1, 1, 1, 1, 1, 1}), "heed: Shape: at most 8 axes are supported, got 9");
  CHECK_THROWS_AS((Shape{2}[5]), Error);
  CHECK_THROWS_AS((Shape{2}[5]), std::invalid_argument);
}

TEST_CASE("shape: broadcasting") {
  CHECK(broadcast("op", {2, 3}, {2, 3}) == Shape{2, 3});
  CHECK(broadcast("op", {2, 1, 4}, {3, 1}) == Shape{2, 3, 4});
  CHECK(broadcast("op", {4}, {2, 3, 1}) == Shape{2, 3, 4});
  CHECK(broadcast("op", {}, {2, 3}) == Shape{2, 3});
  CHECK(broadcast("op", {1}, {0}) == Shape{0});
  CHECK(broadcast("op", {0}, {1}) == Shape{0});
  CHECK(broadcast("op", {2, 0, 1}, {1, 5}) == Shape{2, 0, 5});
  CHECK_THROWS_WITH(broadcast("op", {2, 3}, {2}), "heed: op: shapes do not broadcast: (2, 3) and (2)");
  CHECK_THROWS_WITH(broadcast("op", {2}, {4, 3}), "heed: op: shapes do not broadcast: (2) and (4, 3)");
  CHECK_THROWS_WITH(broadcast("op", {3}, {0}), "heed: op: shapes do not broadcast: (3) and (0)");
  CHECK(broadcast_strides("op", {3, 1}, {1, 1}, {2, 3, 4}) == Shape{0, 1, 0});
  CHECK(broadcast_strides("op", {3, 4}, {10, 2}, {3, 4}) == Shape{10, 2});
  CHECK(broadcast_strides("op", {}, {}, {2, 3}) == Shape{0, 0});
  CHECK_THROWS_WITH(broadcast_strides("op", {2, 3}, {3, 1}, {3}), "heed: op: shape (2, 3) does not broadcast to (3)");
  CHECK_THROWS_WITH(broadcast_strides("op", {2}, {1}, {3}), "heed: op: shape (2) does not broadcast to (3)");
}

TEST_CASE("shape: a message is made of its parts") {
  CHECK_NOTHROW(check(true, "here", "never seen"));
  CHECK_THROWS_WITH(check(false, "here", "got ", 3, " of ", Shape{2}), "heed: here: got 3 of (2)");
  CHECK_THROWS_WITH(fail("there", "always"), "heed: there: always");
}

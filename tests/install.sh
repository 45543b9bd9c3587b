#!/bin/sh
# Installs into a scratch folder, builds a program against what was installed, and uninstalls.
cd "$(dirname "$0")/.." || exit 1
. tests/tap.sh

command -v pkg-config >/dev/null || { skip "a program builds against the installed library" "no pkg-config"; exit 0; }
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# What was built is not built again here, whatever the flags were.
unset MAKEFLAGS MFLAGS MAKELEVEL
make_() { ${MAKE:-make} -s -o all -o "${BUILD:-build}/libheed64.a" "$@" BUILD="${BUILD:-build}" PREFIX=/usr DESTDIR="$scratch"; }

cat >"$scratch/user.cpp" <<'END'
#include <heed.hpp>

#include <iostream>

int main() {
  heed::Var x = heed::Var::parameter(heed::Tensor({2}, {3, 4}));
  sum(x * x).backward();
  std::cout << x.grad().at({1}) << " in " << sizeof(heed::real) << " bytes\n";
}
END

use() {  # use LIBRARY OUTPUT
  export PKG_CONFIG_SYSROOT_DIR="$scratch" PKG_CONFIG_LIBDIR="$scratch/usr/lib/pkgconfig"
  flags=$(pkg-config --cflags --libs "$1") || return 1
  # shellcheck disable=SC2086  # the flags are words
  ${CXX:-g++} -std=c++20 $CXXFLAGS "$scratch/user.cpp" -o "$scratch/user" $flags $LDFLAGS && [ "$("$scratch/user")" = "$2" ]
}
# The first program of the README, and what it is said to print.
readme() {
  awk '/^```cpp$/ {on = 1; next} /^```$/ {if (on) exit} on' README.md >"$scratch/user.cpp"
  use heed "$(awk '/^```cpp$/ {seen = 1} seen && /^```$/ {n++; next} seen && n == 2 {print} n == 3 {exit}' README.md)"
}
leftovers() { ! find "$scratch/usr" -type f | grep . && [ ! -e "$scratch/usr/include/heed" ]; }

test_case "make install" make_ install
test_case "the installed program runs" "$scratch/usr/bin/heed" --help
test_case "a program builds against the installed library" use heed "8 in 4 bytes"
test_case "a program builds against the installed double library" use heed64 "8 in 8 bytes"
test_case "the program in the README builds and prints what stands there" readme
test_case "make uninstall" make_ uninstall
test_case "make uninstall leaves nothing behind" leftovers

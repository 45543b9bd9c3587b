#!/bin/sh
# Installs into a scratch folder, builds programs against what was installed, both ways, and uninstalls.
cd "$(dirname "$0")/.." || exit 1
. tests/tap.sh

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
prefix=$scratch/prefix

# What was built is not built again here, whatever the flags were.
unset MAKEFLAGS MFLAGS MAKELEVEL
make_() { ${MAKE:-make} -s -o all -o libraries BUILD="${BUILD:-build}" "$@"; }

test_case "make install" make_ install PREFIX="$prefix"
test_case "the installed program runs" "$prefix/bin/heed" --help

compile() {  # compile SOURCE PACKAGE...: by the flags of pkg-config
  source=$1
  shift
  flags=$(PKG_CONFIG_LIBDIR="$prefix/lib/pkgconfig" pkg-config --cflags --libs "$@") || return 1
  # shellcheck disable=SC2086  # the flags are words
  ${CXX:-g++} -std=c++20 $CXXFLAGS "$source" -o "$scratch/user" $flags $LDFLAGS
}
prints() {  # prints OUTPUT COMMAND...
  expected=$1
  shift
  actual=$("$@") && [ "$actual" = "$expected" ] || { echo "got '$actual', expected '$expected'"; return 1; }
}
by_pkg_config() { compile tests/consumer/main.cpp "$1" && prints "$2" "$scratch/user"; }
# The first program of the README, and what it is said to print.
readme() {
  awk '/^```cpp$/ {on = 1; next} /^```$/ {if (on) exit} on' README.md >"$scratch/user.cpp"
  compile "$scratch/user.cpp" heed &&
    prints "$(awk '/^```cpp$/ {seen = 1} seen && /^```$/ {n++; next} seen && n == 2 {print} n == 3 {exit}' README.md)" "$scratch/user"
}
test_case "its manual page and completions" grep -q 'heed' "$prefix/share/man/man1/heed.1" \
  "$prefix/share/bash-completion/completions/heed" "$prefix/share/zsh/site-functions/_heed"
if command -v pkg-config >/dev/null; then
  test_case "a program builds against the installed library" by_pkg_config heed "8 in 4 bytes"
  test_case "a program builds against the installed double library" by_pkg_config heed64 "8 in 8 bytes"
  test_case "the program in the README builds and prints what stands there" readme
else
  skip "a program builds against the installed library" "no pkg-config"
fi

cmake_() {  # cmake_ VERSION: configures the consumer, asking for that version
  rm -rf "$scratch/cmake"
  cmake -S tests/consumer -B "$scratch/cmake" -DCMAKE_PREFIX_PATH="$prefix" -DHEED_VERSION="$1" \
    -DCMAKE_CXX_COMPILER="${CXX:-g++}" -DCMAKE_CXX_FLAGS="$CXXFLAGS" -DCMAKE_EXE_LINKER_FLAGS="$LDFLAGS"
}
by_cmake() {
  cmake_ 0.1 && cmake --build "$scratch/cmake" && prints "8 in 4 bytes" "$scratch/cmake/consumer" &&
    prints "8 in 8 bytes" "$scratch/cmake/consumer64"
}
other_versions() {
  for version in 0.0 0.2 1 0.1.99; do
    cmake_ $version >"$scratch/out" 2>&1 && { echo "version $version is taken for the installed one"; return 1; }
    grep -q 'with requested version' "$scratch/out" || { cat "$scratch/out"; return 1; }
  done
}
if command -v cmake >/dev/null; then
  test_case "a CMake project builds against the installed libraries" by_cmake
  test_case "CMake refuses a version that is not compatible" other_versions
else
  skip "a CMake project builds against the installed libraries" "no cmake"
fi

# Packagers install below DESTDIR what will be used below PREFIX.
files() { (cd "$1" && find . -type f -o -type l | sort); }
staged() {
  make_ install PREFIX=/usr DESTDIR="$scratch/stage" && files "$prefix" >"$scratch/a" && files "$scratch/stage/usr" >"$scratch/b" &&
    diff "$scratch/a" "$scratch/b" && ! grep -rIF "$scratch" "$scratch/stage"
}
test_case "make install DESTDIR=... installs the same and does not mention it" staged
uninstalled() {
  make_ uninstall PREFIX="$prefix" && ! find "$prefix" ! -type d | grep . && [ ! -e "$prefix/include/heed" ] &&
    [ ! -e "$prefix/lib/cmake/heed" ]
}
test_case "make uninstall leaves nothing behind" uninstalled

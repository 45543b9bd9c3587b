#!/bin/bash
# How a build that cannot work stops: before it starts, with what to install or to change.
# shellcheck disable=SC2317  # test_case calls the functions
cd "$(dirname "$0")/.." || exit 1
. tests/tap.sh

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
unset MAKEFLAGS MFLAGS MAKELEVEL
compiler=${CXX:-g++}

needs() { BUILD=$scratch/build CXXFLAGS='' LDFLAGS='' GEMM=openblas "$@" .ci/needs build; }
stops() {  # stops WORD COMMAND...: fails, and says WORD in one line
  word=$1
  shift
  if "$@" >"$scratch/out" 2>"$scratch/err"; then echo "it does not stop"; return 1; fi
  [ "$(wc -l <"$scratch/err")" = 1 ] && grep -q -e "$word" "$scratch/err" || { cat "$scratch/err"; return 1; }
}

# A compiler on a machine whose only cblas.h, if any, lies in $scratch/opt.
cat >"$scratch/compiler" <<END
#!/bin/sh
program=\$(cat)
case \$program in *cblas.h*) case " \$* " in *$scratch/opt/include*) ;; *) echo "fatal error: cblas.h" >&2; exit 1 ;; esac ;; esac
printf '%s\n' "\$program" | $compiler "\$@"
END
chmod +x "$scratch/compiler"
openblas=$(printf '#include <cblas.h>\n' | $compiler -isystem/usr/include/openblas -x c++ -E - 2>/dev/null | sed -n 's|^# [0-9]* "\(/.*/\)cblas\.h".*|\1|p' | head -n 1)
library=$($compiler -print-file-name=libopenblas.so)

no_blas() { stops 'cblas.h.*libopenblas-dev' needs env CXX="$scratch/compiler" OPENBLAS=; }
# Reference BLAS: the header is there, and a library without cblas_sdot.
fortran_only() {
  mkdir -p "$scratch/fortran" && echo 'void none() {}' | $compiler -x c++ -c - -o "$scratch/fortran/none.o" &&
    ar rcs "$scratch/fortran/libopenblas.a" "$scratch/fortran/none.o" &&
    BUILD=$scratch/build CXX=$compiler CXXFLAGS='' GEMM=openblas OPENBLAS='' LDFLAGS="-L$scratch/fortran" stops 'cblas.h.*libopenblas-dev' .ci/needs build
}
elsewhere() {
  mkdir -p "$scratch/opt/lib" && ln -sfn "$openblas" "$scratch/opt/include" && ln -sf "$library" "$scratch/opt/lib/libopenblas.so" &&
    needs env CXX="$scratch/compiler" OPENBLAS="$scratch/opt" | grep -q -e "-L$scratch/opt/lib .*-lopenblas"
}
if [ "$openblas" ]; then
  test_case "fault 107: without BLAS a build stops at once and names the package" no_blas
  test_case "fault 107: with a BLAS that has no cblas a build stops at once and names the package" fortran_only
  test_case "fault 107: OPENBLAS says where it is" elsewhere
else
  skip "fault 107: a build without BLAS" "no OpenBLAS in a usual place"
fi

# Comparisons with NaN and infinity are what masks and checks are made of.
refused() {
  for flag in -ffast-math -Ofast -ffinite-math-only; do
    if $compiler -std=c++20 $flag -I. -fsyntax-only tensor/mask.cpp 2>"$scratch/err"; then echo "$flag is taken"; return 1; fi
    grep -q 'error.*ffinite-math-only hides NaN' "$scratch/err" || { cat "$scratch/err"; return 1; }
  done
}
test_case "fault 109: flags that hide NaN and infinity are refused" refused
# The rest of fast-math is allowed: what stands on NaN and infinity works with it.
allowed() {
  ls tensor/*.cpp autograd/var.cpp autograd/softmax.cpp autograd/math.cpp | grep -v gemm | sed 's/.*/#include "&"/' >"$scratch/fast.cpp"
  cat >>"$scratch/fast.cpp" <<'END'
#include <cstdio>
using namespace heed;
int main() {
  real nan = std::nan(""), infinity = HUGE_VAL;
  Var x = Var::parameter(Tensor({2, 3}, {1, nan, 3, infinity, nan, 2}));
  Mask keep({2, 3}, {1, 0, 1, 0, 0, 0});
  Var y = softmax(masked_fill(x, keep, -infinity), keep);
  y.backward(Tensor({2, 3}, 1));
  real at = y.value().at({0, 0}), e = 1 / (1 + std::exp(real(2)));
  bool right = std::abs(at - e) < real(1e-5) && y.value().at({1, 0}) == 0 && y.value().at({0, 1}) == 0;
  bool finite = all_finite(y.value()) && all_finite(x.grad()) && !all_finite(x.value());
  std::vector<int> where;
  bool seen = std::isinf(max_difference(x.value(), y.value())) && std::isnan(max(Tensor({3}, {1, nan, 2}), 0, &where).item());
  std::printf("right %d, finite %d, seen %d\n", right, finite, seen);
  return !(right && finite && seen);
}
END
  $compiler -std=c++20 -O1 -ffast-math -fno-finite-math-only -fopenmp-simd -pthread -I. "$scratch/fast.cpp" -o "$scratch/fast" &&
    "$scratch/fast"
}
test_case "fault 109: with -ffast-math -fno-finite-math-only masks and NaN work" allowed

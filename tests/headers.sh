#!/bin/sh
# The headers and the Fortran module in programs of several languages, over shared libraries with the committed symbols.
#
#   tests/headers.sh INCLUDE LIBRARIES
#
# INCLUDE is the folder of affinimath.h, and LIBRARIES that of libaffinimath.so and libaffinimath_blas.so.
set -eu
cd "$(dirname "$0")/.."
include=$1
libraries=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export LD_LIBRARY_PATH="$libraries"

step() { printf '  %s\n' "$1"; }

# Runs a command, and shows its output only when it fails.
quietly() {
  "$@" >"$work/output" 2>&1 || { cat "$work/output"; echo "failed: $*"; exit 1; }
}

# program LIBRARY COMPILER...: compiles a program over a library and runs it.
program() {
  library=$1
  shift
  quietly "$@" -o "$work/program" -L"$libraries" -l"$library" -lm -lpthread
  quietly "$work/program"
}

step "the libraries export the committed symbols"
tests/symbols.sh "$libraries/libaffinimath.so" ffi/symbols.txt
tests/symbols.sh "$libraries/libaffinimath_blas.so" ffi/blas/symbols.txt

step "the header, and each part by itself, is C89 and C++98"
for part in "" /library /blas /lapack /fft /sparse /array; do
  header=$include/affinimath$part.h
  quietly gcc -std=c89 -pedantic -Wall -Wextra -Werror -fsyntax-only -x c "$header"
  quietly g++ -std=c++98 -Wall -Wextra -Werror -Wno-long-long -fsyntax-only -x c++ "$header"
done
quietly gcc -std=c99 -pedantic -Wall -Wextra -Werror -fsyntax-only -x c "$include"/affinimath*/*.h
quietly g++ -std=c++98 -Wall -Wextra -Werror -fsyntax-only -x c++ "$include"/affinimath*/*.h

step "the C++ header, and each part by itself, is C++17 and C++20"
# GNU's compiler, and clang where there is one.
compilers=g++
command -v clang++ >/dev/null && compilers="g++ clang++"
for compiler in $compilers; do
  for standard in 17 20; do
    for part in "" /library /blas /lapack /fft /sparse /array; do
      quietly "$compiler" -std=c++$standard -pedantic -Wall -Wextra -Wshadow -Wconversion -Werror -fsyntax-only \
        -include "$include/affinimath$part.hpp" -x c++ /dev/null
    done
  done
done

quietly g++ -std=c++17 -fno-exceptions -pedantic -Wall -Wextra -Werror -fsyntax-only \
  -include "$include/affinimath.hpp" -x c++ /dev/null

step "programs in C89, C99 and C++"
warnings="-pedantic -Wall -Wextra -Werror"
# shellcheck disable=SC2086 # several words
{
  for source in gemm_host level1_host lapack_batched_host; do
    program affinimath gcc -std=c90 $warnings -I"$include" "tests/c/$source.c"
  done
  for source in fft_host sparse_host native_complex; do
    program affinimath gcc -std=c99 $warnings -I"$include" "tests/c/$source.c"
  done
  program affinimath g++ -std=c++11 $warnings -I"$include" tests/cxx/gemm.cpp
  for source in dense lapack transforms sparse errors native_complex; do
    program affinimath g++ -std=c++17 $warnings -I"$include" "tests/cxx/$source.cpp"
  done
  for compiler in $compilers; do
    for source in errors native_complex; do
      program affinimath "$compiler" -std=c++20 $warnings -I"$include" "tests/cxx/$source.cpp"
    done
  done
  program affinimath g++ -std=c++17 $warnings -I"$include" examples/cxx/solve.cpp
  program affinimath_blas gcc -std=c99 $warnings -I"$include/affinimath-blas" tests/dropin/headers.c
}

step "the Fortran module, and programs that use it"
quietly gfortran -Wall -Wextra -Werror -c -J"$work" -o "$work/module.o" "$include/affinimath.f90"
for source in tests/fortran/*.[fF]90 examples/fortran/gemm.f90; do
  program affinimath gfortran -I"$work" -J"$work" "$source" "$work/module.o"
done

step "a call from Fortran whose arrays do not match ends the program with the reason"
cat >"$work/refused.f90" <<END
program refused
  use affinimath
  real(8) :: a(2, 3), b(2, 2), c(2, 2)
  a = 1
  b = 1
  call affinimath_gemm(a, b, c)
end program refused
END
quietly gfortran -I"$work" "$work/refused.f90" "$work/module.o" -o "$work/program" -L"$libraries" -laffinimath
if "$work/program" >"$work/output" 2>&1; then
  echo "the program went on"
  exit 1
fi
reason="affinimath_gemm: b is 2 by 2, and the other arguments need 3 by 2"
grep -q "$reason" "$work/output" || { cat "$work/output"; exit 1; }

step "Python's ctypes"
quietly /usr/bin/python3 examples/python/affinimath_ctypes.py

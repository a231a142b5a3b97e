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
for part in "" /library /blas /lapack /fft /sparse; do
  header=$include/affinimath$part.h
  quietly gcc -std=c89 -pedantic -Wall -Wextra -Werror -fsyntax-only -x c "$header"
  quietly g++ -std=c++98 -Wall -Wextra -Werror -Wno-long-long -fsyntax-only -x c++ "$header"
done
quietly gcc -std=c99 -pedantic -Wall -Wextra -Werror -fsyntax-only -x c "$include"/affinimath*/*.h
quietly g++ -std=c++98 -Wall -Wextra -Werror -fsyntax-only -x c++ "$include"/affinimath*/*.h

step "programs in C89, C99 and C++"
warnings="-pedantic -Wall -Wextra -Werror"
# shellcheck disable=SC2086 # several words
{
  for source in gemm_host level1_host lapack_batched_host; do
    program affinimath gcc -std=c90 $warnings -I"$include" "tests/c/$source.c"
  done
  for source in fft_host sparse_host; do
    program affinimath gcc -std=c99 $warnings -I"$include" "tests/c/$source.c"
  done
  program affinimath g++ -std=c++11 $warnings -I"$include" tests/cxx/gemm.cpp
  program affinimath_blas gcc -std=c99 $warnings -I"$include/affinimath-blas" tests/dropin/headers.c
}

step "the Fortran module, and programs that use it"
quietly gfortran -c -J"$work" -o "$work/module.o" "$include/affinimath.f90"
for source in tests/fortran/*.f90 examples/fortran/gemm.f90; do
  program affinimath gfortran -I"$work" -J"$work" "$source" "$work/module.o"
done

step "Python's ctypes"
quietly /usr/bin/python3 examples/python/affinimath_ctypes.py

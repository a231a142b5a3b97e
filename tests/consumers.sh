#!/bin/sh
# Installs the library into a temporary prefix, and builds and runs programs of other people against it: C89, C++,
# Fortran, CMake's find_package and pkg-config.
#
#   tests/consumers.sh [PROFILE [device]]
#
# PROFILE is cargo's, and release when it is left out; with dev it shares what the tests have built. OCL_ICD_VENDORS says
# on which device the programs run; with the word device it is an error that there is none.
set -eu
cd "$(dirname "$0")/.."
profile=${1:-release}
device=${2:-}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
prefix=$work/prefix

step() { printf '  %s\n' "$1"; }

# Runs a command, and shows what it said only when it fails.
quietly() {
  "$@" >"$work/output" 2>&1 || { cat "$work/output"; echo "failed: $*"; exit 1; }
}

# With dev, what the other tests have built.
targets="--package;affinimath-ffi"
[ "$profile" != dev ] || targets="--workspace;--lib;--bins;--tests"

step "cmake: build and install"
quietly cmake -S . -B "$work/build" -DAFFINIMATH_CARGO_PROFILE="$profile" -DAFFINIMATH_CARGO_TARGETS="$targets" \
  -DAFFINIMATH_TARGET_DIR="$PWD/target" -DCMAKE_INSTALL_LIBDIR=lib
quietly cmake --build "$work/build"
quietly cmake --install "$work/build" --prefix "$prefix"
for file in lib/libaffinimath.so lib/libaffinimath.a include/affinimath.h include/affinimath.f90 include/affinimath.mod \
  lib/pkgconfig/affinimath.pc lib/cmake/Affinimath/AffinimathConfig.cmake; do
  [ -e "$prefix/$file" ] || { echo "not installed: $file"; exit 1; }
done

step "the shared library exports our names only, under its SONAME"
foreign=$(nm -D --defined-only "$prefix/lib/libaffinimath.so" | awk '{print $3}' | grep -v '^affinimath[A-Z]' || true)
[ -z "$foreign" ] || { echo "exported besides: $foreign"; exit 1; }
readelf -d "$prefix/lib/libaffinimath.so" | grep -q 'SONAME.*\[libaffinimath\.so\.0\]' || { echo "no SONAME"; exit 1; }

step "the header is C89 and C++98 by itself"
quietly gcc -std=c89 -pedantic -Wall -Wextra -Werror -fsyntax-only -x c "$prefix/include/affinimath.h"
quietly g++ -std=c++98 -Wall -Wextra -Werror -Wno-long-long -fsyntax-only -x c++ "$prefix/include/affinimath.h"

step "find_package: C89, C, C++ and Fortran programs, shared and static"
quietly cmake -S tests/cmake -B "$work/consumers" -DCMAKE_PREFIX_PATH="$prefix"
quietly cmake --build "$work/consumers"
(cd "$work/consumers" && ctest --output-on-failure) >"$work/output" 2>&1 || { cat "$work/output"; exit 1; }
grep -E 'Test +#|tests passed' "$work/output" | sed 's/^ */    /'
if [ -n "$device" ] && grep -q Skipped "$work/output"; then
  echo "no OpenCL device, and one was demanded"
  exit 1
fi

step "pkg-config"
PKG_CONFIG_PATH=$prefix/lib/pkgconfig
export PKG_CONFIG_PATH
# shellcheck disable=SC2046 # the flags are several words
quietly gcc -o "$work/shared" examples/c/gemm.c $(pkg-config --cflags --libs affinimath)
LD_LIBRARY_PATH=$prefix/lib quietly "$work/shared"
# shellcheck disable=SC2046
quietly gcc -o "$work/static" examples/c/gemm.c $(pkg-config --cflags affinimath) "$prefix/lib/libaffinimath.a" \
  $(pkg-config --static --libs-only-l affinimath | sed 's/-laffinimath//')
quietly "$work/static"

step "Python, by ctypes"
if /usr/bin/python3 -c 'import numpy' 2>/dev/null; then
  LD_LIBRARY_PATH=$prefix/lib quietly /usr/bin/python3 examples/python/affinimath_ctypes.py
else
  echo "    (no NumPy of Debian's: not tried)"
fi

#!/bin/sh
# Installs everything into a temporary prefix, moves it, and builds and runs programs of other people against it: C89,
# C++, Fortran, CMake's find_package, pkg-config, Python, and the documentation's code. As root it installs Debian
# packages too.
#
#   tests/consumers.sh [PROFILE [device]]
#
# PROFILE is cargo's, and release when it is left out; with dev it shares the tests' build. OCL_ICD_VENDORS names the
# drivers of the device on which the programs run; with the word device it is an error that there is none.
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

step "cmake: build, install, uninstall"
options=-DAFFINIMATH_CARGO_PROFILE=$profile
quietly cmake -S . -B "$work/build" "$options" -DCMAKE_INSTALL_LIBDIR=lib
quietly cmake --build "$work/build"
quietly cmake --install "$work/build" --prefix "$work/first"
(cd "$work/first" && find . ! -type d) | LC_ALL=C sort >"$work/installed"
for file in lib/libaffinimath.so lib/libaffinimath.a lib/libaffinimath_blas.so \
  lib/libaffinimath_fftw3.so lib/libaffinimath_fftw3f.so lib/pkgconfig/affinimath-fftw3.pc include/affinimath.h \
  include/affinimath.hpp include/affinimath/library.hpp include/affinimath/blas.hpp include/affinimath/lapack.hpp \
  include/affinimath/fft.hpp include/affinimath/sparse.hpp include/affinimath/array.h \
  include/affinimath/array.hpp include/affinimath_array.mod include/affinimath/support.f90 \
  include/affinimath_support.mod include/affinimath.f90 include/affinimath.mod include/affinimath/library.h \
  include/affinimath/blas.h include/affinimath/lapack.h include/affinimath/fft.h include/affinimath/sparse.h \
  include/affinimath-blas/cblas.h include/affinimath-blas/lapacke.h include/affinimath/blas.f90 \
  include/affinimath_blas.mod include/affinimath_sparse.mod lib/pkgconfig/affinimath.pc \
  lib/pkgconfig/affinimath-blas.pc lib/cmake/Affinimath/AffinimathConfig.cmake bin/affinimath \
  share/man/man1/affinimath.1 share/man/man1/affinimath-solve.1 share/bash-completion/completions/affinimath \
  share/zsh/site-functions/_affinimath share/fish/vendor_completions.d/affinimath.fish \
  lib/libaffinimath_trace.so lib/affinimath-trace/libOpenCL.so.1 share/doc/Affinimath/THIRD-PARTY; do
  grep -q -x "./$file" "$work/installed" || { echo "not installed: $file"; exit 1; }
done
cp -a "$work/first" "$prefix"
quietly cmake --build "$work/build" --target uninstall
left=$(find "$work/first" ! -type d)
[ -z "$left" ] || { echo "left after uninstalling: $left"; exit 1; }
if find "$work/first" -type d -iname '*affinimath*' | grep .; then
  echo "a folder of ours is left after uninstalling"
  exit 1
fi
rm -r "$work/first"

step "the shared libraries export our names only, under their SONAMEs"
if grep -v '^#' ffi/symbols.txt | grep -v '^affinimath[A-Z]'; then
  echo "exported besides"
  exit 1
fi
for name in affinimath affinimath_blas affinimath_fftw3 affinimath_trace; do
  readelf -d "$prefix/lib/lib$name.so" | grep -q "SONAME.*\[lib$name\.so\.0\]" || { echo "no SONAME: $name"; exit 1; }
  [ "$(readlink "$prefix/lib/lib$name.so")" = "lib$name.so.0" ] || { echo "no link: lib$name.so"; exit 1; }
done
tests/headers.sh "$prefix/include" "$prefix/lib"

step "the program completes its commands, and has a page for each"
quietly bash -n "$prefix/share/bash-completion/completions/affinimath"
# shellcheck disable=SC2016 # the shell inside puts them in
completed=$(bash -c '. "$1"; COMP_WORDS=(affinimath so) COMP_CWORD=1; _affinimath affinimath so affinimath
  echo "${COMPREPLY[@]}"' bash "$prefix/share/bash-completion/completions/affinimath")
[ "$completed" = solve ] || { echo "'affinimath so' completes to '$completed'"; exit 1; }
commands=$("$prefix/bin/affinimath" --help | sed -n '/^Commands:/,/^$/s/^  \([a-z]*\) .*/\1/p')
for command in $(echo "$commands" | grep -v -x help); do
  grep -q "^\.SH NAME" "$prefix/share/man/man1/affinimath-$command.1" || { echo "no page for $command"; exit 1; }
done

step "find_package: C89, C, C++ and Fortran programs, shared and static"
quietly cmake -S tests/cmake -B "$work/consumers" -DCMAKE_PREFIX_PATH="$prefix"
quietly cmake --build "$work/consumers"
(cd "$work/consumers" && ctest --output-on-failure) >"$work/output" 2>&1 || { cat "$work/output"; exit 1; }
grep -E 'Test +#|tests passed' "$work/output" | sed 's/^ */    /'
if [ -n "$device" ] && grep -q Skipped "$work/output"; then
  echo "no OpenCL device, and one was demanded"
  exit 1
fi

step "containers in C++ need as many elements as memory objects"
python3 tests/cxx/shapes.py "$prefix/include" >"$work/shapes.cpp"
quietly g++ -std=c++17 -Wall -Wextra -Werror -I"$prefix/include" -o "$work/shapes" "$work/shapes.cpp" \
  -L"$prefix/lib" -laffinimath -lOpenCL
LD_LIBRARY_PATH=$prefix/lib "$work/shapes" >"$work/output" 2>&1 || {
  [ $? = 77 ] && [ -z "$device" ] || { cat "$work/output"; exit 1; }
}
tail -n 1 "$work/output" | sed 's/^/    /'

step "pkg-config"
PKG_CONFIG_PATH=$prefix/lib/pkgconfig
export PKG_CONFIG_PATH
# shellcheck disable=SC2046 # the flags are several words
quietly gcc -o "$work/shared" examples/c/gemm.c $(pkg-config --cflags --libs affinimath)
quietly "$work/shared"
# shellcheck disable=SC2046
quietly gcc -o "$work/static" examples/c/gemm.c $(pkg-config --cflags affinimath) "$prefix/lib/libaffinimath.a" \
  $(pkg-config --static --libs-only-l affinimath | sed 's/-laffinimath//')
quietly "$work/static"

# shellcheck disable=SC2046
quietly gcc -o "$work/blas" tests/dropin/headers.c $(pkg-config --cflags --libs affinimath-blas)
quietly "$work/blas"

# shellcheck disable=SC2046
quietly gcc -o "$work/fftw" tests/fftw/contract.c $(pkg-config --libs affinimath-fftw3) -lm -lpthread
quietly "$work/fftw"

step "Python: a wheel, and its tests"
# What building needs is Debian's: nothing is downloaded.
pip() { quietly /usr/bin/python3 -m pip --quiet --disable-pip-version-check --no-cache-dir "$@"; }
AFFINIMATH_LIBRARY=$prefix/lib/libaffinimath.so AFFINIMATH_PROGRAM=$prefix/bin/affinimath PYTHON=/usr/bin/python3 \
  quietly packaging/wheel.sh "$work/wheels"
pip install --no-deps --no-index --target "$work/python" "$work"/wheels/affinimath-*-py3-none-*linux_*.whl
PYTHONPATH=$work/python
PYTHONDONTWRITEBYTECODE=1
export PYTHONPATH PYTHONDONTWRITEBYTECODE
quietly "$work/python/bin/affinimath" --version
AFFINIMATH_CACHE=off /usr/bin/python3 -m pytest -q -p no:cacheprovider python/tests >"$work/output" 2>&1 ||
  { cat "$work/output"; exit 1; }
tail -n 1 "$work/output" | sed 's/^/    /'

step "what the documentation shows"
tests/docs.sh "$prefix" "$work/docs"

step "Debian packages"
tests/debian.sh "$work/debian" "$options"

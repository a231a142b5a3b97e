#!/bin/sh
# Builds libaffinimath_fftw3.so and puts programs over it: its symbols beside FFTW's, FFTW itself beside it on random
# problems, what FFTW's manual promises, Fortran, and Octave and Python where they are installed.
#
#   tests/fftw.sh [PROFILE [LIBRARY]]
#
# PROFILE is cargo's, and release when it is left out. LIBRARY is a built one, in place of one that is built now.
set -eu
cd "$(dirname "$0")/.."
profile=${1:-release}
library=${2:-}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
system=/usr/lib/$(gcc -dumpmachine)

step() { printf '  %s\n' "$1"; }

if [ -z "$library" ]; then
  step "cargo build"
  target=${CARGO_TARGET_DIR:-target}
  if [ "$profile" = dev ]; then
    library=$target/debug/libaffinimath_fftw3.so
    cargo build --quiet --workspace --lib --bins --tests # what the other tests have built
  else
    library=$target/$profile/libaffinimath_fftw3.so
    cargo build --quiet --profile "$profile" --package affinimath-fftw
  fi
fi
cp "$library" "$work/libaffinimath_fftw3.so.0"
ln -s libaffinimath_fftw3.so.0 "$work/libaffinimath_fftw3.so"
library=$work/libaffinimath_fftw3.so.0

step "its name, and its symbols beside FFTW's"
readelf -d "$library" | grep -q 'SONAME.*\[libaffinimath_fftw3\.so\.0\]' || { echo "no SONAME"; exit 1; }
tests/symbols.sh "$library" ffi/fftw/symbols.txt
nm -D --defined-only "$library" | awk '{print $3}' | LC_ALL=C sort >"$work/ours"
# The functions of the header in both precisions; FFTW's library also exports what it has inside.
for prefix in fftw fftwf; do
  sed -n 's/.*X(\([a-z0-9_]*\))(.*/\1/p; s/.*FFTW_CDECL X(\([a-z0-9_]*\)).*/\1/p' /usr/include/fftw3.h |
    grep -v -x -e plan -e iodim -e plan_s | sort -u | sed "s/^/${prefix}_/"
done | LC_ALL=C sort >"$work/header"
for letter in d s; do
  suffix=$([ $letter = d ] || echo f)
  nm -D --defined-only "$system/libfftw3$suffix.so.3" "$system/libfftw3${suffix}_threads.so.3" | awk '{print $3}' |
    grep "^${letter}fftw_"
done | LC_ALL=C sort >"$work/fortran"
[ "$(wc -l <"$work/header")" -gt 120 ] && [ "$(wc -l <"$work/fortran")" -gt 160 ] || { echo "too few names"; exit 1; }
missing=$(cat "$work/header" "$work/fortran" | LC_ALL=C sort -u | LC_ALL=C comm -13 "$work/ours" -)
[ -z "$missing" ] || { echo "missing:" $missing; exit 1; }

step "FFTW beside it, on random problems of all interfaces"
gcc -std=gnu99 -O1 -Wall -Wextra -Werror -o "$work/compare" tests/fftw/compare.c -lm -ldl
timeout 300 "$work/compare" "$library" "$system/libfftw3.so.3" "$system/libfftw3f.so.3" 12000
for threads in 2 5; do
  AFFINIMATH_NUM_THREADS=$threads timeout 300 "$work/compare" "$library" "$system/libfftw3.so.3" \
    "$system/libfftw3f.so.3" 2000 $threads
done

step "programs in C and Fortran"
export LD_LIBRARY_PATH=$work
gcc -std=gnu99 -O1 -Wall -Wextra -Werror -o "$work/contract" tests/fftw/contract.c -L"$work" -laffinimath_fftw3 -lm \
  -lpthread
for threads in 1 4; do
  AFFINIMATH_NUM_THREADS=$threads timeout 300 "$work/contract"
done
for program in legacy modern; do
  gfortran -I/usr/include -J"$work" -o "$work/$program" "tests/fftw/$program.f90" -L"$work" -laffinimath_fftw3
  timeout 300 "$work/$program"
done
unset LD_LIBRARY_PATH

step "preloaded under programs that are linked to FFTW"
for program in legacy modern; do
  gfortran -I/usr/include -J"$work" -o "$work/$program" "tests/fftw/$program.f90" -lfftw3 -lfftw3f -lfftw3_threads
  LD_PRELOAD=$library timeout 300 "$work/$program"
done
if command -v octave-cli >/dev/null; then
  LD_PRELOAD=$library timeout 300 octave-cli --norc tests/fftw/octave.m
fi
if /usr/bin/python3 -c 'import pyfftw' 2>/dev/null; then
  LD_PRELOAD=$library timeout 300 /usr/bin/python3 tests/fftw/transforms.py
fi

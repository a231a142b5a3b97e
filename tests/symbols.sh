#!/bin/sh
# Compares what a shared library exports with its committed list, and names the symbols that came and went.
#
#   tests/symbols.sh LIBRARY LIST [LEAST]
#
# The lists are ffi/symbols.txt and ffi/blas/symbols.txt, which `cargo xtask codegen` writes, and ffi/fftw/symbols.txt:
# names between spaces and line ends. A list has LEAST names at least, 301 where it is left out.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

nm -D --defined-only "$1" | awk '{print $3}' | LC_ALL=C sort >"$work/exported"
grep -v '^#' "$2" | tr ' ' '\n' | LC_ALL=C sort >"$work/listed"
[ "$(wc -l <"$work/listed")" -ge "${3:-301}" ] || { echo "$2 does not look like a list of symbols"; exit 1; }
came=$(LC_ALL=C comm -23 "$work/exported" "$work/listed")
went=$(LC_ALL=C comm -13 "$work/exported" "$work/listed")
[ -n "$came$went" ] || exit 0
echo "$1 does not export what $2 lists"
[ -z "$came" ] || echo "came:" $came
[ -z "$went" ] || echo "went:" $went
exit 1

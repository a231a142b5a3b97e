#!/bin/sh
# Runs the code blocks of the README and of the book against an install tree.
#
#   tests/docs.sh PREFIX WORK
#
# Programs in C, C++, Fortran and Python are run. Pieces of C, C++ and Fortran become programs first; those of C that
# need an OpenCL queue are compiled only. Of blocks for the shell the syntax is checked, and that `affinimath` has the
# commands and options in them. A block below `<!-- file: PATH -->` equals that file (tests/book.sh) and is tested with
# it. Rust's blocks are cargo's (src/lib.rs names their pages).
set -eu
cd "$(dirname "$0")/.."
prefix=$1
work=$2
mkdir -p "$work"
rm -f "$work"/*-*.* # an earlier run's

# Each block becomes a file of its own: PAGE-LINE.LANGUAGE.
for page in README.md docs/src/*.md; do
  awk -v start="$work/$(basename "$page" .md)" '
    /^```/ && inside { inside = 0; close(file); next }
    /^```/ { inside = 1; file = before ~ /^<!-- file: / ? "/dev/null" : start "-" NR "." substr($0, 4); next }
    inside { print >file }
    { before = $0 }' "$page"
done

# run COMMAND...: runs it over the libraries, and shows what it said, and the block, only when it fails.
run() {
  LD_LIBRARY_PATH=$prefix/lib "$@" >"$work/said" 2>&1 || { cat "$work/said" "$block"; echo "failed: $*"; exit 1; }
}

blocks=0
for block in "$work"/*-*.*; do
  blocks=$((blocks + 1))
  case $block in
  *.c)
    {
      grep '^#define' "$block" || true
      printf '#include <affinimath.h>\n#include <CL/cl.h>\n#include <stdio.h>\n'
      printf 'cl_command_queue queue;\ncl_mem a, b, c;\nint64_t m, n, k;\nint status;\n'
      grep '^#include' "$block" || true
      printf 'int main(void)\n{\n'
      grep -v '^#[id]' "$block"
      printf 'return 0;\n}\n'
    } >"$block.c"
    run gcc -std=c99 -Wall -Wno-unused -Werror -DCL_TARGET_OPENCL_VERSION=120 -I"$prefix/include" -o "$block.out" \
      "$block.c" -L"$prefix/lib" -laffinimath
    grep -q queue "$block" || run "$block.out"
    ;;
  *.cpp)
    {
      printf '#include <cstdio>\n#include <vector>\n'
      grep '^#include' "$block" || true
      printf 'int main()\n{\n'
      grep -v '^#include' "$block"
      printf '}\n'
    } >"$block.out.cpp"
    run g++ -std=c++17 -Wall -Werror -I"$prefix/include" -o "$block.out" "$block.out.cpp" -L"$prefix/lib" -laffinimath
    run "$block.out"
    ;;
  *.fortran)
    { echo "program block"; cat "$block"; echo "end program"; } >"$block.f90"
    run gfortran -J"$work" -I"$prefix/include" -o "$block.out" "$block.f90" \
      -L"$prefix/lib" -laffinimath_fortran -laffinimath
    run "$block.out"
    ;;
  *.python)
    run /usr/bin/python3 -W error "$block"
    ;;
  *.sh)
    run sh -n "$block"
    # The program has the commands and options that are shown.
    sed 's/cargo run --release --/affinimath/; s/#.*//' "$block" |
      grep -o '\<affinimath [a-z].*' >"$block.commands" || true
    while read -r _ words; do
      command=
      options=no
      for word in $words; do
        case $word in
        # The words behind it are another program's.
        --) break ;;
        --*)
          options=yes
          # shellcheck disable=SC2086 # several words
          "$prefix/bin/affinimath" $command --help | grep -q -e "$word\>" ||
            { echo "no $word: affinimath $words"; exit 1; }
          ;;
        *[!a-z0-9]*) options=yes ;;
        *) [ "$options" = yes ] || command="$command $word" ;;
        esac
      done
    done <"$block.commands"
    ;;
  # Tests of crates have those of Rust, of stencils and of strategies.
  *.rust | *.rust,* | *.stencil | *.stencil\ * | *.strategy | *.strategy\ * | *.cmake | *.text | *.opencl) ;;
  *) echo "a block of no known language: $block"; exit 1 ;;
  esac
done
[ "$blocks" -gt 15 ] || { echo "only $blocks blocks were found"; exit 1; }
echo "    $blocks blocks"

#!/bin/sh
# libaffinimath_mpi.so: its symbols, its header in C and C++, its Fortran module, and programs on ranks of MPI.
#
#   tests/mpi.sh LIBRARY
#
# LIBRARY is the built library.
set -eu
cd "$(dirname "$0")/.."
library=$(realpath "$1")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

step() { printf '  %s\n' "$1"; }

# Runs a command, and shows its output only when it fails.
quietly() {
  "$@" >"$work/output" 2>&1 || { cat "$work/output"; echo "failed: $*"; exit 1; }
}

mkdir "$work/lib"
ln -s "$library" "$work/lib/libaffinimath_mpi.so.0"
ln -s libaffinimath_mpi.so.0 "$work/lib/libaffinimath_mpi.so"
export LD_LIBRARY_PATH="$work/lib" AFFINIMATH_NUM_THREADS=1 AFFINIMATH_DEVICE=host

# ranks COUNT PROGRAM: as root, in a container, and with more ranks than cores, Open MPI asks for these words.
options=
if mpirun --version | grep -q "Open MPI"; then options="--allow-run-as-root --oversubscribe"; fi
ranks() {
  # shellcheck disable=SC2086 # several words
  quietly timeout 120 mpirun $options -np "$1" "$2"
}

# program COMPILER...: over the library.
program() {
  quietly "$@" -o "$work/program" -L"$work/lib" -laffinimath_mpi -lm
}

step "the library exports the committed symbols, and the header is C89 and C++98"
tests/symbols.sh "$library" ffi/mpi/symbols.txt 50
quietly gcc -std=c89 -pedantic -Wall -Wextra -Werror -fsyntax-only -x c include/affinimath_mpi.h
quietly g++ -std=c++98 -Wall -Wextra -Werror -Wno-long-long -fsyntax-only -x c++ include/affinimath_mpi.h

step "every function in four types, on 1, 2 and 4 ranks"
program mpicc -std=c99 -Wall -Wextra -Werror -Iinclude tests/mpi/routines.c
for count in 1 2 4; do
  ranks $count "$work/program"
  grep -q "all functions on $count ranks" "$work/output" || { cat "$work/output"; exit 1; }
done

step "the example in C"
program mpicc -std=c99 -Wall -Wextra -Werror -Iinclude examples/c/mpi.c
ranks 2 "$work/program"
grep -q "1000 equations on 1 x 2 ranks" "$work/output" || { cat "$work/output"; exit 1; }

if command -v mpif90 >/dev/null && command -v gfortran >/dev/null; then
  step "the Fortran module"
  quietly gfortran -Wall -Wextra -Werror -c -J"$work" -o "$work/module.o" include/affinimath_mpi.f90
  program mpif90 -I"$work" tests/mpi/solve.f90 "$work/module.o"
  ranks 2 "$work/program"
  grep -q "from Fortran" "$work/output" || { cat "$work/output"; exit 1; }
fi

#!/bin/sh
# libaffinimath_mpi.so: its symbols, its header in C and C++, its Fortran module, and programs on ranks of MPI.
#
#   tests/mpi.sh LIBRARY MAIN
#
# LIBRARY is the built library, MAIN the library of one process, which Python's package loads too.
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

# ranks COUNT PROGRAM...: as root, in a container, and with more ranks than cores, Open MPI asks for these words.
options=
if mpirun --version | grep -q "Open MPI"; then options="--allow-run-as-root --oversubscribe"; fi
ranks() {
  # shellcheck disable=SC2086 # several words
  quietly timeout 120 mpirun $options -np "$@"
}

# aborts COUNT PROGRAM...: ranks of a job that ends by MPI_Abort, within a minute. Their words are in $work/output.
aborts() {
  # shellcheck disable=SC2086 # several words
  if timeout 60 mpirun $options -np "$@" >"$work/output" 2>&1; then
    cat "$work/output"
    echo "was not aborted: $*"
    exit 1
  elif [ $? = 124 ]; then
    cat "$work/output"
    echo "hangs: $*"
    exit 1
  fi
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

step "sparse matrices and solvers in four types, on 1, 2 and 4 ranks"
program mpicc -std=c99 -Wall -Wextra -Werror -Iinclude tests/mpi/sparse.c
for count in 1 2 4; do
  ranks $count "$work/program" "$work/matrix.mtx"
  grep -q "sparse functions on $count ranks" "$work/output" || { cat "$work/output"; exit 1; }
done

step "a null grid on one rank that has several"
program mpicc -std=c99 -Wall -Wextra -Werror -Iinclude tests/mpi/closed.c
aborts 3 "$work/program"
[ "$(grep -c "closed on all ranks" "$work/output")" = 3 ] || { cat "$work/output"; exit 1; }

step "the examples in C"
program mpicc -std=c99 -Wall -Wextra -Werror -Iinclude examples/c/mpi.c
ranks 2 "$work/program"
grep -q "1000 equations on 1 x 2 ranks" "$work/output" || { cat "$work/output"; exit 1; }
program mpicc -std=c99 -Wall -Wextra -Werror -Iinclude examples/c/mpi_sparse.c
ranks 3 "$work/program"
grep -q "10000 unknowns on 3 ranks" "$work/output" || { cat "$work/output"; exit 1; }

if command -v mpif90 >/dev/null && command -v gfortran >/dev/null; then
  step "the Fortran module, and the example in Fortran"
  quietly gfortran -Wall -Wextra -Werror -c -J"$work" -o "$work/module.o" include/affinimath_mpi.f90
  program mpif90 -I"$work" tests/mpi/solve.f90 "$work/module.o"
  ranks 2 "$work/program"
  grep -q "from Fortran" "$work/output" || { cat "$work/output"; exit 1; }
  # Constants of options are those of the other library's module.
  quietly gfortran -fsyntax-only -J"$work" include/affinimath.f90
  program mpif90 -Wall -Wextra -Werror -I"$work" examples/fortran/mpi_sparse.f90 "$work/module.o"
  ranks 3 "$work/program"
  grep -q "1000 points on 3 ranks" "$work/output" || { cat "$work/output"; exit 1; }
fi

if /usr/bin/python3 -c "import mpi4py, numpy, pytest" 2>/dev/null; then
  export AFFINIMATH_MPI_LIBRARY="$library" AFFINIMATH_LIBRARY="$2" PYTHONPATH="$PWD/python${PYTHONPATH:+:$PYTHONPATH}"
  for count in 1 2 4; do
    step "the Python package on $count ranks"
    ranks $count /usr/bin/python3 -B -m pytest -q -p no:cacheprovider python/tests/test_mpi.py
  done
  step "an error of one rank in Python"
  aborts 3 /usr/bin/python3 -B tests/mpi/uncaught.py
  grep -q "RankError: rank 1 of 3: ValueError: alone" "$work/output" || { cat "$work/output"; exit 1; }
  step "the example in Python"
  ranks 2 /usr/bin/python3 -B examples/python/mpi.py
  grep -q "on 2 ranks" "$work/output" || { cat "$work/output"; exit 1; }
else
  echo "  note: skipped: Python's mpi4py, numpy or pytest is missing"
fi

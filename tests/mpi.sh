#!/bin/sh
# libaffinimath_mpi.so: its symbols, its header in C and C++, its Fortran module, and programs on ranks of MPI. The
# program affinimath-mpi.
#
#   tests/mpi.sh LIBRARY MAIN PROGRAM
#
# LIBRARY is the built library, MAIN the library of one process, which Python's package loads too, PROGRAM the built
# program.
set -eu
cd "$(dirname "$0")/.."
library=$(realpath "$1")
main=$(realpath "$2")
built_program=$(realpath "$3")
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

if [ -n "${AFFINIMATH_TEST_DEVICE:-}" ]; then
  step "sparse matrices on the ranks' devices, on 1 and 3 ranks"
  for count in 1 3; do
    AFFINIMATH_DEVICE=$AFFINIMATH_TEST_DEVICE ranks $count "$work/program" "$work/matrix.mtx" device
    grep -q "sparse functions on $count ranks" "$work/output" || { cat "$work/output"; exit 1; }
  done
fi

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
  export AFFINIMATH_MPI_LIBRARY="$library" AFFINIMATH_LIBRARY="$main"
  export PYTHONPATH="$PWD/python${PYTHONPATH:+:$PYTHONPATH}"
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

# on COUNT ARGUMENTS...: affinimath-mpi on ranks; its code, with its output in a file.
on() {
  count=$1
  shift
  # shellcheck disable=SC2086 # several words
  timeout 120 mpirun $options -np "$count" "$built_program" "$@" >"$work/output" 2>"$work/errors"
}

# says TEXT: the last output has it. complains TEXT: the last errors have it, once.
says() { grep -q -e "$1" "$work/output" || { cat "$work/output" "$work/errors"; echo "missing: $1"; exit 1; }; }
complains() {
  [ "$(grep -c -e "$1" "$work/errors")" = 1 ] || { cat "$work/output" "$work/errors"; echo "not once: $1"; exit 1; }
}

# code EXPECTED COUNT ARGUMENTS...
code() {
  expected=$1
  shift
  found=0
  on "$@" || found=$?
  [ "$found" = "$expected" ] || { cat "$work/output" "$work/errors"; echo "code $found, not $expected: $*"; exit 1; }
}

step "affinimath-mpi solves systems by every method, on 1 and 3 ranks"
# Poisson's equation on 20 x 20 points; another matrix that is not symmetric.
awk 'BEGIN {
  n = 20
  print "%%MatrixMarket matrix coordinate real symmetric"
  print n * n, n * n, n * n + 2 * n * (n - 1)
  for (i = 1; i <= n * n; ++i) {
    print i, i, 4
    if (i % n != 0) print i + 1, i, -1
    if (i + n <= n * n) print i + n, i, -1
  }
}' >"$work/poisson.mtx"
awk 'BEGIN {
  n = 60
  print "%%MatrixMarket matrix coordinate real general"
  print n, n, 3 * n - 2
  for (i = 1; i <= n; ++i) {
    print i, i, 5
    if (i > 1) print i, i - 1, -2
    if (i < n) print i, i + 1, 1 + i / n
  }
}' >"$work/general.mtx"
awk 'BEGIN { print "%%MatrixMarket matrix array real general"; print 400, 1; for (i = 1; i <= 400; ++i) print i % 7 }' \
  >"$work/b.mtx"
for count in 1 3; do
  for method in auto minres bicgstab gmres lu cholesky; do
    code 0 $count solve "$work/poisson.mtx" --method $method
    says "relative residual [0-9.]*e-1[0-9]"
  done
  for precond in jacobi block-jacobi ic0 ilu0; do
    code 0 $count solve "$work/poisson.mtx" "$work/b.mtx" --method cg --precond $precond --output "$work/x.mtx"
    says "converged"
    # A x is b: in double precision, by awk.
    awk 'FILENAME != last { file++; last = FILENAME; data = 0 } /^%/ { next } { data++ }
      file == 1 { if (data > 1) x[data - 1] = $1 }
      file == 2 { if (data > 1) b[data - 1] = $1 }
      file == 3 && data > 1 { y[$1] += $3 * x[$2]; if ($1 != $2) y[$2] += $3 * x[$1] }
      END {
        for (i = 1; i <= 400; ++i) if ((y[i] - b[i])^2 > 1e-14) { print "row", i, y[i], b[i]; exit 1 }
      }' "$work/x.mtx" "$work/b.mtx" "$work/poisson.mtx"
  done
  code 0 $count solve "$work/general.mtx" --precondition ilu0 --json
  says '"schema": "affinimath/mpi-solve/1"'
done

step "wrong usage and failures: one message, the same code on all ranks"
code 2 3 solve
complains "required arguments were not provided"
code 2 3 solve "$work/poisson.mtx" --method qr
complains "invalid value 'qr'"
code 2 2 bench scale --routines gemm,svd
complains "invalid value 'svd'"
code 0 3 --help
says "bench scale"
code 1 3 solve "$work/absent.mtx"
complains "cannot open '$work/absent.mtx'"
code 1 3 solve "$work/poisson.mtx" "$work/general.mtx"
complains "a vector of 400 elements is needed"
code 1 2 solve "$work/poisson.mtx" --method lu --precond jacobi
complains "precond helps iterations"
code 1 2 solve "$work/poisson.mtx" --method cg --memory device
complains "has no device"
code 1 3 solve "$work/poisson.mtx" --max-iter 2
complains "not solved: cg reached the limit of iterations"
code 1 2 solve "$work/poisson.mtx" --output "$work/no/x.mtx"
complains "there is no folder"
code 1 2 bench scale --ranks 1,3
complains "the job has 1 to 2 ranks"
echo '{"latency": 1}' >"$work/model.json"
code 1 2 bench scale --model "$work/model.json"
complains "model.json: "
code 1 1 model
complains "latency and bandwidth need two ranks"

step "scaling of every routine, with the model, and other libraries beside"
code 0 2 model --write "$work/machine.json" --order 2000 --side 32
says "less than half of perfect scaling is left"
against=
for library in /usr/lib/*/libscalapack-openmpi.so.2.* /usr/lib/*/libscalapack-openmpi.so; do
  if [ -e "$library" ]; then against="--against scalapack=$library"; break; fi
done
for library in /usr/lib/*/libfftw3_mpi.so.3; do
  if [ -e "$library" ]; then against="$against --against fftw=$library"; break; fi
done
# shellcheck disable=SC2086 # several words
code 0 3 bench scale --size 192 --size cg=16 --size fft=24 --size stencil=24 --block 32 --repeat 1 --ranks 1,2,3 \
  --model "$work/machine.json" --plot "$work/scale.svg" --json="$work/scale.json" $against
for routine in gemm potrf getrf geqrf cg fft stencil; do
  says "^$routine  *affinimath  *strong  *3 "
  says "^$routine  *affinimath  *weak  *2 "
  says "^$routine .*on 10,000 ranks"
done
case $against in *scalapack*) says "^potrf  *ScaLAPACK  *strong  *2 " ;; esac
case $against in *fftw*) says "^fft  *FFTW  *weak  *3 " ;; esac
says "^ranks 0 to 2: the host"
code 1 2 bench scale --memory device
complains "has no device"
grep -q "</svg>" "$work/scale.svg"
grep -q '"schema": "affinimath/mpi-bench-scale/1"' "$work/scale.json"

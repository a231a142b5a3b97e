#!/bin/sh
# Runs linear algebra in Python, Octave and R with and without the drop-in: the log names the routines that they must
# have called, and the results are the same within rounding. What is not installed is not tried, and that is said.
#
#   tests/dropin/languages.sh LIBRARY WORK
#
# LIBRARY is libaffinimath_blas.so.0; WORK is a folder to be made.
set -eu
cd "$(dirname "$0")"
library=$1
work=$2
mkdir -p "$work"

# same WITHOUT WITH: numbers may differ in the last of the digits that are printed, which for floats are few.
same() {
  /usr/bin/python3 - "$1" "$2" <<'PROGRAM'
import sys


def close(x, y, tolerance):
    try:
        return abs(float(x) - float(y)) <= tolerance * max(1.0, abs(float(x)))
    except ValueError:
        return False


lines = [open(path).read().splitlines() for path in sys.argv[1:]]
assert lines[0], "nothing was printed"
for one, other in zip(*lines, strict=True):
    words = [line.split() for line in (one, other)]
    assert len(words[0]) == len(words[1]), f"{one}\n{other}"
    for x, y in zip(*words):
        assert x == y or close(x, y, 1e-2 if one[0] in "fF" else 1e-7), f"{one}\n{other}"
PROGRAM
}

# over NAME ROUTINES COMMAND...: the command with and without the drop-in.
over() {
  name=$1
  routines=$2
  shift 2
  "$@" >"$work/without"
  AFFINIMATH_LOG=affinimath_blas=debug LD_PRELOAD=$library "$@" >"$work/with" 2>"$work/log"
  for routine in $routines; do
    grep -q -i "called.*$routine" "$work/log" || { echo "$name did not call $routine"; exit 1; }
  done
  same "$work/without" "$work/with"
  echo "    $name: $(wc -l <"$work/with") results are the same"
}

ours="gemm DGESV CGETRF ZPOTRF SGEQRF DORGQR ZUNGQR DGETRI DGETRS SPOTRS DTRTRS"
if /usr/bin/python3 -c 'import scipy.linalg' 2>/dev/null; then
  over "Debian's NumPy and SciPy" "$ours" /usr/bin/python3 python.py
else
  echo "    (no SciPy of Debian's: not tried)"
fi
# pip's packages bring an OpenBLAS of their own, with names of its own.
if [ -n "${PIP_PYTHON:-}" ]; then
  over "pip's NumPy and SciPy" "$ours" "$PIP_PYTHON" python.py
else
  echo "    (PIP_PYTHON names no Python with pip's NumPy and SciPy: not tried)"
fi
if command -v octave-cli >/dev/null; then
  over Octave "dgemm zgemm DGETRF ZPOTRF DGEQRF DTRTRS DGECON ZTRCON DGESVD ZHEEV DGELSD" octave-cli --norc octave.m
else
  echo "    (no Octave: not tried)"
fi
if command -v Rscript >/dev/null; then
  over R "dgemm dsyrk DGESV DPOTRF ZGESV" Rscript --vanilla r.R
else
  echo "    (no R: not tried)"
fi

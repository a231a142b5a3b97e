#!/bin/sh
# Runs Netlib's testers of LAPACK's linear equations, which Debian has in liblapack-test, over a library that is
# preloaded: the groups of routines that the library has, error exits included. What it does not have is the system's
# LAPACK's.
#
#   tests/dropin/lintst.sh LIBRARY FOLDER [TYPES]
#
# TYPES are letters of types, sdcz when they are left out. FOLDER gets what the testers say. Ends with "lintst: N
# groups, 0 failures".
set -eu
library=$1
folder=$2
types=${3:-sdcz}
testers=/usr/lib/$(gcc -dumpmachine)/lapack
mkdir -p "$folder"

groups=0
failures=0
for type in $(echo "$types" | sed 's/./& /g'); do
  # The sizes and what else stands before the groups, and of these the ones for LU, Cholesky, bands, tridiagonal and
  # indefinite matrices (by rook pivoting, too), triangles, packed and band ones, QR with and without pivoting,
  # trapezoids, least squares and equilibration.
  chosen="GE|GB|GT|PO|PP|PB|PT|SY|SR|SP|HE|HR|HP|TR|TP|TB|QR|QP|TZ|LS|EQ"
  sed -n -E "1,/error exits/p; /^.($chosen)( |\$)/p" "$testers/${type}test.in" >"$folder/$type.in"
  said=$folder/$type.said
  code=0
  LD_PRELOAD=$library "$testers/xlintst$type" <"$folder/$type.in" >"$said" 2>"$folder/$type.errors" || code=$?
  passed=$(grep -c -E 'passed the (threshold|tests of the error exits)' "$said") || true
  groups=$((groups + passed))
  if [ "$code" != 0 ] || [ "$passed" -lt 54 ] || grep -q -E 'failed|\*\*\*|illegal' "$said"; then
    failures=$((failures + 1))
    echo "xlintst$type: exit code $code, $passed passed"
    grep -E 'failed|\*\*\*|illegal' "$said" | head -n 20
    tail -n 5 "$folder/$type.errors"
  fi
  # Rectangular full packed storage has a tester of its own.
  said=$folder/$type.rfp
  code=0
  LD_PRELOAD=$library "$testers/xlintstrf$type" <"$testers/${type}test_rfp.in" >"$said" 2>"$folder/$type.errors" ||
    code=$?
  passed=$(grep -c -E 'passed' "$said") || true
  groups=$((groups + passed))
  if [ "$code" != 0 ] || [ "$passed" -lt 6 ] || grep -q -E 'failed|\*\*\*|illegal' "$said"; then
    failures=$((failures + 1))
    echo "xlintstrf$type: exit code $code, $passed passed"
    grep -E 'failed|\*\*\*|illegal' "$said" | head -n 20
  fi
done
echo "lintst: $groups groups, $failures failures"
[ "$failures" = 0 ]

#!/bin/sh
# Runs Netlib's testers of BLAS and CBLAS, which Debian has in libblas-test, over a library that is preloaded.
#
#   tests/dropin/netlib.sh LIBRARY FOLDER [TYPES]
#
# TYPES are letters of types, sdcz when they are left out. FOLDER gets what the testers say; AFFINIMATH_ROUTE tells
# where they run. Ends with "netlib: N checks, 0 failures", a check being a line in which a tester says that something
# passed.
set -eu
library=$1
folder=$2
types=${3:-sdcz}
testers=/usr/lib/$(gcc -dumpmachine)/blas
mkdir -p "$folder"
cd "$folder"

checks=0
failures=0

# tester PROGRAM [INPUT]: it must end well, say that something passed, and nothing that failed.
tester() {
  rm -f ./*.out
  code=0
  # The C testers take the symbol RowMajorStrg from the reference library, whose folder this is.
  LD_PRELOAD=$library LD_LIBRARY_PATH=$testers "$testers/$1" <"${2:-/dev/null}" >"$1.said" 2>"$1.errors" || code=$?
  for file in ./*.out; do
    [ ! -e "$file" ] || cat "$file" >>"$1.said"
  done
  passed=$(grep -c PASS "$1.said") || true
  checks=$((checks + passed))
  if [ "$code" != 0 ] || [ "$passed" = 0 ] || grep -q -E 'FAIL|\*\*\*\*|NOT DETECTED' "$1.said"; then
    failures=$((failures + 1))
    echo "$1: exit code $code, $passed passed"
    grep -E 'FAIL|\*\*\*\*|NOT DETECTED' "$1.said" | head -n 20
    tail -n 5 "$1.errors"
  fi
}

for type in $(echo "$types" | sed 's/./& /g'); do
  tester "xblat1$type"
  tester "xblat2$type" "$testers/${type}blat2.in"
  tester "xblat3$type" "$testers/${type}blat3.in"
  tester "x${type}cblat1"
  tester "x${type}cblat2" "$testers/${type}in2"
  tester "x${type}cblat3" "$testers/${type}in3"
done
echo "netlib: $checks checks, $failures failures"
[ "$failures" = 0 ]

#!/bin/sh
# Runs Netlib's testers of pencils of general matrices and of band matrices, which Debian has in liblapack-test, over a
# library that is preloaded. What it does not have is the system's LAPACK's.
#
#   tests/dropin/eigtst-generalised.sh LIBRARY FOLDER [TYPES]
#
# TYPES are letters of types, sdcz when they are left out. FOLDER gets what the testers say. Ends with "eigtst: N
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
  for group in "${type}gg" "${type}gd" "${type}sb"; do
    said=$folder/$group.said
    code=0
    LD_PRELOAD=$library "$testers/xeigtst$type" <"$testers/$group.in" >"$said" 2>"$folder/$group.errors" || code=$?
    passed=$(grep -c -i -E 'passed the (threshold|tests of the error exits)' "$said") || true
    groups=$((groups + passed))
    if [ "$code" != 0 ] || [ "$passed" = 0 ] || grep -q -E 'failed|\*\*\*|illegal' "$said"; then
      failures=$((failures + 1))
      echo "xeigtst$type, $group: exit code $code, $passed passed"
      grep -E 'failed|\*\*\*|illegal' "$said" | head -n 20
      tail -n 5 "$folder/$group.errors"
    fi
  done
done
echo "eigtst: $groups groups, $failures failures"
[ "$failures" = 0 ]

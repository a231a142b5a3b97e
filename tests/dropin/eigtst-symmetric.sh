#!/bin/sh
# Runs Netlib's testers of symmetric eigenvalues, their pencils and singular values, which Debian has in liblapack-test,
# over a library that is preloaded. What it does not have is the system's LAPACK's.
#
#   tests/dropin/eigtst-symmetric.sh LIBRARY FOLDER [TYPES]
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
  for group in sep svd "${type}sg"; do
    said=$folder/$type-$group.said
    code=0
    # One block size is enough: the library does not ask for them.
    sed -E 's/^[0-9]+( +Number of (values of NB|parameter values))/1\1/' "$testers/$group.in" >"$folder/$type-$group.in"
    LD_PRELOAD=$library "$testers/xeigtst$type" <"$folder/$type-$group.in" >"$said" \
      2>"$folder/$type-$group.errors" || code=$?
    passed=$(grep -c -E 'passed the (threshold|tests of the error exits)' "$said") || true
    groups=$((groups + passed))
    if [ "$code" != 0 ] || [ "$passed" = 0 ] || grep -q -E 'failed|\*\*\*|illegal' "$said"; then
      failures=$((failures + 1))
      echo "xeigtst$type, $group: exit code $code, $passed passed"
      grep -E 'failed|\*\*\*|illegal' "$said" | head -n 20
      tail -n 5 "$folder/$type-$group.errors"
    fi
  done
done
echo "eigtst: $groups groups, $failures failures"
[ "$failures" = 0 ]

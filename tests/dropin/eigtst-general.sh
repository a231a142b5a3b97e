#!/bin/sh
# Runs Netlib's testers of general eigenvalues, Schur forms, their condition estimates and balancing, which Debian has
# in liblapack-test, over a library that is preloaded. What it does not have is the system's LAPACK's.
#
#   tests/dropin/eigtst-general.sh LIBRARY FOLDER [TYPES]
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
fail() {
  failures=$((failures + 1))
  echo "xeigtst$type, $group: $1"
  grep -E 'failed|\*\*\*|illegal|largest test error|not 0|wrong' "$said" | head -n 20
  tail -n 5 "$folder/$type-$group.errors"
}

for type in $(echo "$types" | sed 's/./& /g'); do
  for group in nep "${type}ed" "${type}ec" "${type}bal" "${type}bak"; do
    said=$folder/$type-$group.said
    code=0
    # One block size is enough: the library does not ask for them.
    sed -E 's/^[0-9]+( +Number of values of NB)/1\1/' "$testers/$group.in" >"$folder/$type-$group.in"
    LD_PRELOAD=$library "$testers/xeigtst$type" <"$folder/$type-$group.in" >"$said" \
      2>"$folder/$type-$group.errors" || code=$?
    case $group in
      *ba[lk])
        # The largest error is a multiple of the precision. There are no infos, and no wrong ranges.
        groups=$((groups + 1))
        [ "$code" = 0 ] || { fail "exit code $code"; continue; }
        # One example has an infinite error in single precision, with the reference too.
        "$testers/xeigtst$type" <"$folder/$type-$group.in" >"$said.reference"
        awk -F= '/largest test error/ { text[++files] = $2; sub("D", "E", $2)
            error = $2 ~ /[0-9]/ ? $2 + 0 : 1e99 }
          files == 2 && /is not zero|wrong|not 0/ { wrong += $2 + 0 }
          END { exit !(files == 2 && (error < 10 || text[1] == text[2]) && wrong == 0) }' "$said.reference" "$said" ||
          fail "an error is too large"
        ;;
      *)
        passed=$(grep -c -E 'passed the (threshold|tests of the error exits)' "$said") || true
        groups=$((groups + passed))
        if [ "$code" != 0 ] || [ "$passed" = 0 ] || grep -q -E 'failed|\*\*\*|illegal' "$said"; then
          fail "exit code $code, $passed passed"
        fi
        ;;
    esac
  done
done
echo "eigtst: $groups groups, $failures failures"
[ "$failures" = 0 ]

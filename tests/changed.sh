#!/bin/sh
# Names the changed files, each with the sections of tests/run.sh that it touches, and in a last line all of these.
#
#   tests/changed.sh SECTIONS DEFAULT [BASE]
#
# SECTIONS are all of them in their order, and DEFAULT those of the default tier, for files of no known kind. A file has
# changed if it differs from the last commit that is also one of BASE's, committed or not, or if git does not know it.
# BASE is origin/main or main by default, and on that branch itself the commit before.
set -eu
cd "$(dirname "$0")/.."
sections=$1
default=$2

# touched PATH: the sections for a file, by the first pattern that it matches.
touched() {
  rust="build format clippy host"
  case $1 in
  docs/* | *.md | tests/book.sh) echo "book" ;;
  python/*mpi/* | python/tests/test_mpi.py) echo "build consumers mpi" ;;
  python/*) echo "build headers consumers" ;;
  tests/faults.sh | tests/faults/* | tests/trace.sh | tests/trace/*) echo "build faults" ;;
  tests/memory.sh | tests/soak.sh | tests/soak/*) echo "build memory" ;;
  tests/vendor/*) echo "$rust vendor" ;;
  ffi/interpose/*) echo "$rust faults" ;;
  ffi/fftw/* | tests/fftw.sh | tests/fftw/*) echo "$rust generated drop-in" ;;
  ffi/blas/* | include/affinimath-blas/* | tests/dropin.sh | tests/dropin/*) echo "$rust generated headers drop-in" ;;
  ffi/mpi/* | include/affinimath_mpi.* | tests/mpi.sh | tests/mpi/* | examples/*/mpi*) echo "$rust generated mpi" ;;
  ffi/* | include/*) echo "$rust generated headers consumers drop-in" ;;
  xtask/*) echo "$rust generated" ;;
  examples/stencils/*) echo "$rust book" ;;
  examples/*.rs | crates/kernel/examples/*) echo "$rust book" ;;
  examples/*) echo "build book headers consumers" ;;
  CMakeLists.txt | cmake/* | packaging/* | tests/c/* | tests/cxx/* | tests/fortran/* | tests/cmake/*)
    echo "build headers consumers" ;;
  tests/consumers.sh | tests/debian.sh | tests/docs.sh | tests/headers.sh | tests/symbols.sh)
    echo "build headers consumers" ;;
  crates/mpi/* | crates/mpi-cli/*) echo "mpi" ;;
  crates/cli/* | crates/bench/* | benches/* | fuzz/*) echo "$rust" ;;
  crates/cpu/*.rs | */vendor/*.rs) echo "$rust vendor" ;;
  *Cargo.toml) echo "$default" ;;
  src/*lapack* | cl/*lapack* | crates/*lapack*) echo "$rust pocl-all:lapack" ;;
  src/*sparse* | cl/*sparse* | crates/*sparse*) echo "$rust pocl-all:sparse" ;;
  src/*fft* | cl/*fft* | crates/*fft* | *convolution*.rs) echo "$rust pocl-all:fft,convolution" ;;
  src/*level3* | cl/*level3* | crates/*level3*) echo "$rust pocl-all:blas,lapack" ;;
  src/*blas/* | cl/*blas/* | crates/*blas/*) echo "$rust pocl-all:blas" ;;
  cl/* | *.rs) echo "$rust pocl-all" ;;
  *) echo "$default" ;;
  esac
}

# base REVISION: the commit to compare with; a repository's first commit has the empty tree for it.
base() {
  if [ -n "$1" ]; then
    git merge-base "$1" HEAD || { echo "no common commit with '$1'" >&2; return 1; }
    return
  fi
  for revision in origin/main main; do
    commit=$(git merge-base "$revision" HEAD 2>/dev/null) || continue
    [ "$commit" = "$(git rev-parse HEAD)" ] || { echo "$commit"; return; }
  done
  git rev-parse --quiet --verify 'HEAD~1^{commit}' || git hash-object -t tree /dev/null
}

# changed COMMIT: the files that differ from it, and untracked ones.
changed() {
  git -c core.quotePath=false diff --name-only --no-renames "$1"
  git -c core.quotePath=false ls-files --others --exclude-standard
}

# united: sections, one or several a line, as one list in the order of all of them. A section with filters and without
# them is the one without, with several lists the one with all their filters.
united() {
  tr ' ' '\n' | awk -F: -v order="$sections" '
    NF == 1 { whole[$1] = 1 }
    NF == 2 {
      count = split($2, parts, ",")
      for (i = 1; i <= count; i++) if (!(($1, parts[i]) in seen)) {
        seen[$1, parts[i]] = 1
        filters[$1] = filters[$1] (filters[$1] == "" ? "" : ",") parts[i]
      }
    }
    END {
      if ("pocl-all" in whole) { delete whole["pocl-quick"]; delete whole["pocl"] }
      count = split("consumers drop-in memory vendor", names, " ")
      for (i = 1; i <= count; i++) if (names[i] in whole) whole["more-packages"] = 1
      if ("build" in whole) whole["packages"] = 1
      count = split(order, names, " ")
      for (i = 1; i <= count; i++) {
        if (names[i] in whole) print names[i]
        else if (names[i] in filters) print names[i] ":" filters[names[i]]
        delete whole[names[i]]
        delete filters[names[i]]
      }
    }'
}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
git rev-parse --git-dir >/dev/null
commit=$(base "${3:-}")
changed "$commit" >"$work/all"
LC_ALL=C sort -u "$work/all" >"$work/changed"
while read -r path; do
  echo "$path: $(touched "$path")"
done <"$work/changed" | tee "$work/touched"
sed 's/^.*: //' "$work/touched" | united | paste -s -d ' ' -

#!/bin/sh
# Shared dependencies have the same features in every selection of packages, so that cargo compiles them once: cargo's
# default members, CMake's packages, pip's package and xtask, beside the workspace with its tests.
set -eu
cd "$(dirname "$0")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# tree KINDS SELECTION...: a line "crate version|features" for each crate of the selection.
tree() {
  kinds=$1
  shift
  cargo tree --quiet --locked --edges "$kinds" --prefix none --format '{p}|{f}' "$@" >"$work/tree"
  sed 's/ (\*)$//; s/ ([^|]*)|/|/' "$work/tree" | LC_ALL=C sort -u
}

# packages FILE: those that its call of cargo names.
packages() {
  grep -o -E -e '--package"?,? "?affinimath[a-z-]*' "$1" | sed 's/.*\(affinimath\)/--package \1/'
}

differ=
# compare NAME SELECTION...: tells the features that the workspace asks for and the selection does not.
compare() {
  name=$1
  shift
  tree normal,build "$@" >"$work/selection"
  [ "$(wc -l <"$work/selection")" -gt 20 ] || { echo "$name: too few crates to be all"; exit 1; }
  awk -F'|' -v name="$name" '
    NR == FNR { known[$0] = 1; features[$1] = $2; next }
    !($0 in known) {
      printf "%s: %s lacks", name, $1
      count = split(features[$1], wanted, ",")
      for (i = 1; i <= count; i++) if (index("," $2 ",", "," wanted[i] ",") == 0) printf " %s", wanted[i]
      printf "\n"
      differ = 1
    }
    END { exit differ }' "$work/workspace" "$work/selection" || differ=yes
}

tree normal,build,dev --workspace >"$work/workspace"
compare "cargo's default members"
# shellcheck disable=SC2046 # several words
compare "CMake's packages" $(packages CMakeLists.txt)
# shellcheck disable=SC2046
compare "pip's package" $(packages python/hatch_build.py)
compare "xtask" --package xtask
compare "the workspace without tests" --workspace
[ -z "$differ" ] || { echo "crates/features/Cargo.toml names the features of shared dependencies"; exit 1; }

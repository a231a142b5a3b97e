#!/bin/sh
# Eight threads call everything in every type, for a while. Every result is checked, and memory must not grow.
#
#   tests/soak.sh [MINUTES [device|usual|host [PROFILE]]]
#
# For 2 minutes, without a device and with cargo's profile release, where nothing else is said. OCL_ICD_VENDORS says
# which devices there are. On one, programs are built for the first minutes, and memory is flat only after them: give it
# a quarter of an hour. With `usual` transforms on a device have a few lengths only: no program is new after some 1,500,
# and memory is flat. On PoCL with two free cores that takes a quarter of an hour, so that an hour shows it.
set -eu
cd "$(dirname "$0")/.."
minutes=${1:-2}
where=${2:-host}
profile=${3:-release}
case $where in
device | usual | host) ;;
*) echo "$0: '$where' is neither device, usual nor host"; exit 2 ;;
esac
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

target=${CARGO_TARGET_DIR:-target}
if [ "$profile" = dev ]; then
  built=$target/debug
  cargo build --quiet --workspace --lib --bins --tests # what the other tests have built
else
  built=$target/$profile
  cargo build --quiet --profile "$profile" --package affinimath-ffi
fi
cp "$built/libaffinimath_ffi.so" "$work/libaffinimath.so.0"

case $where in
device) libraries="-lOpenCL" definitions="-DSOAK_DEVICE" ;;
usual) libraries="-lOpenCL" definitions="-DSOAK_DEVICE -DSOAK_USUAL" ;;
host)
  libraries='' definitions=''
  export OCL_ICD_VENDORS="$work" # where no driver is
  ;;
esac
# shellcheck disable=SC2086 # several words, or none
gcc -std=gnu99 -O2 -Wall -Wextra -Werror $definitions -Iinclude -o "$work/soak" tests/soak/soak.c \
  "$work/libaffinimath.so.0" $libraries -lm -lpthread
# PoCL compiles each kernel once more for a cache that is not its own.
export AFFINIMATH_CACHE="${AFFINIMATH_CACHE-off}"
LD_LIBRARY_PATH=$work "$work/soak" "$(echo "$minutes" | awk '{ print $1 * 60 }')"

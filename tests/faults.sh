#!/bin/sh
# Fails OpenCL's functions one call at a time under the library's operations (tests/faults/faults.c says how), on the
# devices that OCL_ICD_VENDORS names, with the library of cargo's dev profile.
#
#   tests/faults.sh            the last call of each function, and all of them at once
#   tests/faults.sh all        every call
#   tests/faults.sh [all] fft  of one operation
set -eu
cd "$(dirname "$0")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
built=${CARGO_TARGET_DIR:-target}/debug
FAULT_LIBRARY=$(ldconfig -p | awk '/libOpenCL\.so\.1 / { print $NF; exit }')
[ -n "$FAULT_LIBRARY" ] || { echo "no libOpenCL.so.1: apt-get install ocl-icd-libopencl1"; exit 1; }

gcc -std=c99 -O1 -Wall -Wextra -Werror -shared -fPIC -Wl,-soname,libOpenCL.so.1 -o "$work/libOpenCL.so.1" \
  tests/faults/shim.c -ldl -lpthread
ln -s "$(realpath "$built")/libaffinimath_ffi.so" "$work/libaffinimath.so.0"
gcc -std=c99 -O1 -Wall -Wextra -Werror -Iinclude -o "$work/faults" tests/faults/faults.c tests/faults/operations.c \
  "$work/libaffinimath.so.0" "$work/libOpenCL.so.1" -lm

export FAULT_LIBRARY AFFINIMATH_ROUTE=device AFFINIMATH_DEVICE="${AFFINIMATH_DEVICE:-0}" LD_LIBRARY_PATH="$work"
AFFINIMATH_CACHE=off "$work/faults" "$@"
echo "Array expressions, which C has not."
AFFINIMATH_CACHE=off cargo test --quiet --workspace --test library -- --exact --nocapture \
  device::array::failing_calls_are_errors_and_lose_nothing
echo "Calls that two devices share."
AFFINIMATH_CACHE=off POCL_DEVICES="pthread pthread" cargo test --quiet --workspace --test library -- --exact \
  --nocapture device::set::failing_calls_are_errors_and_lose_nothing
echo "With the cache of programs: what is not built from its binary is built from its source."
AFFINIMATH_CACHE=on AFFINIMATH_CACHE_DIR=$work/cache "$work/faults" "$@" gemm

#!/bin/sh
# Traces an OpenCL program that knows nothing of the library (tests/trace/foreign.c), by libaffinimath_trace.so of
# cargo's dev profile. Its results stay what they are, and its launches replay with the same bits. OCL_ICD_VENDORS names
# the drivers.
set -eu
cd "$(dirname "$0")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
built=$(realpath "${CARGO_TARGET_DIR:-target}")/debug
loader=$(ldconfig -p | awk '/libOpenCL\.so\.1 / { print $NF; exit }')
[ -n "$loader" ] || { echo "no libOpenCL.so.1: apt-get install ocl-icd-libopencl1"; exit 1; }
library=$built/libaffinimath_interpose.so
fail() { echo "$*"; exit 1; }
unset AFFINIMATH_TRACE AFFINIMATH_TRACE_OPENCL

echo "The stand-in has the loader's functions, and no other names."
names() { nm -D --defined-only "$1" | awk '$2 == "T" { sub(/@.*/, "", $3); print $3 }' | grep "$2" | sort -u; }
names "$library" '^cl' >"$work/ours"
names "$loader" '^cl' >"$work/theirs"
missing=$(comm -13 "$work/ours" "$work/theirs")
[ -z "$missing" ] || fail "missing: $missing"
! names "$library" . | grep -v '^cl' || fail "exported besides"

warnings="-std=c99 -O1 -Wall -Wextra -Werror -Wno-deprecated-declarations"
# shellcheck disable=SC2086 # several words
gcc $warnings -o "$work/foreign" tests/trace/foreign.c -lOpenCL
"$work/foreign" >"$work/plain"
tail -n 1 "$work/plain"

# run NAME VARIABLE=VALUE... PROGRAM: the same output, and nothing on standard error but the count of errors that PoCL's
# compiler finds in the build that fails.
run() {
  name=$1
  shift
  env "$@" >"$work/$name.out" 2>"$work/$name.err" || { cat "$work/$name.err"; fail "$name: it fails"; }
  cmp "$work/plain" "$work/$name.out"
  ! grep -v '^1 error generated\.$' "$work/$name.err" || fail "$name: it has said something"
}

echo "Preloaded: the same results, without and with a trace; two traces are the same text."
run idle LD_PRELOAD="$library" "$work/foreign"
run first LD_PRELOAD="$library" AFFINIMATH_TRACE="$work/first" "$work/foreign"
run second LD_PRELOAD="$library" AFFINIMATH_TRACE="$work/second" "$work/foreign"
cmp "$work/first/trace.jsonl" "$work/second/trace.jsonl"
"$built/affinimath" replay --diff "$work/first" "$work/second"

echo "In the loader's place, found by dlopen: the same trace."
mkdir "$work/place"
ln -s "$library" "$work/place/libOpenCL.so.1"
# shellcheck disable=SC2086 # several words
gcc $warnings -shared -fPIC -Dmain=foreign -o "$work/foreign.so" tests/trace/foreign.c
cat >"$work/open.c" <<'END'
#include <dlfcn.h>
int main(int count, char **words)
{
  void *loader = dlopen("libOpenCL.so.1", RTLD_NOW | RTLD_GLOBAL), *program = dlopen(words[count - 1], RTLD_NOW);
  int (*foreign)(void) = (int (*)(void))dlsym(program, "foreign");
  return !loader || !foreign || foreign();
}
END
gcc -o "$work/open" "$work/open.c" -ldl
run place LD_LIBRARY_PATH="$work/place" AFFINIMATH_TRACE="$work/third" "$work/open" "$work/foreign.so"
cmp "$work/first/trace.jsonl" "$work/third/trace.jsonl"
run named LD_LIBRARY_PATH="$work/place" AFFINIMATH_TRACE_OPENCL="$loader" AFFINIMATH_TRACE="$work/fourth,count=1" \
  "$work/open" "$work/foreign.so"
[ "$(find "$work/fourth" -name launch.json)" = "$work/fourth/000000-add/launch.json" ] || fail "count=1"

echo "Every launch replays with the same bits."
"$built/affinimath" replay "$work/first" | tee "$work/replayed"
grep -q '^6 right, 0 wrong' "$work/replayed" || fail "6 launches are right"
grep -q '"obstacle":"it may wait for a user event' "$work/first/trace.jsonl" || fail "no word of the user event"
grep -q '"refused":' "$work/first/trace.jsonl" || fail "no word of the refused launch"
! grep -q drawn "$work/first/trace.jsonl" || grep -q '^000008-drawn *skipped: .*image2d_t' "$work/replayed" ||
  fail "no word of the image"

echo "Another source is wrong, and named."
sed 's/x\[i\] + y\[i\]/x[i] - y[i]/' "$work/first/000000-add/source.cl" >"$work/wrong.cl"
! "$built/affinimath" replay "$work/first/000000-add" --kernel "$work/wrong.cl" >"$work/wrong" || fail "it is right"
grep "wrong: 'z' (argument 2)" "$work/wrong"

echo "A launch is tuned where it lies."
cat >"$work/space.json" <<'END'
{
  "ConfigurationSpace": {
    "TuningParameters": [
      { "Name": "block_size_x", "Type": "int", "Values": "[4, 8]", "Default": 8 },
      { "Name": "block_size_y", "Type": "int", "Values": "[4, 8]", "Default": 8 }
    ],
    "Conditions": [{ "Expression": "block_size_x == block_size_y", "Parameters": ["block_size_x", "block_size_y"] }]
  },
  "KernelSpecification": { "Language": "OpenCL", "KernelName": "product" }
}
END
AFFINIMATH_TUNING_DIR=$work/database "$built/affinimath" replay "$work/first/000001-product" \
  --tune "$work/space.json" --strategy exhaustive --device 0 >"$work/tuned" || { cat "$work/tuned"; exit 1; }
grep '2 points measured, 0 of them failed' "$work/tuned"

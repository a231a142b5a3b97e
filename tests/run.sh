#!/bin/sh
# Everything that has to hold, on every device that this machine can stand in for. Ends with "N passed, N failed".
#
#   tests/run.sh              all sections, two at once
#   tests/run.sh NAME...      some of them, one after the other; tests/run.sh --list names them
#   tests/run.sh pocl-optimised        what is not among all: PoCL's tests once more, as it compiles for users
#
# As root it installs the Debian packages that it needs; else it says which are missing. It changes nothing outside
# cargo's target folder and a temporary one.
cd "$(dirname "$0")/.." || exit 1

# What all others need, and then jobs, of which two run at once: each worker takes the first that nobody has taken, so that neither idles
# while there are any. Long ones come first. The packages that `consumers` installs are the system's BLAS for a while, with which
# `drop-in` compares: both are one job, as sections joined by "+" are.
FIRST="packages build"
JOBS="pocl oclgrind consumers+drop-in rusticl clippy host generated faults memory vendor no-loader book format"
SECTIONS="$FIRST $(echo "$JOBS" | tr + ' ')"
# Only where they are named.
MORE="pocl-optimised"

# Each section is a process of its own, `sh tests/run.sh --section FOLDER NAME`: a shell that calls a function in a
# condition ignores errexit in all of it, and a failure in its middle with it. It has a folder of its own, and shares caches.
if [ "${1:-}" = --section ]; then
  set -eu
  run=$2
  work=$run/$3
else
  run=$(mktemp -d) || exit 1
  work=$run
  trap 'rm -rf "$run"' EXIT
  trap 'for stream in $streams; do end "$stream"; done; exit 130' INT TERM
fi

# end PROCESS: with its children, which do not hear of an interrupt where they run in the background.
end() {
  for child in $(cat "/proc/$1/task/$1/children" 2>/dev/null); do end "$child"; done
  kill "$1" 2>/dev/null
}

# Nothing of the caller's own settings, caches and measurements: each run starts empty.
for variable in $(env | sed -n 's/^\(AFFINIMATH_[A-Z_]*\)=.*/\1/p'); do unset "$variable"; done
export AFFINIMATH_CACHE_DIR="$run/caches/programs" POCL_CACHE_DIR="$run/caches/pocl"
export XDG_CACHE_HOME="$run/caches" XDG_DATA_HOME="$run/caches/data" CARGO_TERM_COLOR=never
mkdir -p "$AFFINIMATH_CACHE_DIR" "$POCL_CACHE_DIR" "$work/no-device"

# ---- Devices. One folder of drivers per device, so that a section sees that one only.

# driver NAME FILE: makes the folder $work/NAME with the driver's library in it, from an .icd file of the system's or
# the library itself, and makes it the only one.
driver() {
  mkdir -p "$work/$1"
  case $2 in
  *.icd) cp "$2" "$work/$1/" || return 1 ;;
  *) [ -e "$2" ] && echo "$2" >"$work/$1/$1.icd" || { echo "$2 is not there"; return 1; } ;;
  esac
  export OCL_ICD_VENDORS="$work/$1"
}

# All that tests build, in one go: cargo builds dependencies again where it is asked for parts, which need less of them.
ALL="--workspace --lib --bins --tests"
# What of that has tests. Asked by name, the C libraries are built once more, as tests, which are none.
TESTS="--workspace --tests"
build() {
  # shellcheck disable=SC2086 # several words
  cargo build --quiet $ALL
}

# What is built lies here.
built=${CARGO_TARGET_DIR:-target}/debug

# sees TEXT: the library sees exactly one device, and TEXT is part of what it says of it. Tests that need a device do
# nothing where there is none, so that a driver that does not load would look like a success.
sees() {
  build
  "$built/affinimath" info >"$work/info"
  cat "$work/info"
  [ "$(grep -c '^device ' "$work/info")" = 1 ] || { echo "not one device"; return 1; }
  grep -q -F "$1" "$work/info" || { echo "the device is not '$1'"; return 1; }
}

# sees_none TEXT: the library sees no device, for the reason TEXT.
sees_none() {
  build
  "$built/affinimath" info >"$work/info"
  cat "$work/info"
  grep -q "no OpenCL device found.*$1" "$work/info"
}

VENDORS=/etc/OpenCL/vendors
OCLGRIND=/usr/lib/oclgrind/liboclgrind-rt-icd.so

# ---- Sections. Each ends at its first failing command.

# What Debian calls the packages, and a file or program that tells whether each is there.
packages() {
  missing=
  while read -r package witness; do
    case $witness in
    /*) [ -e "$witness" ] ;;
    *) command -v "$witness" >/dev/null ;;
    esac || missing="$missing $package"
  done <<END
gcc gcc
g++ g++
make make
cmake cmake
pkg-config pkg-config
gfortran gfortran
ocl-icd-opencl-dev /usr/include/CL/cl.h
pocl-opencl-icd $VENDORS/pocl.icd
mesa-opencl-icd $VENDORS/rusticl.icd
oclgrind $OCLGRIND
valgrind valgrind
libc6-dbg /usr/lib/debug/.build-id
python3-scipy /usr/lib/python3/dist-packages/scipy
python3-pip /usr/lib/python3/dist-packages/pip
python3-hatchling /usr/lib/python3/dist-packages/hatchling
python3-pytest /usr/lib/python3/dist-packages/pytest
dpkg-dev dpkg-shlibdeps
man-db man
libopenblas0-pthread /usr/lib/$(uname -m)-linux-gnu/openblas-pthread/libblas.so.3
libblas3 /usr/lib/$(gcc -dumpmachine 2>/dev/null)/blas/libblas.so.3
libblas-test /usr/lib/$(gcc -dumpmachine 2>/dev/null)/blas/xblat1s
liblapack-test /usr/lib/$(gcc -dumpmachine 2>/dev/null)/lapack/xlintsts
END
  ldconfig -p | grep -q 'libOpenCL\.so\.1' || missing="$missing ocl-icd-libopencl1"
  [ -n "$missing" ] || return 0
  if [ "$(id -u)" != 0 ]; then
    echo "missing:$missing"
    echo "as root: apt-get install$missing"
    return 1
  fi
  apt-get update -q
  # shellcheck disable=SC2086 # several words
  DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends $missing
}

format() {
  cargo fmt --all --check
}

book() {
  tests/book.sh
}

# In a folder of its own, so that tests that begin meanwhile need not wait for it.
clippy() {
  cargo clippy --quiet --target-dir "${CARGO_TARGET_DIR:-target}/clippy" --workspace --all-targets -- -D warnings
}

generated() {
  build
  "$built/xtask" codegen --check
  python3 packaging/third-party.py --check
  tests/features.sh
  python3 packaging/crates.py
}

# A machine whose OpenCL loader knows no driver.
host() {
  export OCL_ICD_VENDORS="$work/no-device"
  sees_none "knows no driver"
  cargo test --workspace --no-fail-fast
}

# A machine without OpenCL: where the loader would be, there is a file that cannot be loaded. What runs then is what runs
# without a driver, so that it is enough to try small sizes of everything, and the program.
no_loader() {
  mkdir -p "$work/no-loader"
  echo "not a library" >"$work/no-loader/libOpenCL.so.1"
  export LD_LIBRARY_PATH="$work/no-loader${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
  sees_none "is not installed"
  # shellcheck disable=SC2086 # several words
  cargo test $TESTS --no-fail-fast -- small
  cargo test --workspace --no-fail-fast --bins --test '*'
  # The benchmarks' own tests too. Asked for by that package's name, cargo would build dependencies again.
  # shellcheck disable=SC2086 # several words
  benchmarks=$(cargo test $TESTS --no-run 2>&1 | sed -n 's/.*(\(.*affinimath_bench-[^)]*\))$/\1/p')
  "$benchmarks"
}

# Without the cache of programs: PoCL keeps its own, and compiles every kernel once more where it is asked for a binary.
# The consumers run with it. What knows no device, the host's routines and what is interpreted, is tested without one.
pocl_optimised() {
  driver pocl "$VENDORS/pocl.icd"
  export AFFINIMATH_CACHE=off
  sees "Portable Computing Language"
  cargo test --workspace --no-fail-fast -- --skip host:: --skip interpreted:: --skip have_no_fault
}

# Two thirds of that time are the compiler's, and more than half of those what it optimises. The consumers, the drop-in's programs and
# those of which calls fail run over optimised kernels.
pocl() {
  export POCL_EXTRA_BUILD_FLAGS=-cl-opt-disable
  pocl_optimised
}

# Every function of OpenCL fails once under each kind of operation.
faults() {
  driver pocl "$VENDORS/pocl.icd"
  sees "Portable Computing Language"
  tests/faults.sh
}

# A simulator that finds data races and accesses out of bounds. It is slow and runs one test at a time: the tests on
# small sizes have `small` in their names. Its check for uninitialised values is left out: version 21.10 crashes in it.
oclgrind() {
  driver oclgrind "$OCLGRIND"
  # Into a pipe: a file is begun anew by each program that loads the simulator, with what the ones before found.
  mkfifo "$work/findings"
  cat <>"$work/findings" >"$work/oclgrind.log" &
  trap "kill $!" EXIT
  export OCLGRIND_DATA_RACES=1 OCLGRIND_CHECK_API=1 OCLGRIND_LOG="$work/findings"
  sees "Oclgrind Simulator"
  # shellcheck disable=SC2086 # several words
  cargo test $TESTS -- small --test-threads=1
  # What needs more local memory than it has by itself.
  # shellcheck disable=SC2086 # several words
  OCLGRIND_LOCAL_MEM_SIZE=131072 cargo test $TESTS -- gemm::tests::tensor::groups_small --test-threads=1
  sleep 1
  if grep . "$work/oclgrind.log"; then
    echo "Oclgrind found the above"
    return 1
  fi
}

# A device without fp64: S and C are right, D and Z are refused with a status.
rusticl() {
  driver rusticl "$VENDORS/rusticl.icd"
  # Its compiler takes most of the time, a quarter of it with what it calls optimisation, which is not what is tested here.
  export RUSTICL_ENABLE=llvmpipe GALLIVM_PERF=nopt
  sees "no fp64"
  ln -sf "$(realpath "$built")/libaffinimath_ffi.so" "$work/libaffinimath.so.0"
  gcc -std=c99 -Wall -Wextra -Werror -Iinclude -o "$work/gemm_device" tests/c/gemm_device.c \
    "$work/libaffinimath.so.0" -lOpenCL
  LD_LIBRARY_PATH=$work "$work/gemm_device"
  # shellcheck disable=SC2086 # several words
  cargo test $TESTS -- small
}

# Every routine of a CBLAS in OpenBLAS and in the reference, beside the host's.
vendor() {
  export OCL_ICD_VENDORS="$work/no-device"
  for library in /usr/lib/"$(uname -m)"-linux-gnu/openblas-pthread/libblas.so.3 \
    /usr/lib/"$(uname -m)"-linux-gnu/blas/libblas.so.3; do
    [ -e "$library" ] || continue
    # shellcheck disable=SC2086 # several words
    AFFINIMATH_TEST_CBLAS=$library cargo test $TESTS agreement -- --nocapture
  done
}

# Other people's programs, a Python package and Debian packages, from an install tree. They share the tests' profile, so that little is built twice.
consumers() {
  driver pocl "$VENDORS/pocl.icd"
  tests/consumers.sh dev device
}

# Programs written for BLAS, over the library with the standard names; without the cache of programs, as on PoCL.
drop_in() {
  driver pocl "$VENDORS/pocl.icd"
  export AFFINIMATH_CACHE=off
  tests/dropin.sh dev device
}

# The soak's calls on the host, each operand in memory of its own size, under valgrind.
memory() {
  tests/memory.sh quick dev
}

# ---- Running them.

title() {
  case $1 in
  packages) echo "Debian packages" ;;
  format) echo "Format" ;;
  book) echo "Links, and the book" ;;
  build) echo "Build" ;;
  clippy) echo "Clippy, warnings denied" ;;
  generated) echo "Generated files are what the table says" ;;
  host) echo "Tests without a device" ;;
  no-loader) echo "Tests without OpenCL" ;;
  pocl) echo "Tests on PoCL, kernels not optimised" ;;
  pocl-optimised) echo "Tests on PoCL" ;;
  faults) echo "Failing OpenCL calls" ;;
  oclgrind) echo "Small sizes on Oclgrind" ;;
  rusticl) echo "Small sizes on a device without fp64 (rusticl)" ;;
  vendor) echo "Vendors' libraries" ;;
  consumers) echo "An install tree, its consumers, the documentation's code, and packages" ;;
  drop-in) echo "BLAS under its standard names: Netlib's testers and programs" ;;
  memory) echo "Mixed calls of many threads under valgrind" ;;
  esac
}

# What a section's log counts: cargo's and ctest's tests, and the C programs' checks.
count() {
  awk '/^test result: ok/ { n += $4 } /tests passed, 0 tests failed out of/ { n += $NF } / checks, / { c += $2 }
    END { printf "%d tests", n; if (c) printf ", %d checks", c; print "" }' "$1"
}

# section NAME: runs it, and says how it went: what it said when it fails. One that tested nothing has failed too.
section() {
  mkdir -p "$run/$1"
  log=$run/$1/log
  start=$(date +%s)
  sh tests/run.sh --section "$run" "$1" >"$log" 2>&1 </dev/null
  status=$?
  seconds=$(($(date +%s) - start))
  case $1 in
  packages | format | book | build | clippy | generated) counted= ;;
  *)
    counted=", $(count "$log")"
    if [ "$status" = 0 ] && [ "$counted" = ", 0 tests" ]; then
      status=1
      echo "no test ran" >>"$log"
    fi
    ;;
  esac
  if [ "$status" = 0 ]; then
    echo "== $(title "$1") ... passed ($seconds s$counted)"
    grep '^note: ' "$log" | sed 's/^/   /'
    echo "$1" >>"$run/passed"
  else
    echo "== $(title "$1") ... FAILED ($seconds s)"
    echo "$1" >>"$run/failed"
    # Which tests, however long ago they failed, and how it ended.
    grep -E '^test .* FAILED$|panicked at' "$log" | head -n 40 | sed 's/^/   ! /'
    tail -n 100 "$log" | sed 's/^/   | /'
  fi
  return "$status"
}

# stream NAME...: one section after the other, each of which speaks at its end, and at once.
stream() {
  for name in "$@"; do
    section "$name" >"$run/$name.said"
    cat "$run/$name.said"
  done
}

# worker: job after job. Whoever makes a job's folder has it.
worker() {
  for job in $JOBS; do
    # shellcheck disable=SC2046 # the job's sections
    if mkdir "$run/taken/$job" 2>/dev/null; then stream $(echo "$job" | tr + ' '); fi
  done
}

# all: without its tools, or what is built, a section would only repeat that they are missing.
all() {
  for name in $FIRST; do
    section "$name" || return
  done
  mkdir "$run/taken"
  worker &
  streams=$!
  worker &
  streams="$streams $!"
  wait
}

streams=
case ${1:-} in
--list) echo "$SECTIONS $MORE"; exit 0 ;;
--section) "$(echo "$3" | tr - _)"; exit ;;
esac
for name in "$@"; do
  if [ -z "$(title "$name")" ]; then
    echo "no section '$name'; there are: $SECTIONS $MORE"
    exit 2
  fi
done
touch "$run/passed" "$run/failed"
# shellcheck disable=SC2086 # several words
if [ $# = 0 ]; then all; set -- $SECTIONS; else stream "$@"; fi
passed=$(wc -l <"$run/passed") failed=$(wc -l <"$run/failed")
[ $((passed + failed)) = $# ] || echo "$(($# - passed - failed)) were not run to their end"
echo "$passed passed, $failed failed"
[ "$passed" = $# ]

#!/bin/sh
# Everything that has to hold, on every device that this machine can stand in for. Ends with "N passed, N failed".
#
#   tests/run.sh              all sections
#   tests/run.sh NAME...      some of them; tests/run.sh --list names them
#
# As root it installs the Debian packages that it needs; else it says which are missing. It changes nothing outside
# cargo's target folder and a temporary one.
cd "$(dirname "$0")/.." || exit 1
SECTIONS="packages format clippy generated host no-loader pocl faults oclgrind rusticl vendor consumers drop-in memory"

# Each section is a process of its own, `sh tests/run.sh --section FOLDER FUNCTION`: a shell that calls a function in a
# condition ignores errexit in all of it, and a failure in its middle with it.
if [ "${1:-}" = --section ]; then
  set -eu
  work=$2
else
  work=$(mktemp -d) || exit 1
  trap 'rm -rf "$work"' EXIT
  trap 'exit 130' INT TERM
fi

# Nothing of the caller's own settings, caches and measurements: each run starts empty.
for variable in $(env | sed -n 's/^\(AFFINIMATH_[A-Z_]*\)=.*/\1/p'); do unset "$variable"; done
export AFFINIMATH_CACHE_DIR="$work/cache" POCL_CACHE_DIR="$work/pocl" XDG_CACHE_HOME="$work/cache" XDG_DATA_HOME="$work/data"
export CARGO_TERM_COLOR=never
mkdir -p "$work/cache" "$work/pocl" "$work/no-device"

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
libopenblas0-pthread /usr/lib/$(uname -m)-linux-gnu/openblas-pthread/libblas.so.3
libblas3 /usr/lib/$(gcc -dumpmachine 2>/dev/null)/blas/libblas.so.3
libblas-test /usr/lib/$(gcc -dumpmachine 2>/dev/null)/blas/xblat1s
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

clippy() {
  cargo clippy --quiet --workspace --all-targets -- -D warnings
}

generated() {
  cargo xtask codegen --check
  python3 packaging/third-party.py --check
}

# A machine whose OpenCL loader knows no driver.
host() {
  export OCL_ICD_VENDORS="$work/no-device"
  sees_none "knows no driver"
  cargo test --workspace --no-fail-fast
}

# A machine without OpenCL: where the loader would be, there is a file that cannot be loaded.
no_loader() {
  mkdir -p "$work/no-loader"
  echo "not a library" >"$work/no-loader/libOpenCL.so.1"
  export LD_LIBRARY_PATH="$work/no-loader${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
  sees_none "is not installed"
  # The documentation's code has run without a driver, which is the same to it.
  cargo test --workspace --no-fail-fast --lib --bins --tests
}

# Without the cache of programs: PoCL keeps its own, and compiles every kernel once more where it is asked for a binary.
# The consumers and the drop-in's programs run with it.
pocl() {
  driver pocl "$VENDORS/pocl.icd"
  export AFFINIMATH_CACHE=off
  sees "Portable Computing Language"
  cargo test --workspace --no-fail-fast
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
  export OCLGRIND_DATA_RACES=1 OCLGRIND_CHECK_API=1 OCLGRIND_LOG="$work/oclgrind.log"
  sees "Oclgrind Simulator"
  # shellcheck disable=SC2086 # several words
  cargo test $ALL -- small --test-threads=1
  # What needs more local memory than it has by itself.
  OCLGRIND_LOCAL_MEM_SIZE=131072 cargo test --lib -- gemm::tests::tensor --test-threads=1
  if grep . "$OCLGRIND_LOG"; then
    echo "Oclgrind found the above"
    return 1
  fi
}

# A device without fp64: S and C are right, D and Z are refused with a status.
rusticl() {
  driver rusticl "$VENDORS/rusticl.icd"
  export RUSTICL_ENABLE=llvmpipe
  sees "no fp64"
  ln -sf "$(realpath "$built")/libaffinimath_ffi.so" "$work/libaffinimath.so.0"
  gcc -std=c99 -Wall -Wextra -Werror -Iinclude -o "$work/gemm_device" tests/c/gemm_device.c \
    "$work/libaffinimath.so.0" -lOpenCL
  LD_LIBRARY_PATH=$work "$work/gemm_device"
  # shellcheck disable=SC2086 # several words
  cargo test $ALL -- small
}

# Every routine of a CBLAS in OpenBLAS and in the reference, beside the host's.
vendor() {
  export OCL_ICD_VENDORS="$work/no-device"
  for library in /usr/lib/"$(uname -m)"-linux-gnu/openblas-pthread/libblas.so.3 \
    /usr/lib/"$(uname -m)"-linux-gnu/blas/libblas.so.3; do
    [ -e "$library" ] || continue
    # shellcheck disable=SC2086 # several words
    AFFINIMATH_TEST_CBLAS=$library cargo test $ALL agreement -- --nocapture
  done
}

# Other people's programs, a Python package and Debian packages, from an install tree. They share the tests' profile, so that little is built twice.
consumers() {
  driver pocl "$VENDORS/pocl.icd"
  tests/consumers.sh dev device
}

# Programs written for BLAS, over the library with the standard names.
drop_in() {
  driver pocl "$VENDORS/pocl.icd"
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
  clippy) echo "Clippy, warnings denied" ;;
  generated) echo "Generated files are what the table says" ;;
  host) echo "Tests without a device" ;;
  no-loader) echo "Tests without OpenCL" ;;
  pocl) echo "Tests on PoCL" ;;
  faults) echo "Failing OpenCL calls" ;;
  oclgrind) echo "Small sizes on Oclgrind" ;;
  rusticl) echo "Small sizes on a device without fp64 (rusticl)" ;;
  vendor) echo "Vendors' libraries" ;;
  consumers) echo "An install tree, its consumers, the documentation's code, and packages" ;;
  drop-in) echo "BLAS under its standard names: Netlib's testers and programs" ;;
  memory) echo "Mixed calls of many threads under valgrind" ;;
  esac
}

passed=0
failed=0

# What a section's log counts: cargo's and ctest's tests, and the C programs' checks.
count() {
  awk '/^test result: ok/ { n += $4 } /tests passed, 0 tests failed out of/ { n += $NF } / checks, / { c += $2 }
    END { printf "%d tests", n; if (c) printf ", %d checks", c; print "" }' "$work/log"
}

# section NAME: runs it, and shows what it said when it fails. One that tested nothing has failed too.
section() {
  printf '== %s ... ' "$(title "$1")"
  start=$(date +%s)
  sh tests/run.sh --section "$work" "$(echo "$1" | tr - _)" >"$work/log" 2>&1 </dev/null
  status=$?
  seconds=$(($(date +%s) - start))
  case $1 in
  packages | format | clippy | generated) counted= ;;
  *)
    counted=", $(count)"
    if [ "$status" = 0 ] && [ "$counted" = ", 0 tests" ]; then
      status=1
      echo "no test ran" >>"$work/log"
    fi
    ;;
  esac
  if [ "$status" = 0 ]; then
    passed=$((passed + 1))
    echo "passed ($seconds s$counted)"
  else
    failed=$((failed + 1))
    echo "FAILED ($seconds s)"
    # Which tests, however long ago they failed, and how it ended.
    grep -E '^test .* FAILED$|panicked at' "$work/log" | head -n 40 | sed 's/^/   ! /'
    tail -n 100 "$work/log" | sed 's/^/   | /'
  fi
}

case ${1:-} in
--list) echo "$SECTIONS"; exit 0 ;;
--section) "$3"; exit ;;
esac
for name in ${*:-$SECTIONS}; do
  if [ -z "$(title "$name")" ]; then
    echo "no section '$name'; there are: $SECTIONS"
    exit 2
  fi
  section "$name"
  if [ "$status" != 0 ] && [ "$name" = packages ]; then
    break # Without its tools the rest would only repeat that they are missing.
  fi
done
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]

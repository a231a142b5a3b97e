#!/bin/sh
# Builds and tests the library in sections, two at once. Ends with "N passed, N failed".
#
#   tests/run.sh                    the default tier: host, PoCL with two of the four types, the headers, lints
#   tests/run.sh all                every section, on every device that this machine can stand in for
#   tests/run.sh --changed [BASE]   the sections for the files changed since BASE, committed or not; with the word
#                                   --list it only names them. BASE is origin/main or main by default.
#   tests/run.sh NAME[:FILTER]...   sections one after the other; FILTER is a list of parts of tests' names, between
#                                   commas, such as pocl-all:lapack,fft
#   tests/run.sh --list             names all sections
#   tests/run.sh slowest[:FILTER]   the slowest twenty tests, without a device and on PoCL
#
# As root it installs the Debian packages that it needs; else it says which are missing. It changes nothing outside
# cargo's target folder and a temporary one.
cd "$(dirname "$0")/.." || exit 1

# A tier has first sections, which the others need, and jobs. Two jobs run at once: each worker takes the first one that
# is left. Long ones come first. Sections joined by "+" are one job: `consumers` installs packages that are the system's
# BLAS for a while, with which `drop-in` compares.
FIRST="packages build"
JOBS="pocl-quick clippy host generated headers book format"
ALL_FIRST="packages more-packages build"
ALL_JOBS="pocl oclgrind consumers+drop-in rusticl clippy host generated faults memory vendor no-loader book format"
# Sections that `all` does not have: the default tier's shorter ones, and those that run only where they are named.
SHORT="pocl-quick headers"
NAMED="pocl-all pocl-optimised oclgrind-all rusticl-all mpi slowest"

SECTIONS="$ALL_FIRST $SHORT $(echo "$ALL_JOBS" | tr + ' ') $NAMED"
FILTERABLE="host pocl pocl-quick pocl-all pocl-optimised slowest"

# Each section is a process of its own, `sh tests/run.sh --section FOLDER NAME`: a shell that calls a function in a
# condition ignores errexit in all of it, and a failure in its middle with it. Sections have folders of their own, and
# share caches.
if [ "${1:-}" = --section ]; then
  set -eu
  run=$2
  name=${3%%:*}
  filters=
  [ "$name" = "$3" ] || filters=$(echo "${3#*:}" | tr , ' ')
  work=$run/$name
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

# Nothing of the caller's own settings and measurements. The library's cache of programs starts empty: its key has
# neither the drivers' variables, which sections set, nor the library's code. PoCL's cache stays from run to run: its
# key is PoCL's build, the preprocessed source, the options and the processor.
target=$(realpath -m "${CARGO_TARGET_DIR:-target}")
for variable in $(env | sed -n 's/^\(AFFINIMATH_[A-Z_]*\)=.*/\1/p'); do unset "$variable"; done
export AFFINIMATH_CACHE_DIR="$run/caches/programs" POCL_CACHE_DIR="$target/pocl"
export XDG_CACHE_HOME="$run/caches" XDG_DATA_HOME="$run/caches/data" CARGO_TERM_COLOR=never
mkdir -p "$AFFINIMATH_CACHE_DIR" "$POCL_CACHE_DIR" "$work/no-device"

# PoCL renames whole files into place. A killed process leaves temporary ones, and programs stay: those that nothing
# used for three days go.
sweep() {
  find "$POCL_CACHE_DIR" -maxdepth 1 -name 'temp*' -mmin +120 -exec rm -rf {} +
  find "$POCL_CACHE_DIR" -mindepth 2 -maxdepth 2 -type d -mtime +2 | while read -r program; do
    [ -n "$(find "$program" -maxdepth 1 -mtime -3 -print -quit)" ] || rm -rf "$program"
  done
}

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

# All that tests build, in one go: asked for parts, which need less of dependencies, cargo builds these again.
BUILT="--workspace --lib --bins --tests"
# The parts with tests. Asked by name, the C libraries are built once more, as tests, and have none.
TESTS="--workspace --tests"
# Crates that know no device: sections for a device leave them out.
NO_DEVICE="--exclude affinimath-cpu --exclude affinimath-core --exclude affinimath-kernel"
NO_DEVICE="$NO_DEVICE --exclude affinimath-array --exclude affinimath-macros --exclude affinimath-math"
NO_DEVICE="$NO_DEVICE --exclude affinimath-testing --exclude affinimath-expression --exclude affinimath-trace"
NO_DEVICE="$NO_DEVICE --exclude affinimath-decompositions --exclude affinimath-bench --exclude affinimath-tuner"
NO_DEVICE="$NO_DEVICE --exclude xtask"
build() {
  # shellcheck disable=SC2086 # several words
  cargo build --quiet $BUILT
}

# The folder of what is built.
built=$target/debug

# sees TEXT [NAME]: the library sees exactly one device, and TEXT is part of its description. Tests do nothing without a
# device, so that a driver that does not load would look like a success: after this they demand one, with NAME, or else
# TEXT, in the device's or the platform's name.
sees() {
  export AFFINIMATH_TEST_DEVICE="${2:-$1}"
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

# install_missing: reads a table of Debian packages, each with a file or program that tells whether it is there, and
# installs those that are not.
install_missing() {
  missing=
  while read -r package witness; do
    case $witness in
    /*) [ -e "$witness" ] ;;
    *) command -v "$witness" >/dev/null ;;
    esac || missing="$missing $package"
  done
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

# The default tier's. PoCL's package brings a clang, with which a test compiles each kernel file alone.
packages() {
  install_missing <<END
gcc gcc
g++ g++
gfortran gfortran
pocl-opencl-icd $VENDORS/pocl.icd
python3-numpy /usr/lib/python3/dist-packages/numpy
END
}

more_packages() {
  install_missing <<END
make make
cmake cmake
pkg-config pkg-config
ocl-icd-opencl-dev /usr/include/CL/cl.h
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
libfftw3-dev /usr/include/fftw3.h
liblapack-test /usr/lib/$(gcc -dumpmachine 2>/dev/null)/lapack/xlintsts
END
}

format() {
  cargo fmt --all --check
}

book() {
  tests/book.sh
}

# In a folder of its own, so that tests that begin meanwhile need not wait for it.
clippy() {
  cargo clippy --quiet --target-dir "$target/clippy" --workspace --all-targets -- -D warnings
}

generated() {
  build
  "$built/xtask" codegen --check
  "$built/xtask" words
  python3 packaging/third-party.py --check
  tests/features.sh
  python3 packaging/crates.py
}

# A machine whose OpenCL loader knows no driver.
host() {
  # PoCL's package has brought a clang, which compiles every kernel file. Array expressions are compared with NumPy.
  export OCL_ICD_VENDORS="$work/no-device" AFFINIMATH_TEST_CLANG=1 AFFINIMATH_TEST_NUMPY=1
  sees_none "knows no driver"
  # shellcheck disable=SC2086 # several words
  cargo test --workspace --no-fail-fast -- $filters
}

# Programs in C, C++, Fortran and Python against the source's headers and the built library.
headers() {
  export OCL_ICD_VENDORS="$work/no-device"
  build
  mkdir "$work/lib"
  ln -s "$built/libaffinimath_ffi.so" "$work/lib/libaffinimath.so.0"
  ln -s "$built/libaffinimath_blas.so" "$work/lib/libaffinimath_blas.so.0"
  ln -s libaffinimath.so.0 "$work/lib/libaffinimath.so"
  ln -s libaffinimath_blas.so.0 "$work/lib/libaffinimath_blas.so"
  tests/headers.sh include "$work/lib"
}

# A machine without OpenCL: in the loader's place there is a file that cannot be loaded. The same code runs as without a
# driver, so that small sizes are enough, and the program's tests.
no_loader() {
  mkdir -p "$work/no-loader"
  echo "not a library" >"$work/no-loader/libOpenCL.so.1"
  export LD_LIBRARY_PATH="$work/no-loader${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
  sees_none "is not installed"
  # shellcheck disable=SC2086 # several words
  cargo test $TESTS --no-fail-fast -- device_small:: host::small::
  cargo test --workspace --test program --no-fail-fast
}

# Where a test runs follows from its module: `host`, `device` or `device_small`. The xtask's tests keep that rule. Those
# of `host` look at no device, and run in the section `host` alone.
WITHOUT_DEVICE="--skip host:: --skip lower::tests::"

# Tests on PoCL, without the library's cache of programs: PoCL keeps its own, and compiles every kernel once more where
# it is asked for a binary. The consumers run with it. The code in the documentation runs without a device, in `host`.
on_pocl() {
  driver pocl "$VENDORS/pocl.icd"
  export AFFINIMATH_CACHE=off
  sees "Portable Computing Language"
  # shellcheck disable=SC2086 # several words
  cargo test $TESTS $NO_DEVICE --no-fail-fast -- $filters $WITHOUT_DEVICE
}

pocl_optimised() {
  on_pocl
}

# Two thirds of that time are the compiler's, and more than half of those its optimisation. The drop-in's programs and
# those of which calls fail run over optimised kernels.
not_optimised() {
  export POCL_EXTRA_BUILD_FLAGS=-cl-opt-disable
  on_pocl
}

pocl_all() {
  not_optimised
}

# Tests for each type cover one: a quarter of the kernels. The programs of `consumers` and `drop-in` run in all four
# types, `oclgrind` in D, the default tier in another real and another complex type. Small sizes are those of
# `oclgrind`, `rusticl` and the default tier. Of stencils, and of traces, a part of the tests has most kinds of kernels.
pocl() {
  export AFFINIMATH_TEST_TYPES=C/D
  WITHOUT_DEVICE="$WITHOUT_DEVICE --skip device_small::"
  for launches in arrays factorisations sparse stencils; do
    WITHOUT_DEVICE="$WITHOUT_DEVICE --skip launches_of_$launches"
  done
  all_without=$NO_DEVICE
  NO_DEVICE="$NO_DEVICE --exclude affinimath-stencil"
  not_optimised
  NO_DEVICE=$all_without
  TESTS="--workspace --test devices --test schedules --test strategies --test wavefronts"
  not_optimised
}

pocl_quick() {
  export AFFINIMATH_TEST_TYPES=S,Z
  not_optimised
}

# slowest_of DEVICE OPTIONS...: the lines of a table, from a run of the tests. The harness of stable toolchains takes
# the option where RUSTC_BOOTSTRAP is set. Only the tests' processes have the variable: with it, cargo builds crates
# again.
slowest_of() {
  device=$1
  shift
  runner=CARGO_TARGET_$(rustc --print host-tuple | tr a-z- A-Z_)_RUNNER
  # shellcheck disable=SC2086 # several words
  env "$runner=env RUSTC_BOOTSTRAP=1" cargo test $TESTS --no-fail-fast -- \
    -Z unstable-options --report-time $filters "$@" >"$work/$device.log" || { cat "$work/$device.log"; return 1; }
  grep '^test result: ' "$work/$device.log"
  sed -n 's/^test \(.*\) \.\.\. [a-zA-Z]* <\([0-9.]*\)s>$/\2 \1/p' "$work/$device.log" | sort -rn | head -n 20 |
    awk -v device="$device" '{ printf "table: %9.3f s  %-4s  %s\n", $1, device, $2 }'
}

# PoCL is the one of the section `pocl`, with all types. Tests run at once and share the processor's cores.
slowest() {
  export OCL_ICD_VENDORS="$work/no-device"
  sees_none "knows no driver"
  slowest_of host
  driver pocl "$VENDORS/pocl.icd"
  export AFFINIMATH_CACHE=off POCL_EXTRA_BUILD_FLAGS=-cl-opt-disable
  sees "Portable Computing Language"
  # shellcheck disable=SC2086 # several words
  slowest_of pocl $WITHOUT_DEVICE
}

# Every function of OpenCL fails once under each kind of operation; and a program that is not ours is traced.
faults() {
  driver pocl "$VENDORS/pocl.icd"
  sees "Portable Computing Language"
  tests/faults.sh
  tests/trace.sh
}

# A simulator that finds data races and accesses out of bounds. It is slow and runs one test at a time: those on small
# sizes are in modules `device_small`. Its check for uninitialised values is left out: version 21.10 crashes in it, as
# it does not know LLVM's instruction `freeze`.
on_oclgrind() {
  driver oclgrind "$OCLGRIND"
  # Into a pipe: a file is begun anew by each program that loads the simulator, with what the ones before found.
  mkfifo "$work/findings"
  cat <>"$work/findings" >"$work/oclgrind.log" &
  trap "kill $!" EXIT
  export OCLGRIND_DATA_RACES=1 OCLGRIND_CHECK_API=1 OCLGRIND_LOG="$work/findings"
  sees "Oclgrind Simulator"
  # shellcheck disable=SC2086 # several words
  cargo test $TESTS $NO_DEVICE -- device_small:: --test-threads=1 $simulated
  # These tests need more local memory than it has by itself.
  # shellcheck disable=SC2086 # several words
  OCLGRIND_LOCAL_MEM_SIZE=131072 cargo test $TESTS $NO_DEVICE -- gemm::tests::tensor::device_small::groups \
    --test-threads=1
  sleep 1
  if grep . "$work/oclgrind.log"; then
    echo "Oclgrind found the above"
    return 1
  fi
}

# The four types share a kernel's barriers and local memory, so that one is enough. The emulated instructions of tensor
# cores take a third of the time.
oclgrind() {
  export AFFINIMATH_TEST_TYPES=D
  simulated="--skip tensor"
  on_oclgrind
}

oclgrind_all() {
  simulated=
  on_oclgrind
}

# A device without fp64: single precision is right, double precision is refused with a status.
on_rusticl() {
  driver rusticl "$VENDORS/rusticl.icd"
  # Its compiler takes most of the time, a quarter of it with its optimisation, which is not tested here. One type that
  # it has and one that it refuses are enough.
  export RUSTICL_ENABLE=llvmpipe GALLIVM_PERF=nopt AFFINIMATH_TEST_TYPES=C,D
  sees "no fp64" rusticl
  ln -sf "$built/libaffinimath_ffi.so" "$work/libaffinimath.so.0"
  gcc -std=c99 -Wall -Wextra -Werror -Iinclude -o "$work/gemm_device" tests/c/gemm_device.c \
    "$work/libaffinimath.so.0" -lOpenCL
  LD_LIBRARY_PATH=$work "$work/gemm_device"
  # Mesa 22's compiler takes more than ten minutes for a kernel of the test of special values, and most of the time for
  # plans and structures whose kernels `pocl` and `oclgrind` have, too.
  # shellcheck disable=SC2086 # several words
  cargo test $TESTS $NO_DEVICE -- device_small:: --skip special_values $left_out
}

rusticl() {
  left_out="--skip skinny --skip families:: --skip half:: --skip level2:: --skip routines::"
  on_rusticl
}

rusticl_all() {
  left_out=
  on_rusticl
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

# Other people's programs, a Python package and Debian packages, from an install tree. They share the tests' profile, so
# that little is built twice, and the kernels of the section `pocl`.
consumers() {
  driver pocl "$VENDORS/pocl.icd"
  export POCL_EXTRA_BUILD_FLAGS=-cl-opt-disable
  tests/consumers.sh dev device
}

# Programs written for BLAS and for FFTW, over the library with the standard names; without the cache of programs, as on
# PoCL.
drop_in() {
  driver pocl "$VENDORS/pocl.icd"
  export AFFINIMATH_CACHE=off
  tests/dropin.sh dev device
  tests/fftw.sh dev
}

# The soak's calls on the host, each operand in memory of its own size, under valgrind.
memory() {
  tests/memory.sh quick dev
}

# Ranks of MPI programs on this host. Asked for the whole workspace, cargo compiles one crate more than the others did.
mpi() {
  if ! command -v mpirun >/dev/null || ! ls /usr/lib/llvm-*/lib/libclang*.so* >/dev/null 2>&1; then
    if [ "$(id -u)" != 0 ]; then
      echo "note: skipped: MPI or libclang is missing; as root: apt-get install libopenmpi-dev openmpi-bin libclang-dev"
      touch "$run/skipped-mpi"
      return
    fi
    apt-get update -q
    DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends libopenmpi-dev openmpi-bin libclang-dev
  fi
  export OCL_ICD_VENDORS="$work/no-device"
  with_mpi="--workspace --features affinimath-mpi-ffi/mpi,affinimath-mpi-cli/mpi"
  programs="--test ranks --example solve --example poisson_fft --example heat --bin affinimath-mpi"
  # shellcheck disable=SC2086 # several words
  cargo clippy --quiet --target-dir "$target/clippy" $with_mpi --lib $programs -- -D warnings
  # shellcheck disable=SC2086 # several words
  cargo build $with_mpi --lib $programs
  # shellcheck disable=SC2086 # several words
  cargo test $with_mpi --test ranks
  if [ -e "$VENDORS/pocl.icd" ]; then
    driver pocl "$VENDORS/pocl.icd"
    # shellcheck disable=SC2086 # several words
    AFFINIMATH_TEST_DEVICE=Portable AFFINIMATH_TEST_TYPES=D POCL_EXTRA_BUILD_FLAGS=-cl-opt-disable \
      cargo test $with_mpi --test ranks -- "device 3"
    export OCL_ICD_VENDORS="$work/no-device"
  fi
  # Unit tests of one crate: the packages beside it have the workspace's features, and hardly any tests.
  cargo test --lib --package affinimath-mpi --package affinimath-mpi-ffi --package affinimath-features \
    --package affinimath-testing --features affinimath-mpi-ffi/mpi
  # Python's part is skipped where its packages are missing.
  if [ "$(id -u)" = 0 ]; then
    install_missing <<END
python3-mpi4py /usr/lib/python3/dist-packages/mpi4py
python3-numpy /usr/lib/python3/dist-packages/numpy
python3-scipy /usr/lib/python3/dist-packages/scipy
python3-pytest /usr/lib/python3/dist-packages/pytest
END
  fi
  tests/mpi.sh "$built/libaffinimath_mpi_ffi.so" "$built/libaffinimath_ffi.so" "$built/affinimath-mpi"
}

# ---- Running them.

title() {
  case $1 in
  packages) echo "Debian packages" ;;
  more-packages) echo "More Debian packages" ;;
  format) echo "Format" ;;
  book) echo "Links, and the book" ;;
  build) echo "Build" ;;
  clippy) echo "Clippy, warnings denied" ;;
  generated) echo "Generated files are what the table says" ;;
  host) echo "Tests without a device" ;;
  no-loader) echo "Tests without OpenCL" ;;
  headers) echo "The headers' programs in C, C++, Fortran and Python" ;;
  pocl) echo "Tests on PoCL in C or D, kernels not optimised" ;;
  pocl-quick) echo "Tests on PoCL in S and Z, kernels not optimised" ;;
  pocl-all) echo "Tests on PoCL in all types, kernels not optimised" ;;
  pocl-optimised) echo "Tests on PoCL" ;;
  faults) echo "Failing OpenCL calls, and foreign programs traced" ;;
  oclgrind) echo "Small sizes in D on Oclgrind" ;;
  oclgrind-all) echo "Small sizes on Oclgrind" ;;
  rusticl) echo "Small sizes in C and D on a device without fp64 (rusticl)" ;;
  rusticl-all) echo "Small sizes of everything in C and D on a device without fp64 (rusticl)" ;;
  vendor) echo "Vendors' libraries" ;;
  consumers) echo "An install tree, its consumers, the documentation's code, and packages" ;;
  drop-in) echo "BLAS and FFTW under their names: Netlib's testers, FFTW beside ours, and programs" ;;
  mpi) echo "Ranks of MPI programs" ;;
  memory) echo "Mixed calls of many threads under valgrind" ;;
  slowest) echo "The slowest tests" ;;
  esac
}

# count LOG: cargo's and ctest's tests in a section's log, and the C programs' checks.
count() {
  awk '/^test result: ok/ { n += $4 } /tests passed, 0 tests failed out of/ { n += $NF } / checks, / { c += $2 }
    END { printf "%d tests", n; if (c) printf ", %d checks", c; print "" }' "$1"
}

# of NAME[:FILTER]: the filter as the end of a title.
of() {
  [ "$1" = "${1%%:*}" ] || echo ": ${1#*:}" | sed 's/,/, /g'
}

# section NAME[:FILTER]: runs it, and says how it went: all its output when it fails. One that tested nothing has failed
# too.
section() {
  name=${1%%:*}
  mkdir -p "$run/$name"
  log=$run/$name/log
  start=$(date +%s)
  sh tests/run.sh --section "$run" "$1" >"$log" 2>&1 </dev/null
  status=$?
  seconds=$(($(date +%s) - start))
  case $name in
  packages | more-packages | format | book | build | clippy | generated | headers) counted= ;;
  *)
    counted=", $(count "$log")"
    if [ "$status" = 0 ] && [ "$counted" = ", 0 tests" ] && [ ! -e "$run/skipped-$name" ]; then
      status=1
      echo "no test ran" >>"$log"
    fi
    ;;
  esac
  if [ "$status" = 0 ]; then
    echo "== $(title "$name")$(of "$1") ... passed ($seconds s$counted)"
    sed -n 's/^note: /   note: /p; s/^table: /   /p' "$log"
    echo "$1" >>"$run/passed"
  else
    echo "== $(title "$name")$(of "$1") ... FAILED ($seconds s)"
    echo "$1" >>"$run/failed"
    # Which tests, however long ago they failed, why (what a panic says), and how it ended.
    awk 'reason || /^test .* FAILED$|panicked at/ { print "   ! " $0 }
      { reason = /panicked at/ || (reason && !NF) }' "$log" | head -n 60
    tail -n 100 "$log" | sed 's/^/   | /'
  fi
  return "$status"
}

# stream NAME...: one section after the other, each of which speaks at its end, and at once.
stream() {
  for next in "$@"; do
    section "$next" >"$run/${next%%:*}.said"
    cat "$run/${next%%:*}.said"
  done
}

# worker JOB...: job after job. Whoever makes a job's folder has it.
worker() {
  for job in "$@"; do
    # shellcheck disable=SC2046 # the job's sections
    if mkdir "$run/taken/$job" 2>/dev/null; then stream $(echo "$job" | tr + ' '); fi
  done
}

# tier FIRST JOBS: without its tools, or what is built, a section would only repeat that they are missing.
tier() {
  for next in $1; do
    section "$next" || return
  done
  mkdir "$run/taken"
  # shellcheck disable=SC2086 # several words
  worker $2 &
  streams=$!
  # shellcheck disable=SC2086 # several words
  worker $2 &
  streams="$streams $!"
  wait
}

# ---- The call.

# changes WORDS...: sets `first` and `jobs`, as those of a tier, to the sections for the changes since a base.
changes() {
  only_list='' revision=''
  for word in "$@"; do
    case $word in
    --list) only_list=yes ;;
    -*) echo "no option '$word' of --changed"; exit 2 ;;
    *) revision=$word ;;
    esac
  done
  tests/changed.sh "$SECTIONS" "$FIRST $JOBS" "$revision" >"$run/changes" || exit 2
  if [ -n "$only_list" ]; then
    cat "$run/changes"
    exit 0
  fi
  chosen=$(tail -n 1 "$run/changes")
  echo "$(($(wc -l <"$run/changes") - 1)) files changed: ${chosen:-no section}"
  for next in $chosen; do
    case $next in
    packages | more-packages | build) first="$first $next" ;;
    *) jobs="$jobs $next" ;;
    esac
  done
  jobs=$(echo "$jobs" | sed 's/\<consumers drop-in\>/consumers+drop-in/')
}

# known NAME[:FILTER]...: ends the run where one of them is no section, or takes no filter.
known() {
  for next in "$@"; do
    name=${next%%:*}
    if [ -z "$(title "$name")" ]; then
      echo "no section '$name'; there are: $SECTIONS"
      exit 2
    fi
    case " $FILTERABLE " in
    *" $name "*) ;;
    *) [ "$name" = "$next" ] || { echo "'$name' takes no filter; these do: $FILTERABLE"; exit 2; } ;;
    esac
  done
}

streams='' first='' jobs=''
case ${1:-} in
--list) echo "$SECTIONS"; exit 0 ;;
--section) "$(echo "$name" | tr - _)"; exit ;;
'') first=$FIRST jobs=$JOBS ;;
all)
  [ $# = 1 ] || { echo "'all' stands alone"; exit 2; }
  first=$ALL_FIRST jobs=$ALL_JOBS
  ;;
--changed)
  shift
  changes "$@"
  set --
  ;;
*) known "$@" ;;
esac
touch "$run/passed" "$run/failed"
sweep
if [ -n "$first$jobs" ]; then
  # shellcheck disable=SC2046,SC2086 # several words
  set -- $first $(echo "$jobs" | tr + ' ')
  tier "$first" "$jobs"
else
  stream "$@"
fi
passed=$(wc -l <"$run/passed") failed=$(wc -l <"$run/failed")
[ $((passed + failed)) = $# ] || echo "$(($# - passed - failed)) were not run to their end"
echo "$passed passed, $failed failed"
[ "$passed" = $# ]

#!/bin/sh
# Accesses outside of memory, uses of what was not initialised, leaks, and races between threads, on the host.
#
#   tests/memory.sh quick [PROFILE]       the soak's calls, with protected pages on both sides of each operand; some of
#                                         them under valgrind, with operands that end at the end of their memory
#   tests/memory.sh valgrind [PROFILE]    each of the C consumers and of the drop-ins' programs under valgrind, too
#   tests/memory.sh asan                  the libraries built with AddressSanitizer: the soak's calls, the C consumers
#                                         and the drop-in's programs over them, and the unit tests
#   tests/memory.sh asan-device [TEST...] the unit tests with these names, or else those on small sizes, in the same
#                                         build on the devices of OCL_ICD_VENDORS
#   tests/memory.sh tsan [TEST...]        the unit tests with these names, or else LAPACK's on the host, in a build with
#                                         ThreadSanitizer, the standard library included: with a nightly toolchain and
#                                         its sources
#
# PROFILE is cargo's, and release when it is left out; with dev it shares what the tests have built. Valgrind shows
# programs a processor without AVX-512, so that the library takes its loops for AVX2 there; the fences and
# AddressSanitizer see those for AVX-512. Memory that is still reachable at the end, such as that of threads that wait
# for more work, is no leak.
set -eu
cd "$(dirname "$0")/.."
mode=${1:-quick}
profile=${2:-release}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/no-device"
[ "$mode" = asan-device ] || export OCL_ICD_VENDORS="$work/no-device"
target=${CARGO_TARGET_DIR:-target}

leaks=full

step() { printf '  %s\n' "$1"; }

# consumer SOURCE LIBRARY WORDS...: compiles a program against a library, under the source's name.
consumer() {
  source=$1 library=$2
  shift 2
  gcc -std=gnu99 -g -O1 "$@" -Iinclude -o "$work/$(basename "$source" .c)" "$source" "$library" -lm -lpthread
}

# Runs a program under valgrind, and shows what it said only when something is wrong.
checked() {
  step "$(basename "$1")"
  LD_LIBRARY_PATH=$work timeout 1800 valgrind --quiet --leak-check=$leaks --show-leak-kinds=definite \
    --errors-for-leak-kinds=definite --num-callers=30 --error-exitcode=9 "$@" >"$work/output" 2>&1 ||
    { cat "$work/output"; echo "failed: $*"; exit 1; }
  grep ' checks, ' "$work/output" | sed 's/^/    /' || true
}

libraries() {
  if [ "$profile" = dev ]; then
    built=$target/debug
    cargo build --quiet --workspace --lib --bins --tests # what the other tests have built
  else
    built=$target/$profile
    cargo build --quiet --profile "$profile" --package affinimath-ffi --package affinimath-blas \
      --package affinimath-fftw
  fi
  cp "$built/libaffinimath_ffi.so" "$work/libaffinimath.so.0"
  cp "$built/libaffinimath_blas.so" "$work/libaffinimath_blas.so.0"
  cp "$built/libaffinimath_fftw3.so" "$work/libaffinimath_fftw3.so.0"
}

# fenced ROUNDS: an access beyond a fence ends the program.
fenced() {
  step "fences"
  consumer tests/soak/soak.c "$work/libaffinimath.so.0" -DSOAK_FENCES
  LD_LIBRARY_PATH=$work timeout 1800 "$work/soak" "$1" 1 ||
    { echo "failed: an access outside of an operand, or a wrong result"; exit 1; }
}

# The soak's calls are the same ones for the same seed.
soak() {
  consumer tests/soak/soak.c "$work/libaffinimath.so.0"
  checked "$work/soak" "$1" 2
}

all_under_valgrind() {
  soak 200x
  for source in tests/c/*_host.c; do
    consumer "$source" "$work/libaffinimath.so.0"
    checked "$work/$(basename "$source" .c)"
  done
  consumer tests/fftw/contract.c "$work/libaffinimath_fftw3.so.0"
  checked "$work/contract" short
  for program in contract threads atexit fork; do
    consumer "tests/dropin/$program.c" "$work/libaffinimath_blas.so.0"
    # A forked child has one thread, and what its parent's other threads held is lost in it.
    [ "$program" != fork ] || leaks=no
    checked "$work/$program"
  done
}

# Only with a toolchain that brings the sanitizers' runtimes; it need not be a nightly one.
triple=$(rustc --print host-tuple)
instrumented() {
  runtime=$(rustc --print sysroot)/lib/rustlib/$triple/lib/librustc-stable_rt.asan.a
  [ -e "$runtime" ] || { echo "the toolchain has no AddressSanitizer: no $runtime"; exit 1; }
  RUSTC_BOOTSTRAP=1 RUSTFLAGS="-Zsanitizer=address" CARGO_TARGET_DIR="$target/asan" cargo "$@" --target "$triple"
}

# sanitized SOURCE LIBRARY ARGUMENTS...: compiles a program and runs it. It is gcc's, and the runtime that of the
# library's compiler.
sanitized() {
  name=$(basename "$1" .c) source=$1 library=$2
  shift 2
  step "$name over $(basename "$library")"
  gcc -std=gnu99 -g -O1 -fsanitize=address -Iinclude -c -o "$work/$name.o" "$source"
  gcc -rdynamic -o "$work/$name" "$work/$name.o" "$work/dlopen.o" "$library" -Wl,--whole-archive "$runtime" \
    -Wl,--no-whole-archive -lstdc++ -lm -ldl -lrt -lresolv -lpthread
  LD_LIBRARY_PATH=$work timeout 1800 "$work/$name" "$@" >"$work/output" 2>&1 ||
    { cat "$work/output"; echo "failed: $name"; exit 1; }
  grep ' checks, ' "$work/output" | sed 's/^/    /' || true
}

asan() {
  # The sanitizer ends processes that ask for a library that sees its own symbols first, which is how vendors' libraries
  # are loaded.
  gcc -x c -c -o "$work/dlopen.o" - <<'END'
#define _GNU_SOURCE
#include <dlfcn.h>
void *__interceptor_dlopen(const char *name, int flags);
void *dlopen(const char *name, int flags) { return __interceptor_dlopen(name, flags & ~RTLD_DEEPBIND); }
END
  step "the libraries"
  instrumented build --quiet --package affinimath-ffi --package affinimath-blas --lib
  built=$target/asan/$triple/debug
  cp "$built/libaffinimath_ffi.so" "$work/libaffinimath.so.0"
  cp "$built/libaffinimath_blas.so" "$work/libaffinimath_blas.so.0"
  sanitized tests/soak/soak.c "$work/libaffinimath.so.0" 4000x 5
  for source in tests/c/*_host.c; do
    sanitized "$source" "$work/libaffinimath.so.0"
  done
  sanitized tests/c/gemm_host.c "$built/libaffinimath_ffi.a"
  for program in contract threads atexit; do
    sanitized "tests/dropin/$program.c" "$work/libaffinimath_blas.so.0"
  done
  step "unit tests"
  # What loads vendors' libraries would end the process.
  instrumented test --package affinimath --lib -- --skip vendor
}

# Drivers keep memory for the process's life, and LLVM in them has signal stacks of its own: the sanitizer looks at
# neither.
asan_device() {
  [ $# -gt 0 ] || set -- device_small::
  ASAN_OPTIONS=detect_leaks=0:use_sigaltstack=0 \
    instrumented test --package affinimath --lib -- --skip vendor --skip host:: "$@"
}

# The sanitizer knows no fences by themselves, and crossbeam, below rayon, has some: with this setting it does without.
tsan() {
  [ $# -gt 0 ] || set -- lapack::tests::host::
  [ -d "$(rustc +nightly --print sysroot)/lib/rustlib/src/rust/library" ] ||
    { echo "no nightly toolchain with its sources: rustup component add rust-src --toolchain nightly"; exit 1; }
  RUSTFLAGS="-Zsanitizer=thread --cfg crossbeam_sanitize_thread" CARGO_TARGET_DIR="$target/tsan" \
    cargo +nightly test -Zbuild-std --target "$triple" --package affinimath --lib -- --skip vendor "$@"
}

case $mode in
quick) libraries; fenced 300x; soak 30x ;;
valgrind) libraries; all_under_valgrind ;;
asan) asan ;;
asan-device)
  shift
  asan_device "$@"
  ;;
tsan)
  shift
  tsan "$@"
  ;;
*) echo "$0: '$mode' is neither quick, valgrind, asan, asan-device nor tsan"; exit 2 ;;
esac

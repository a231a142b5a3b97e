#!/bin/sh
# Builds libaffinimath_blas.so and puts programs over it: its symbols beside those of Debian's reference library,
# Netlib's testers on the host and on a device, and programs that fork, have many threads, end while they compute, or
# handle errors.
#
#   tests/dropin.sh [PROFILE [device]]
#
# PROFILE is cargo's, and release when it is left out. OCL_ICD_VENDORS says which devices there are; with the word
# device Netlib's testers run on the first one too.
set -eu
cd "$(dirname "$0")/.."
profile=${1:-release}
device=${2:-}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
reference=/usr/lib/$(gcc -dumpmachine)/blas/libblas.so.3

step() { printf '  %s\n' "$1"; }

step "cargo build"
target=${CARGO_TARGET_DIR:-target}
if [ "$profile" = dev ]; then
  built=$target/debug
  cargo build --quiet --workspace --lib --bins --tests # what the other tests have built
else
  built=$target/$profile
  cargo build --quiet --profile "$profile" --package affinimath-blas
fi
cp "$built/libaffinimath_blas.so" "$work/libaffinimath_blas.so.0"
ln -s libaffinimath_blas.so.0 "$work/libaffinimath_blas.so"
library=$work/libaffinimath_blas.so.0

step "its name, and its symbols beside the reference's"
readelf -d "$library" | grep -q 'SONAME.*\[libaffinimath_blas\.so\.0\]' || { echo "no SONAME"; exit 1; }
symbols() { nm -D --defined-only "$1" | awk '{print $3}' | LC_ALL=C sort; }
symbols "$library" >"$work/ours"
symbols "$reference" >"$work/theirs"
[ "$(wc -l <"$work/theirs")" -gt 300 ] || { echo "$reference does not look like BLAS"; exit 1; }
missing=$(LC_ALL=C comm -13 "$work/ours" "$work/theirs")
[ -z "$missing" ] || { echo "missing: $missing"; exit 1; }
tests/symbols.sh "$library" ffi/blas/symbols.txt
# Each name with 32-bit integers has its twin with 64-bit ones, and that of Python's packages.
for name in sgemm ztrsm daxpby cgemm3m dgemmt domatcopy zgemm_batch sgemm_batch_strided idamin cdotu; do
  for spelling in "${name}_" "${name}_64_" "scipy_${name}_" "scipy_${name}_64_"; do
    grep -q -x "$spelling" "$work/ours" || { echo "missing: $spelling"; exit 1; }
  done
done
for name in sgemm ztrsm daxpby cgemm3m dgemmt domatcopy zgemm_batch sgemm_batch_strided idamin cdotu_sub; do
  for spelling in "cblas_$name" "cblas_${name}64_" "cblas_${name}_64" "scipy_cblas_$name" "scipy_cblas_${name}64_"; do
    grep -q -x "$spelling" "$work/ours" || { echo "missing: $spelling"; exit 1; }
  done
done

step "Netlib's testers on the host"
AFFINIMATH_ROUTE=host tests/dropin/netlib.sh "$library" "$work/host"

step "Netlib's testers of LAPACK"
AFFINIMATH_ROUTE=host tests/dropin/lintst.sh "$library" "$work/lintst"
AFFINIMATH_ROUTE=host tests/dropin/eigtst-symmetric.sh "$library" "$work/eigtst-symmetric"
AFFINIMATH_ROUTE=host tests/dropin/eigtst-general.sh "$library" "$work/eigtst-general"
AFFINIMATH_ROUTE=host tests/dropin/eigtst-generalised.sh "$library" "$work/eigtst-generalised"

step "the log names the routines that were called"
AFFINIMATH_ROUTE=host AFFINIMATH_LOG=affinimath_blas=debug LD_PRELOAD=$library LD_LIBRARY_PATH=${reference%/*} \
  "${reference%/*}/xdcblat1" >"$work/said" 2>"$work/log"
grep -q 'called.*cblas_daxpy' "$work/log" || { echo "not in the log: cblas_daxpy"; exit 1; }
if grep -q called "$work/said"; then
  echo "the log is on standard output"
  exit 1
fi

if [ "$profile" = dev ]; then
  step "affinimath bench calls finds its results right"
  AFFINIMATH_ROUTE=host "$built/affinimath" bench calls --library "$library" --against reference="$reference" \
    --routines copy,swap,scal,axpy,dot,nrm2,asum,iamax,gemv,gbmv,symv,spmv,trmv,trsv,ger,syr \
    --routines gemm,symm,syrk,syr2k,trmm,trsm --types s,d,c,z \
    --sizes 1,7,33 --seconds 0.001 --rounds 1 >"$work/calls" || { cat "$work/calls"; exit 1; }
  [ "$(grep -c -E '^[SDCZ] .*x ' "$work/calls")" = 282 ] || { echo "not 282 ratios:"; cat "$work/calls"; exit 1; }
  # All routines, among them the one that no other CBLAS has.
  AFFINIMATH_ROUTE=host "$built/affinimath" bench calls --library "$library" --types s,d,c,z \
    --sizes 5 --seconds 0.001 --rounds 1 >"$work/calls" || { cat "$work/calls"; exit 1; }
  [ "$(grep -c ' omatadd ' "$work/calls")" = 4 ] || { echo "not 4 rows of omatadd:"; cat "$work/calls"; exit 1; }
fi

step "LAPACK under Fortran and C"
tests/dropin/lapack.sh "$library" "$work/lapack"

step "Python, Octave and R"
tests/dropin/languages.sh "$library" "$work/languages"

step "programs in C and Fortran"
for program in contract fork threads atexit wrapped queries stack threads_set; do
  gcc -std=gnu99 -O1 -Wall -Wextra -Werror -o "$work/$program" "tests/dropin/$program.c" -L"$work" \
    -laffinimath_blas -lm -lpthread
done
gfortran -Wall -Werror -o "$work/fortran" tests/dropin/xerbla.f90 -J"$work" -L"$work" -laffinimath_blas
export LD_LIBRARY_PATH=$work
for threads in 1 4; do
  for program in contract fork threads atexit "atexit late" fortran; do
    # shellcheck disable=SC2086 # a program and its argument
    AFFINIMATH_NUM_THREADS=$threads timeout 300 "$work"/$program ||
      { echo "failed: $program, $threads threads"; exit 1; }
  done
done
for program in wrapped queries; do
  timeout 300 "$work/$program" || { echo "failed: $program"; exit 1; }
done
# One thread does all the work on the caller's stack; names are looked up before, as that takes the loader's own stack.
# A device's driver takes what it needs in the first call, so that there is none.
mkdir -p "$work/no-driver"
hidden="env OCL_ICD_VENDORS=$work/no-driver"
LD_BIND_NOW=1 AFFINIMATH_NUM_THREADS=1 $hidden timeout 300 "$work/stack" || { echo "failed: stack"; exit 1; }

step "threads are set by OpenBLAS's names and by the environment"
export RAYON_NUM_THREADS=8
# A driver has threads of its own.
$hidden timeout 300 "$work/threads_set" 8
AFFINIMATH_NUM_THREADS=5 OPENBLAS_NUM_THREADS=7 OMP_NUM_THREADS=6 $hidden timeout 300 "$work/threads_set" 5
OPENBLAS_NUM_THREADS=7 OMP_NUM_THREADS=6,2 $hidden timeout 300 "$work/threads_set" 7
OPENBLAS_NUM_THREADS=none OMP_NUM_THREADS=6,2 $hidden timeout 300 "$work/threads_set" 6
AFFINIMATH_NUM_THREADS=abc $hidden timeout 300 "$work/threads_set" 8 2>"$work/said"
[ "$(grep -c "AFFINIMATH_NUM_THREADS='abc'" "$work/said")" = 1 ] || { echo "not told once:"; cat "$work/said"; exit 1; }
unset RAYON_NUM_THREADS

step "error handlers in modules that were loaded with RTLD_LOCAL"
module() {
  gcc -std=gnu99 -Wall -Wextra -Werror -shared -fPIC -o "$work/$1.so" "$2" "$3" tests/dropin/module.c -L"$work" \
    -laffinimath_blas
}
module own -DHANDLERS -DPREFIX=
module scipys -DHANDLERS -DPREFIX=scipy_
module without -UHANDLERS -DPREFIX=
gcc -std=gnu99 -O1 -Wall -Wextra -Werror -o "$work/modules" tests/dropin/modules.c -ldl
timeout 300 "$work/modules" "$work/own.so" "$work/scipys.so" "$work/without.so" 2>"$work/said" || {
  cat "$work/said"
  exit 1
}
# Those of the last one, which are told on standard error.
[ "$(wc -l <"$work/said")" = 5 ] || { echo "not told of four arguments:"; cat "$work/said"; exit 1; }
unset LD_LIBRARY_PATH

if [ -n "$device" ]; then
  step "Netlib's testers on a device"
  # The types' programs are different ones: all four at once, so that no processor waits for a compiler.
  running=
  for type in s d c z; do
    AFFINIMATH_ROUTE=device tests/dropin/netlib.sh "$library" "$work/device-$type" "$type" \
      >"$work/device-$type.said" 2>&1 &
    running="$running $!"
  done
  passed=yes
  for process in $running; do
    wait "$process" || passed=no
  done
  cat "$work"/device-?.said
  [ "$passed" = yes ] || exit 1
  step "programs, some of whose work is a device's"
  export LD_LIBRARY_PATH=$work AFFINIMATH_ROUTE=device
  for program in contract fork atexit; do
    timeout 300 "$work/$program" || { echo "failed: $program"; exit 1; }
  done
  AFFINIMATH_LOG=debug "$work/contract" 2>&1 | grep -q 'plan.*device' || { echo "nothing ran on a device"; exit 1; }
fi

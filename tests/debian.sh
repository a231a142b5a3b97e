#!/bin/sh
# Builds the Debian packages. As root it installs them, sees NumPy run over them, removes them, and sees the
# alternatives as they were before.
#
#   tests/debian.sh WORK [CMAKE-OPTIONS]
set -eu
cd "$(dirname "$0")/.."
work=$1
options=${2:-}
mkdir -p "$work"
triplet=$(gcc -dumpmachine)

quietly() {
  "$@" >"$work/output" 2>&1 || { cat "$work/output"; echo "failed: $*"; exit 1; }
}

# Packages that are thrown away need not be small.
export DPKG_DEB_COMPRESSOR_TYPE=gzip DPKG_DEB_COMPRESSOR_LEVEL=1
# shellcheck disable=SC2086 # several words
quietly packaging/debian/build.sh "$work/packages" $options
for package in libaffinimath0 libaffinimath-blas0 libaffinimath-fftw3-0 libaffinimath-dev affinimath; do
  [ "$(find "$work/packages" -name "${package}_*.deb" | wc -l)" = 1 ] || { echo "not built: $package"; exit 1; }
done
if [ "$(id -u)" != 0 ]; then
  echo "    (not root: built, but not installed)"
  exit 0
fi
if dpkg -l 'libaffinimath*' affinimath 2>/dev/null | grep '^i'; then
  echo "    (packages are installed already: built, but not installed)"
  exit 0
fi

# What stands behind the two names.
alternatives() {
  for name in libblas liblapack; do
    readlink -f "/usr/lib/$triplet/$name.so.3" || true
  done
}
alternatives >"$work/before"
packages="affinimath libaffinimath-dev libaffinimath-blas0 libaffinimath-fftw3-0 libaffinimath0"
# shellcheck disable=SC2064,SC2086 # several words, which stay as they are
trap "dpkg --purge $packages >/dev/null 2>&1 || true" EXIT
DEBIAN_FRONTEND=noninteractive quietly apt-get install -q -y --no-install-recommends "$work"/packages/*.deb
quietly affinimath info
quietly man -w affinimath-solve
quietly gcc -o "$work/gemm" examples/c/gemm.c -laffinimath
quietly "$work/gemm"

for name in libblas liblapack; do
  ldd "/usr/lib/$triplet/$name.so.3" | grep -q 'libaffinimath_blas\.so\.0 => /' ||
    { echo "$name.so.3 is not ours"; exit 1; }
done
AFFINIMATH_ROUTE=host AFFINIMATH_LOG=affinimath_blas=debug \
  /usr/bin/python3 - >"$work/output" 2>&1 <<'PROGRAM' || { cat "$work/output"; exit 1; }
import numpy as np
import scipy.linalg

a = np.random.default_rng(1).standard_normal((50, 50))
b = a @ a.T
assert np.allclose(np.linalg.solve(a, b), a.T)
w, v = scipy.linalg.eigh(b)
assert np.allclose(v * w @ v.T, b)
loaded = [line.split()[-1] for line in open("/proc/self/maps") if ".so" in line]
assert any("libaffinimath_blas.so" in path for path in loaded)
assert not any("openblas" in path for path in loaded)
PROGRAM
for routine in dgemm dgesv; do
  grep -q -i "called.*$routine" "$work/output" || { echo "NumPy did not call $routine"; exit 1; }
done

quietly dpkg --purge affinimath libaffinimath-dev libaffinimath-blas0 libaffinimath-fftw3-0 libaffinimath0
trap - EXIT
alternatives >"$work/after"
cmp -s "$work/before" "$work/after" ||
  { echo "the alternatives are not what they were:"; diff "$work/before" "$work/after"; exit 1; }
left=$(find /usr -xdev -ipath '*affinimath*' ! -path "$PWD/*" | head)
[ -z "$left" ] || { echo "left after removing: $left"; exit 1; }
/usr/bin/python3 -c 'import numpy; numpy.ones((2, 2)) @ numpy.ones((2, 2))'
echo "    built, installed, used and removed"

#!/bin/sh
# Makes a wheel of the Python package for every Linux that has the glibc whose symbols the library asks for.
#
#   packaging/wheel.sh FOLDER
#
# The wheel is written to FOLDER, with a platform tag such as manylinux_2_28_x86_64. It has the library inside, which
# links libc and its kin only, and loads OpenCL where there is one. auditwheel looks at the wheel where it is installed.
#
# It needs cargo, gcc, binutils, and a Python from 3.9 on with pip and, where nothing is downloaded, hatchling.
#
#   AFFINIMATH_CARGO_PROFILE   cargo's profile (release)
#   AFFINIMATH_LIBRARY         a libaffinimath.so that there is, in place of one that cargo builds
#   PYTHON                     the interpreter (python3)
#
# Its base image: a library asks for symbols of the glibc that it was built with, so that an old one reaches farthest.
# PyPA's image manylinux2014 has glibc 2.17, the oldest that Rust's standard library runs on. The image manylinux_2_28
# reaches as far as NumPy's own wheels from 2.3 on. Debian 12 makes manylinux_2_35.
set -eu
case ${1:-} in
"" | -*)
  sed -n '2,/^set/s/^# \{0,1\}//p' "$0"
  [ "${1:-}" = --help ]
  exit
  ;;
esac
mkdir -p "$1"
folder=$(realpath "$1")
python=${PYTHON:-python3}
library=${AFFINIMATH_LIBRARY:+$(realpath "$AFFINIMATH_LIBRARY")}
cd "$(dirname "$0")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

if [ -z "$library" ]; then
  cargo build --profile "${AFFINIMATH_CARGO_PROFILE:-release}" --package affinimath-ffi \
    --message-format json-render-diagnostics >"$work/artifacts"
  library=$(sed -n 's/.*"\([^"]*\/libaffinimath_ffi\.so\)".*/\1/p' "$work/artifacts")
fi
cp "$library" "$work/libaffinimath.so"
strip --strip-unneeded "$work/libaffinimath.so"

# Files get the time of the last change, so that the same sources make the same wheel.
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || date +%s)}
export SOURCE_DATE_EPOCH
isolation=
if "$python" -c "import hatchling" 2>/dev/null; then isolation=--no-build-isolation; fi
# shellcheck disable=SC2086 # an option or none
AFFINIMATH_LIBRARY=$work/libaffinimath.so "$python" -m pip --quiet --disable-pip-version-check \
  wheel --no-deps $isolation --wheel-dir "$work/wheel" ./python
wheel=$(echo "$work"/wheel/affinimath-*.whl)

# ---- The wheel's own library, beside the rules for its platform tag (PEP 600).

"$python" -m zipfile -e "$wheel" "$work/inside"
inside=$(find "$work/inside" -type f -name '*.so*')
[ "$inside" = "$work/inside/affinimath/libaffinimath.so" ] || { echo "not one library in the wheel: $inside"; exit 1; }
needed=$(readelf -d "$inside" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p')
for name in $needed; do
  case $name in
  libc.so.6 | libm.so.6 | libdl.so.2 | libpthread.so.0 | librt.so.1 | libutil.so.1 | libgcc_s.so.1 | ld-linux*) ;;
  *) echo "the library is linked to $name, which other machines may not have"; exit 1 ;;
  esac
done
# newest PREFIX: the newest version of symbols that the library asks for.
newest() {
  readelf --version-info --wide "$inside" | sed -n "s/.*Name: $1_\([0-9.]*\) .*/\1/p" | sort -V | tail -n 1
}
glibc=$(newest GLIBC)
tag=manylinux_$(echo "$glibc" | cut -d. -f1,2 | tr . _)_$(uname -m)
case $wheel in
*-py3-none-"$tag".whl) ;;
*) echo "the library asks for glibc $glibc: the platform is $tag, not that of ${wheel##*/}"; exit 1 ;;
esac
gcc=$(newest GCC)
if [ "$(printf '4.8.0\n%s\n' "$gcc" | sort -V | tail -n 1)" != 4.8.0 ]; then
  echo "the library asks for libgcc's $gcc, and machines of the platform have 4.8.0"
  exit 1
fi
"$python" -c 'import ctypes, sys; ctypes.CDLL(sys.argv[1]).affinimathDeviceCount' "$inside"
if command -v auditwheel >/dev/null; then
  auditwheel show "$wheel" >"$work/audit"
  grep -q '"manylinux_' "$work/audit" || { cat "$work/audit"; exit 1; }
fi

install -m 644 "$wheel" "$folder/"
echo "$folder/${wheel##*/}"

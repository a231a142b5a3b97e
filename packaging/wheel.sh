#!/bin/sh
# Makes a wheel of the Python package for every Linux that has the glibc whose symbols the library asks for.
#
#   packaging/wheel.sh FOLDER
#
# The wheel is written to FOLDER, with a platform tag such as manylinux_2_28_x86_64. It has the library and the program
# inside, which link libc and its kin only, and load OpenCL where there is one. auditwheel looks at the wheel where it
# is installed.
#
# It needs cargo, gcc, binutils, and a Python from 3.9 on with pip and, where nothing is downloaded, hatchling.
#
#   AFFINIMATH_CARGO_PROFILE   cargo's profile (release)
#   AFFINIMATH_LIBRARY         a libaffinimath.so that there is, in place of one that cargo builds
#   AFFINIMATH_PROGRAM         a program affinimath that there is: given with the library
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
program=${AFFINIMATH_PROGRAM:+$(realpath "$AFFINIMATH_PROGRAM")}
if [ -z "$library" ] && [ -n "$program" ] || [ -z "$program" ] && [ -n "$library" ]; then
  echo "AFFINIMATH_LIBRARY and AFFINIMATH_PROGRAM are given both or not at all"
  exit 1
fi
cd "$(dirname "$0")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

if [ -z "$library" ]; then
  cargo build --profile "${AFFINIMATH_CARGO_PROFILE:-release}" --package affinimath-ffi \
    --package affinimath-cli --message-format json-render-diagnostics >"$work/artifacts"
  library=$(sed -n 's/.*"\([^"]*\/libaffinimath_ffi\.so\)".*/\1/p' "$work/artifacts")
  program=$(sed -n 's/.*"executable":"\([^"]*\/affinimath\)".*/\1/p' "$work/artifacts")
fi
cp "$library" "$work/libaffinimath.so"
cp "$program" "$work/affinimath"
strip --strip-unneeded "$work/libaffinimath.so" "$work/affinimath"

# Files get the time of the last change, so that the same sources make the same wheel.
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || date +%s)}
export SOURCE_DATE_EPOCH
isolation=
if "$python" -c "import hatchling" 2>/dev/null; then isolation=--no-build-isolation; fi
# shellcheck disable=SC2086 # an option or none
AFFINIMATH_LIBRARY=$work/libaffinimath.so AFFINIMATH_PROGRAM=$work/affinimath \
  "$python" -m pip --quiet --disable-pip-version-check wheel --no-deps $isolation --wheel-dir "$work/wheel" ./python
wheel=$(echo "$work"/wheel/affinimath-*.whl)

# ---- The library and the program in the wheel, and the rules for its platform tag (PEP 600).

"$python" -m zipfile -e "$wheel" "$work/inside"
inside=$(find "$work/inside" -type f -name '*.so*')
[ "$inside" = "$work/inside/affinimath/libaffinimath.so" ] || { echo "not one library in the wheel: $inside"; exit 1; }
needed=$(readelf -d "$inside" "$work/inside/affinimath/program" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p')
for name in $needed; do
  case $name in
  libc.so.6 | libm.so.6 | libdl.so.2 | libpthread.so.0 | librt.so.1 | libutil.so.1 | libgcc_s.so.1 | ld-linux*) ;;
  *) echo "the wheel's files are linked to $name, which other machines may not have"; exit 1 ;;
  esac
done
# newest PREFIX: the newest version of symbols that the library and the program ask for.
newest() {
  readelf --version-info --wide "$inside" "$work/inside/affinimath/program" |
    sed -n "s/.*Name: $1_\([0-9.]*\) .*/\1/p" | sort -V | tail -n 1
}
glibc=$(newest GLIBC)
tag=manylinux_$(echo "$glibc" | cut -d. -f1,2 | tr . _)_$(uname -m)
case $wheel in
*-py3-none-"$tag".whl) ;;
*) echo "the wheel's files ask for glibc $glibc: the platform is $tag, not that of ${wheel##*/}"; exit 1 ;;
esac
gcc=$(newest GCC)
if [ "$(printf '4.8.0\n%s\n' "$gcc" | sort -V | tail -n 1)" != 4.8.0 ]; then
  echo "the wheel's files ask for libgcc's $gcc, and machines of the platform have 4.8.0"
  exit 1
fi
"$python" -c 'import ctypes, sys; ctypes.CDLL(sys.argv[1]).affinimathDeviceCount' "$inside"
if command -v auditwheel >/dev/null; then
  auditwheel show "$wheel" >"$work/audit"
  grep -q '"manylinux_' "$work/audit" || { cat "$work/audit"; exit 1; }
fi

install -m 644 "$wheel" "$folder/"
echo "$folder/${wheel##*/}"

#!/bin/sh
# Makes Debian packages from a CMake install tree.
#
#   packaging/debian/build.sh FOLDER [CMAKE-OPTION...]
#
# The packages are written to FOLDER: libaffinimath0, libaffinimath-blas0, libaffinimath-fftw3-0, libaffinimath-dev
# and affinimath. It needs cmake, cargo, gcc and dpkg-dev, not root. Options go to cmake. AFFINIMATH_CARGO_PROFILE names
# cargo's profile (release).
set -eu
[ $# -gt 0 ] || { echo "usage: $0 FOLDER [CMAKE-OPTION...]" >&2; exit 2; }
mkdir -p "$1"
folder=$(realpath "$1")
shift
here=$(realpath "$(dirname "$0")")
cd "$here/../.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

version=$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -n 1)
architecture=$(dpkg --print-architecture)
triplet=$(dpkg-architecture -q DEB_HOST_MULTIARCH)
lib=usr/lib/$triplet
tree=$work/tree
# Debian's variables for who makes a package.
maintainer="${DEBFULLNAME:-Affinimath} <${DEBEMAIL:-affinimath@localhost.localdomain}>"

cmake -S . -B "$work/build" -DCMAKE_INSTALL_PREFIX=/usr -DCMAKE_INSTALL_LIBDIR="lib/$triplet" "$@"
cmake --build "$work/build"
DESTDIR=$tree cmake --install "$work/build"

# Files get the time of the last change, so that the same sources make the same packages. The variable is exported
# after the build: cargo compiles crates with C code again where it changes, and all that uses them.
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || date +%s)}
export SOURCE_DATE_EPOCH

find "$tree" \( -name '*.so.*' -o -path '*/bin/*' \) -type f -exec strip --strip-unneeded {} +
find "$tree" -name '*.a' -exec strip --strip-debug {} +

# ---- Replacements of libblas.so.3 and liblapack.so.3: libraries of these names, which only need ours. One of our own
# name would not do: ldconfig files libraries under the names that are in them.

own=$lib/affinimath
mkdir -p "$tree/$own"
echo "" >"$work/empty.c"
# library FILE NAME LIBRARY...: an empty library that needs others.
library() {
  file=$1
  name=$2
  shift 2
  gcc -shared -o "$file" "$work/empty.c" -Wl,-soname,"$name" -Wl,--no-as-needed "$@"
  chmod 644 "$file"
}
library "$tree/$own/libblas.so.3" libblas.so.3 "$tree/$lib/libaffinimath_blas.so"
# The rest of LAPACK is the reference's, which has the same name and is needed by its path: the name that users
# record is the library's own.
library "$work/reference.so" "/$lib/lapack/liblapack.so.3"
library "$tree/$own/liblapack.so.3" liblapack.so.3 "$tree/$lib/libaffinimath_blas.so" "$work/reference.so"
strip --strip-unneeded "$tree/$own"/*.so.3

# ---- Sharing out.

# move PACKAGE FILE...: files of the tree become the package's.
move() {
  package=$1
  shift
  for file in "$@"; do
    mkdir -p "$work/$package/$(dirname "$file")"
    mv "$tree/$file" "$work/$package/$file"
  done
}

# files PATTERN...: what the tree has, by names relative to it.
files() {
  (cd "$tree" && for pattern in "$@"; do
    # shellcheck disable=SC2086 # a pattern
    ls -d $pattern
  done)
}

rm -r "$tree/usr/share/doc"
# shellcheck disable=SC2046 # names without spaces
move libaffinimath0 $(files "$lib/libaffinimath.so.*")
# shellcheck disable=SC2046
move libaffinimath-blas0 $(files "$lib/libaffinimath_blas.so.*" "$own")
# shellcheck disable=SC2046
move libaffinimath-fftw3-0 $(files "$lib/libaffinimath_fftw3.so.*")
# shellcheck disable=SC2046
move affinimath $(files usr/bin usr/share/man usr/share/bash-completion usr/share/zsh usr/share/fish \
  "$lib/libaffinimath_trace.so*" "$lib/affinimath-trace")
mkdir -p "$work/affinimath/usr/share/zsh/vendor-completions"
mv "$work/affinimath/usr/share/zsh/site-functions/_affinimath" "$work/affinimath/usr/share/zsh/vendor-completions/"
rmdir "$work/affinimath/usr/share/zsh/site-functions"
gzip -9n "$work"/affinimath/usr/share/man/man1/*.1
# shellcheck disable=SC2046
move libaffinimath-dev $(files usr/include "$lib/*")
left=$(cd "$tree" && find . -type f)
[ -z "$left" ] || { echo "in no package: $left"; exit 1; }

# needs FILE...: the packages whose libraries the files need, as dpkg-shlibdeps finds them.
needs() {
  mkdir -p "$work/shlibdeps/debian"
  printf 'Source: affinimath\n\nPackage: affinimath\nArchitecture: any\n' >"$work/shlibdeps/debian/control"
  (cd "$work/shlibdeps" &&
    dpkg-shlibdeps -O --ignore-missing-info -l"$work/libaffinimath-blas0/$lib" "$@" 2>/dev/null) |
    sed -n 's/^shlibs:Depends=//p'
}

# pack PACKAGE SECTION DEPENDS OTHERS SUMMARY: control files, copyright and changelog, and the package. The long
# description is read from standard input.
pack() {
  root=$work/$1
  mkdir -p "$root/DEBIAN" "$root/usr/share/doc/$1"
  {
    printf 'Package: %s\nSource: affinimath\nVersion: %s\nArchitecture: %s\n' "$1" "$version" "$architecture"
    [ "$1" = affinimath ] || [ "$1" = libaffinimath-dev ] || echo "Multi-Arch: same"
    printf 'Maintainer: %s\nSection: %s\nPriority: optional\n' "$maintainer" "$2"
    printf 'Installed-Size: %s\n' "$(du -sk --exclude=DEBIAN "$root" | cut -f1)"
    printf 'Depends: %s\n' "$3"
    [ -z "$4" ] || printf '%b\n' "$4"
    printf 'Description: %s\n' "$5"
    sed 's/^$/./; s/^/ /'
  } >"$root/DEBIAN/control"
  for script in postinst prerm triggers; do
    [ -e "$here/$1.$script" ] || continue
    sed "s/@TRIPLET@/$triplet/g" "$here/$1.$script" >"$root/DEBIAN/$script"
    case $script in triggers) ;; *) chmod 755 "$root/DEBIAN/$script" ;; esac
  done
  library=$(cd "$root" && find usr/lib -maxdepth 2 -name 'lib*.so.0' 2>/dev/null | head -n 1)
  if [ -n "$library" ]; then
    # The dependency of packages that link the library.
    echo "$(basename "$library" .so.0) 0 $1 (>= $version)" >"$root/DEBIAN/shlibs"
  fi
  cp "$here/copyright" "$root/usr/share/doc/$1/copyright"
  gzip -9nc "$here/../../THIRD-PARTY" >"$root/usr/share/doc/$1/THIRD-PARTY.gz"
  {
    printf 'affinimath (%s) unstable; urgency=medium\n\n' "$version"
    printf '  * Built from the repository: see its CHANGELOG.md.\n\n'
    printf ' -- %s  %s\n' "$maintainer" "$(date -u -R -d "@$SOURCE_DATE_EPOCH")"
  } | gzip -9n >"$root/usr/share/doc/$1/changelog.gz"
  (cd "$root" && find usr -type f -print0 | LC_ALL=C sort -z | xargs -0 md5sum >DEBIAN/md5sums)
  find "$root" -type d -exec chmod 755 {} +
  find "$root" -type f -path '*/usr/share/*' -exec chmod 644 {} +
  dpkg-deb --root-owner-group --build "$root" "$folder/$1_${version}_$architecture.deb" >/dev/null
  echo "$folder/$1_${version}_$architecture.deb"
}

real=$(basename "$work/libaffinimath0/$lib"/libaffinimath.so.*.*)
pack libaffinimath0 libs "$(needs "$work/libaffinimath0/$lib/$real")" "Suggests: ocl-icd-libopencl1" \
  "linear algebra and Fourier transforms on any OpenCL device" <<END
Dense and sparse linear algebra and Fourier transforms, on a GPU of any vendor
that has an OpenCL driver where it pays, and on the host.

This package has the library with its own C interface.
END

real=$(basename "$work/libaffinimath-blas0/$lib"/libaffinimath_blas.so.*.*)
pack libaffinimath-blas0 libs "$(needs "$work/libaffinimath-blas0/$lib/$real"), liblapack3" \
  "Suggests: ocl-icd-libopencl1\nProvides: libblas.so.3, liblapack.so.3" \
  "BLAS and LAPACK on any OpenCL device (standard names)" <<END
BLAS and CBLAS, and LAPACK's linear systems with LAPACKE, under their standard
names. Programs that are linked to libblas.so.3 and liblapack.so.3 run over it
once it is installed; update-alternatives chooses another library.

What LAPACK has beyond that is the reference's.
END

real=$(basename "$work/libaffinimath-fftw3-0/$lib"/libaffinimath_fftw3.so.*.*)
pack libaffinimath-fftw3-0 libs "$(needs "$work/libaffinimath-fftw3-0/$lib/$real")" "" \
  "Fourier transforms by FFTW's names" <<END
FFTW 3's names in double and single precision over Affinimath's transforms, for
programs that are linked to it or have it preloaded.
END

pack libaffinimath-dev libdevel \
  "libaffinimath0 (= $version), libaffinimath-blas0 (= $version), libaffinimath-fftw3-0 (= $version)" "" \
  "linear algebra on any OpenCL device (development files)" <<END
Headers, the static library, the Fortran module, the CMake package and the
pkg-config files of Affinimath.
END

pack affinimath math "$(needs "$work/affinimath/usr/bin/affinimath")" "Suggests: ocl-icd-libopencl1" \
  "linear algebra on any OpenCL device (program)" <<END
Solves systems of linear equations from Matrix Market files, shows which
devices there are and where calls run, and measures them.
END

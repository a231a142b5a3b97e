#!/bin/sh
# Puts programs in Fortran and C over the drop-in's LAPACK.
#
#   tests/dropin/lapack.sh LIBRARY WORK
#
# LIBRARY is libaffinimath_blas.so.0, beside which libaffinimath_blas.so points to it; WORK is a folder to be made.
set -eu
cd "$(dirname "$0")/../.."
library=$1
work=$2
mkdir -p "$work"
folder=$(dirname "$library")

nm -D --defined-only "$library" | awk '{print $3}' >"$work/symbols"
for letter in s d c z; do
  case $letter in [sd]) q=or hermitian='spev spevd spgv spgvd sfrk syev syevd syevr sygv sygvd'
    hermitian="$hermitian syevx sygvx sytrd orgtr ormtr orgbr ormbr stev stevd stevr sbtrd sbev sbevd sbevx" ;;
    *) q=un hermitian='hetrf hetrs hesv hetri heev heevd heevr hegv hegvd'
    hermitian="$hermitian hptrf hptrs hpsv hptri hpev hpevd hpgv hpgvd hfrk"
    hermitian="$hermitian heevx hegvx hetrd ungtr unmtr ungbr unmbr hbtrd hbev hbevd hbevx"
    hermitian="$hermitian heequb herfs hesvx hecon hetrf_rook hetrs_rook hesv_rook hegst" ;; esac
  for routine in getrf getrs gesv getri potrf potrs posv potri geqrf geqp3 ${q}gqr ${q}mqr gels gelsy trtri trtrs \
    lauum laswp lange lansy lantr gecon pocon trcon gttrf gttrs gtsv pttrf pttrs ptsv gbtrf gbtrs gbsv pbtrf pbtrs \
    pbsv sytrf sytrs sysv sytri geev gesvd gesdd gelsd gelss \
    steqr stedc gebrd bdsqr gebal gebak gehrd ${q}ghr ${q}mhr hseqr trevc trexc trsen trsna trsyl gees geesx geevx \
    ggev ggev3 gges gges3 pptrf pptrs ppsv pptri ppcon sptrf sptrs spsv sptri tptri tptrs pftrf pftrs pftri tftri tfsm \
    trttp tpttr trttf tfttr tpttf tfttp geequ geequb poequ poequb syequb gerfs porfs syrfs gesvx posvx sysvx gtrfs \
    gtsvx ptrfs ptsvx gbcon gtcon ptcon sycon sytrf_rook sytrs_rook sysv_rook tbtrs lacpy laset lascl larfg larft \
    larfb stein stemr $hermitian; do
    name=$letter$routine
    set -- "${name}_" "${name}_64_" "scipy_${name}_" "scipy_${name}_64_"
    set -- "$@" "LAPACKE_$name" "LAPACKE_${name}64_" "LAPACKE_${name}_64"
    set -- "$@" "LAPACKE_${name}_work" "LAPACKE_${name}_work64_"
    for symbol in "$@"; do
      grep -q -x "$symbol" "$work/symbols" || { echo "missing: $symbol"; exit 1; }
    done
  done
done

for name in dsgesv zcgesv dsposv zcposv; do
  for symbol in "${name}_" "${name}_64_" "scipy_${name}_" "LAPACKE_$name" "LAPACKE_${name}64_" \
    "LAPACKE_${name}_work"; do
    grep -q -x "$symbol" "$work/symbols" || { echo "missing: $symbol"; exit 1; }
  done
done

gfortran -Wall -Werror -o "$work/fortran" tests/dropin/lapack.f90 -J"$work" -L"$folder" -laffinimath_blas
gcc -std=gnu99 -O1 -Wall -Wextra -Werror -o "$work/c" tests/dropin/lapacke.c -L"$folder" -laffinimath_blas -lm
gcc -std=gnu99 -O1 -Wall -Wextra -Werror -o "$work/spectral" tests/dropin/spectral.c -L"$folder" -laffinimath_blas -lm
gcc -std=gnu99 -O1 -Wall -Wextra -Werror -o "$work/reductions" tests/dropin/reductions.c -L"$folder" \
  -laffinimath_blas -lm
gcc -std=gnu99 -O1 -Wall -Wextra -Werror -o "$work/general" tests/dropin/general.c -L"$folder" -laffinimath_blas -lm
gcc -std=gnu99 -O1 -Wall -Wextra -Werror -o "$work/expert" tests/dropin/expert.c -L"$folder" -laffinimath_blas -lm
gcc -std=gnu99 -O1 -Wall -Wextra -Werror -o "$work/generalised" tests/dropin/generalised.c -L"$folder" \
  -laffinimath_blas -lm
# The reference's own routines over ours, which stand before the reference's in the order of the libraries.
gcc -std=gnu99 -O1 -Wall -Wextra -Werror -o "$work/callers" -Wl,--no-as-needed tests/dropin/callers.c \
  -L"$folder" -laffinimath_blas -l:liblapack.so.3 -lm
for name in strevc3 dtrevc3 ctrevc3 ztrevc3; do
  grep -q -x "${name}_" "$work/symbols" || { echo "missing: ${name}_"; exit 1; }
done
for program in fortran c spectral reductions general generalised expert callers; do
  LD_LIBRARY_PATH=$folder "$work/$program" 2>"$work/said" ||
    { cat "$work/said"; echo "failed: LAPACK from $program"; exit 1; }
done

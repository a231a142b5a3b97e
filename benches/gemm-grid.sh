#!/bin/sh
# gemm beside another library over a grid of 300 shapes, the worst ratios first.
#
#   benches/gemm-grid.sh cublas=/path/libcublas.so.13 [TYPES [STEP [FIRST]]] [options of `affinimath bench gemm`]
#
# TYPES are of s,d,c,z (all by default). With STEP, each STEP-th shape is measured, from number FIRST (0) on: the whole
# grid takes some ten minutes. AFFINIMATH names the program, and options beside these are handed to it: --device nvidia
# --memory device by default.
set -eu
peer=${1:?the library to compare with, as in cublas=/path/libcublas.so}
types=${2:-s,d,c,z} step=${3:-1} first=${4:-0}
[ $# -gt 4 ] && shift 4 || shift $#
program=${AFFINIMATH:-affinimath}

shapes=$(
    for m in 96 128 512 1024 2000 4096 8192; do
        for n in 96 128 512 1024 2000 4096 8192; do
            for k in 32 64 128 512 2048 4096; do echo "${m}x${n}x${k}"; done
        done
    done
    # Deep, high and wide ones, and odd sizes.
    echo 128x128x200000 200000x128x128 128x200000x128 1025x1025x1025 4097x4097x4097 3000x17x3000 | tr ' ' '\n'
)
chosen=$(echo "$shapes" | awk -v step="$step" -v first="$first" '(NR - 1) % step == first' | paste -sd, -)
"$program" bench gemm --device nvidia --memory device --rounds 2 --seconds 0.04 --types "$types" \
    --shape "$chosen" --against "$peer" "$@" |
    awk '/^[SDCZ] / { for (i = 1; i <= NF; i++) if ($i ~ /^[0-9.]+x$/) print substr($i, 1, length($i) - 1) "\t" $0 }' |
    sort -n

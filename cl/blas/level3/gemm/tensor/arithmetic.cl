// The arithmetic of tensor cores on slices.
#pragma once

// Floats are multiplied by warpgroups of four warps, else by warps.
#ifndef WARPGROUP
#define WARPGROUP 0
#endif

#include "blas/level3/gemm/tensor/mma.cl"

#if SCALAR_IS_DOUBLE
#include "blas/level3/gemm/tensor/f64.cl"
#elif WARPGROUP
#include "blas/level3/gemm/tensor/warpgroup.cl"
#include "blas/level3/gemm/tensor/exact.cl"
#else
#include "blas/level3/gemm/tensor/tf32.cl"
#include "blas/level3/gemm/tensor/exact.cl"
#endif

// The arithmetic of a work-group's tile.
#pragma once

// Doubles are multiplied by tensor cores.
#ifndef MMA_F64
#define MMA_F64 0
#endif

#if MMA_F64
#include "blas/level3/gemm/tiled/mma_f64.cl"
#else
#include "blas/level3/gemm/tiled/fma.cl"
#endif

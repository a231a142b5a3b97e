// The operations on tiles: by warps and tensor cores of NVIDIA devices, or by all work-items.
#pragma once

// The device is NVIDIA's and takes inline PTX.
#ifndef NVIDIA
#define NVIDIA 0
#endif

#include "lapack/cholesky/tiles.cl"
#if NVIDIA
#include "lapack/cholesky/potf2_nvidia.cl"
#else
#include "lapack/cholesky/potf2.cl"
#endif
#if TENSOR
#include "lapack/cholesky/acc_nvidia.cl"
#else
#include "lapack/cholesky/acc.cl"
#endif
#if TENSOR && SCALAR_IS_DOUBLE
#include "lapack/cholesky/trmm_rows_nvidia.cl"
#else
#include "lapack/cholesky/trmm_rows.cl"
#if NVIDIA
#include "lapack/cholesky/syrk_tile_nvidia.cl"
#endif
#endif

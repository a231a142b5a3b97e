// Copies from global into local memory: asynchronous ones, or their emulation.
#pragma once

// The device is NVIDIA's and takes inline PTX.
#ifndef NVIDIA
#define NVIDIA 0
#endif

#if NVIDIA
#include "blas/level3/gemm/copy_nvidia.cl"
#else
#include "blas/level3/gemm/copy_emulated.cl"
#endif

// Products of fragments: tensor core instructions, or their emulation.
#pragma once

// The device is NVIDIA's and takes inline PTX.
#ifndef NVIDIA
#define NVIDIA 0
#endif

#if NVIDIA
#include "blas/level3/gemm/tensor/mma_nvidia.cl"
#else
#include "blas/level3/gemm/tensor/mma_emulated.cl"
#endif

// Reductions over a work-group: by warp shuffles, or in local memory.
#pragma once

// The device is NVIDIA's and takes inline PTX.
#ifndef NVIDIA
#define NVIDIA 0
#endif

#if NVIDIA
#include "lapack/qr/group_reduce_nvidia.cl"
#else
#include "lapack/qr/group_reduce_local.cl"
#endif

// The pivot search of a column by a work-group: warp reductions, or a tree in local memory.
#pragma once

// The device is NVIDIA's and takes inline PTX.
#ifndef NVIDIA
#define NVIDIA 0
#endif

#if NVIDIA
#include "lapack/lu/pivot_search_nvidia.cl"
#else
#include "lapack/lu/pivot_search_local.cl"
#endif

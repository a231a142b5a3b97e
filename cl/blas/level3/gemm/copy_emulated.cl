// The copies of copy_nvidia.cl on any device, so that kernels with them can be tested there: each is over when it
// returns.
#pragma once

#include "blas/level3/gemm/copy_chunk.cl"

#define UNROLL
#define ROLLED

inline void copy_chunk(const int width, __local chunk *to, __global const scalar *from, int bytes)
{
    __local scalar *target = (__local scalar *)to;
    for (int i = 0; i < CHUNK; i++) target[i] = i * (int)sizeof(scalar) < bytes ? from[i] : SCALAR_ZERO;
}

inline void copy_whole_chunk(const int width, __local chunk *to, __global const scalar *from)
{
    copy_chunk(width, to, from, 16);
}

inline void copy_half_chunk(__local chunk *to, int second, __global const scalar *from)
{
    for (int i = 0; i < CHUNK / 2; i++) ((__local scalar *)to)[second * (CHUNK / 2) + i] = from[i];
}

inline void copy_whole_element(__local scalar *to, __global const scalar *from) { *to = *from; }

inline void copy_element(__local scalar *to, __global const scalar *from, bool is_there)
{
    *to = is_there ? *from : SCALAR_ZERO;
}

#define commit_copies()
#define wait_for_copies(left)
#define hide_int(x)
#define loads_stay_here()

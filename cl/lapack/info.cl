// LAPACK's info in device memory: 0, or the index of the first pivot that fails, from 1.
#pragma once

// Kernels that follow set the info where a pivot fails.
__kernel void clear_info(__global int *info, long info_index)
{
    info[info_index] = 0;
}

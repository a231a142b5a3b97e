// Block Jacobi: y := op(B) x for a block diagonal matrix B of size x size blocks, padded with zeros at the end.
#pragma once

// The elements for one row of y are adjacent; otherwise those for neighbouring rows are.
#ifndef ALONG
#define ALONG 0
#endif

// The matrix is conj(B).
#ifndef CONJUGATED
#define CONJUGATED 0
#endif

#include "common/scalar.cl"

__kernel void block_product(long n, long size, long chunk, __global const scalar *restrict blocks,
                            __global const scalar *restrict x, long x_offset, long x_step, __global scalar *restrict y,
                            long y_offset, long y_step)
{
    const long end = min(n, ((long)get_global_id(0) + 1) * chunk);
    for (long row = (long)get_global_id(0) * chunk; row < end; row++) {
        const long i = row % size, first = row - i, columns = min(size, n - first);
        __global const scalar *own = blocks + first * size + (ALONG ? i * size : i);
        scalar sum = SCALAR_ZERO;
        for (long j = 0; j < columns; j++)
            sum = multiply_add(conjugate_if(CONJUGATED, own[ALONG ? j : j * size]), x[x_offset + (first + j) * x_step],
                               sum);
        y[y_offset + row * y_step] = sum;
    }
}

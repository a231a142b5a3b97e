// Split-K: the sum of a tile's parts over k, P[0] + P[1] + ... in order of their number, so that the result has the
// same bits in every run. Each part is TILE_M x TILE_N elements, column-major and dense, also where C ends. The first
// parts of all split tiles come first.
#pragma once

#include "blas/level3/gemm/tensor/tile.cl"

// A tile is summed in blocks, by a work-group each; a work-item has a chunk of neighbouring elements of a column.
#define BLOCKS (TILE_M * TILE_N / CHUNK / THREADS)

// C := alpha*sum + beta*C for a block of a tile that begins at (row, column).
inline void sum_block(long tile, int block, long split_tiles, long parts, scalar alpha,
                      __global const scalar *restrict partial, scalar beta, __global scalar *restrict c,
                      long c_column_stride, long row, long column, long m, long n, int c_upper, long c_diagonal)
{
    const int first = (block * THREADS + (int)get_local_id(0)) * CHUNK;
    const long i = row + first % TILE_M, j = column + first / TILE_M;
    const long own_row = first_own(row, TILE_M);
    if (i >= m || j >= n || j < first_own(column, TILE_N)) return;
    __global const chunk *from = (__global const chunk *)(partial + tile * (TILE_M * TILE_N) + first);
    chunk sum = 0;
    for (long part = 0; part < parts; part++) sum += from[part * split_tiles * (TILE_M * TILE_N / CHUNK)];
    scalar elements[CHUNK];
    unpack(sum, elements, 1);
    __global scalar *to = c + i + j * c_column_stride;
    UNROLL
    for (int e = 0; e < CHUNK; e++)
        if (i + e >= own_row && i + e < m && is_wanted(i + e, j))
            to[e] = target_value(elements[e], alpha, beta, to + e, i + e - j == c_diagonal);
}

// A structured operand (structure.cl), or some of its rows and columns, written out as a full matrix stored by columns.
// out(i, p) is row i along C and column p along k, or with ALONG_K the other way round. Mirrored elements are
// conjugated where the operand is Hermitian, and the other triangle of a triangular one is zero.
//
// A work-group does a square tile. It reads elements in the order of the operand's memory, and writes columns.

// The rows of `out` lie along k.
#ifndef ALONG_K
#define ALONG_K 0
#endif

// Work-items of a group.
#ifndef THREADS
#define THREADS 256
#endif

// Rows and columns of a tile: THREADS divides TILE * TILE.
#ifndef TILE
#define TILE 32
#endif

#include "blas/level3/gemm/structure.cl"

__kernel __attribute__((reqd_work_group_size(THREADS, 1, 1))) void expand(
    long rows, long columns, OPERAND(x), __global scalar *restrict out, long out_column_stride)
{
    __local scalar tile[TILE * (TILE + 1)];
    const int item = get_local_id(0);
    const long tiles = (rows + TILE - 1) / TILE;
    const long row = get_group_id(0) % tiles * TILE, column = get_group_id(0) / tiles * TILE;
    // Of the operand: along C, and along the k_first.
    const long along = ALONG_K ? column : row, k_first = ALONG_K ? row : column;
    x += x_offset;
    // A tile that is all above the diagonal of a mirrored operand is read from its mirror image.
    const bool is_mirror = is_mirrored(A_STRUCTURE) && along + TILE - 1 - k_first - x_diagonal < 0;
    const bool by_k = (x_k_stride < x_along_stride) != is_mirror;
    #pragma unroll
    for (int e = item; e < TILE * TILE; e += THREADS) {
        const int slow = e / TILE, fast = e % TILE, i = by_k ? slow : fast, p = by_k ? fast : slow;
        const int r = ALONG_K ? p : i, c = ALONG_K ? i : p;
        if (row + r < rows && column + c < columns)
            tile[r + c * (TILE + 1)] = structured_element(A_STRUCTURE, x, along + i, k_first + p, x_along_stride,
                                                          x_k_stride,
                                                          x_conjugate, x_upper, x_diagonal);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    #pragma unroll
    for (int e = item; e < TILE * TILE; e += THREADS) {
        const int r = e % TILE, c = e / TILE;
        if (row + r < rows && column + c < columns) out[row + r + (column + c) * out_column_stride] =
            tile[r + c * (TILE + 1)];
    }
}

// The transpose of a square matrix in place: a work-group exchanges the tiles (I, J) and (J, I), J <= I, each element
// scaled and conjugated. One tile passes through local memory at a time, the other waits in registers.

// Rows and columns of a tile.
#ifndef TILE
#define TILE 32
#endif

// Work-items of a group.
#ifndef THREADS
#define THREADS 256
#endif

#include "blas/movement/terms.cl"

#define ELEMENTS (TILE * TILE / THREADS)
#define in_tile(e) ((e) / TILE * (TILE + 1) + (e) % TILE)
#define in_turned(e) ((e) % TILE * (TILE + 1) + (e) / TILE)

__kernel __attribute__((reqd_work_group_size(THREADS, 1, 1))) void movement_exchange(
    long n, scalar factor, int conjugate, __global scalar *c, long c_offset, long c_column_stride)
{
    __local scalar tile[TILE * (TILE + 1)];
    const long tiles = (n + TILE - 1) / TILE;
    const long row = get_group_id(0) % tiles * TILE, column = get_group_id(0) / tiles * TILE;
    if (column > row) return; // The same for the whole group.
    const int item = get_local_id(0);
    c += c_offset;

    // Element e of the tile (I, J) is in its column e / TILE, of the tile (J, I) likewise.
    scalar saved[ELEMENTS];
    #pragma unroll
    for (int k = 0; k < ELEMENTS; k++) {
        const int e = item + k * THREADS;
        const long i = row + e % TILE, j = column + e / TILE;
        if (i < n && j < n) tile[in_tile(e)] = c[i + j * c_column_stride];
        const long other_i = column + e % TILE, other_j = row + e / TILE;
        if (other_i < n && other_j < n) saved[k] = c[other_i + other_j * c_column_stride];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    #pragma unroll
    for (int k = 0; k < ELEMENTS; k++) {
        const int e = item + k * THREADS;
        const long i = column + e % TILE, j = row + e / TILE;
        if (i < n && j < n) c[i + j * c_column_stride] = scaled(factor, conjugate_if(conjugate, tile[in_turned(e)]));
    }
    if (row == column) return; // The same for the whole group: the tile was its own partner.
    barrier(CLK_LOCAL_MEM_FENCE);
    #pragma unroll
    for (int k = 0; k < ELEMENTS; k++) tile[in_tile(item + k * THREADS)] = saved[k];
    barrier(CLK_LOCAL_MEM_FENCE);
    #pragma unroll
    for (int k = 0; k < ELEMENTS; k++) {
        const int e = item + k * THREADS;
        const long i = row + e % TILE, j = column + e / TILE;
        if (i < n && j < n) c[i + j * c_column_stride] = scaled(factor, conjugate_if(conjugate, tile[in_turned(e)]));
    }
}

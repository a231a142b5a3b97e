// Matrix copies and sums, a work-group per TILE_ROWS x TILE_COLUMNS elements: terms across C are summed in local
// memory, and transposed on the way back. Neighbouring work-items read and write neighbouring elements on both sides.

// Rows of a tile.
#ifndef TILE_ROWS
#define TILE_ROWS 32
#endif

// Columns of a tile, as many as its rows where a term lies across C.
#ifndef TILE_COLUMNS
#define TILE_COLUMNS 32
#endif

// Work-items of a group.
#ifndef THREADS
#define THREADS 256
#endif

#include "blas/movement/terms.cl"

#define TILE TILE_COLUMNS
#define ANY_ACROSS (TERMS > 0 && (ACROSS_0 || (TERMS > 1 && ACROSS_1)))
#define BOTH_ACROSS (TERMS > 1 && ACROSS_0 && ACROSS_1)

// Element (i, j) of term k.
#define TERM(k, i, j) conjugate_if(conjugate##k, x##k[offset##k + (i) * row_stride##k + (j) * column_stride##k])

__kernel __attribute__((reqd_work_group_size(THREADS, 1, 1))) void movement_tiles(
    long rows, long columns, __global scalar *UNALIASED c, long c_offset, long c_column_stride PARAMETERS_OF_TERMS)
{
    const long tiles_down = (rows + TILE_ROWS - 1) / TILE_ROWS;
    const long row = get_group_id(0) % tiles_down * TILE_ROWS, column = get_group_id(0) / tiles_down * TILE_COLUMNS;
    const int item = get_local_id(0);
#if ANY_ACROSS
    // One element more per row: a column's elements lie in different banks.
    __local scalar turned[TILE * (TILE + 1)];
    #pragma unroll
    for (int e = item; e < TILE * TILE; e += THREADS) {
        const long i = row + e / TILE, j = column + e % TILE;
        if (i < rows && j < columns) {
#if BOTH_ACROSS
            const scalar value = add_scaled(factor1, TERM(1, i, j), scaled(factor0, TERM(0, i, j)));
#elif ACROSS_0
            const scalar value = scaled(factor0, TERM(0, i, j));
#else
            const scalar value = scaled(factor1, TERM(1, i, j));
#endif
            turned[e / TILE * (TILE + 1) + e % TILE] = value;
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
#endif
    #pragma unroll
    for (int e = item; e < TILE_ROWS * TILE_COLUMNS; e += THREADS) {
        const long i = row + e % TILE_ROWS, j = column + e / TILE_ROWS;
        if (i >= rows || j >= columns) continue;
        scalar value = SCALAR_ZERO;
#if ANY_ACROSS
        value = turned[e % TILE * (TILE + 1) + e / TILE];
#if TERMS > 1 && !ACROSS_0
        value = add_scaled(factor0, TERM(0, i, j), value);
#elif TERMS > 1 && !ACROSS_1
        value = add_scaled(factor1, TERM(1, i, j), value);
#endif
#else
#if TERMS > 0
        value = scaled(factor0, TERM(0, i, j));
#endif
#if TERMS > 1
        value = add_scaled(factor1, TERM(1, i, j), value);
#endif
#endif
        c[c_offset + i + j * c_column_stride] = value;
    }
}

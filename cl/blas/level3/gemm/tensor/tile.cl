// The warps' parts of a tile, and the epilogue: C := alpha*acc + beta*C.
//
// A fragment's accumulators are those of the rows g and g + 8 and of the columns 2*t and 2*t + 1, in the tile's rows
// and columns of slice.cl. CHUNK of its rows are neighbours, 16 bytes of a column of C.
#pragma once

#include "blas/level3/gemm/structure.cl"
#include "blas/level3/gemm/tensor/slice.cl"
#include "blas/level3/gemm/tensor/acc.cl"

#define WARPS_M (TILE_M / WARP_M)
// Blocks of 8 columns in a tile.
#define BLOCKS_N (TILE_N / 8)
#define ROW_CHUNKS (2 * FRAGMENTS_M / CHUNK)

// The first row and column of a work-item's warp.
#define warp_row(item) ((item) / 32 % WARPS_M * WARP_M)
#define warp_column(item) (WARP_N == TILE_N ? 0 : (item) / 32 / WARPS_M * WARP_N)

inline chunk pack(const scalar *from)
{
#if SCALAR_IS_COMPLEX && SCALAR_IS_DOUBLE
    return from[0];
#elif SCALAR_IS_DOUBLE || SCALAR_IS_COMPLEX
    return (chunk)(from[0], from[1]);
#else
    return (chunk)(from[0], from[1], from[2], from[3]);
#endif
}

// The first row or column of a tile that it stores: if it begins earlier, the others are another tile's.
#define first_own(first, tile) (((first) + (tile) - 1) / (tile) * (tile))

#define is_own(i, j) ((i) >= own_row && (i) < m && (j) >= own_column && (j) < n && is_wanted(i, j))

// Columns of a work-item whose elements of C are read before any of them is stored: a read does not overtake a store
// that may alias it, and a group alone on its multiprocessor would mostly wait. They take READ_BYTES of registers.
#define READ_BYTES 128
#define COLUMNS (2 * FRAGMENTS_N)
#define COLUMNS_READ (READ_BYTES / (16 * ROW_CHUNKS) < COLUMNS ? READ_BYTES / (16 * ROW_CHUNKS) : COLUMNS)
#if READ_BYTES % (16 * ROW_CHUNKS) || COLUMNS % COLUMNS_READ
#error A work-item reads whole columns, as often as it has some.
#endif

// alpha*sum + beta*c, where beta = 0 means that c is not read.
inline void store_tile(const tile_acc *acc, scalar alpha, scalar beta, __global scalar *restrict c,
                       long c_column_stride,
                       long row, long column, long m, long n, int c_upper, long c_diagonal, int item)
{
    const int g = lane_group(item), t = lane_in_group(item);
    const bool reads = !is_zero(beta);
    const long own_row = first_own(row, TILE_M), own_column = first_own(column, TILE_N);
    const bool in_chunks = row + TILE_M <= m && column + TILE_N <= n && row == own_row && column == own_column
                           && are_all_wanted(row, column, TILE_M, TILE_N) && (ulong)c % 16 == 0
                               && c_column_stride % CHUNK == 0;
    row += warp_row(item);
    column += warp_column(item);
    UNROLL
    for (int from = 0; from < COLUMNS; from += COLUMNS_READ) {
        scalar before[COLUMNS_READ][ROW_CHUNKS * CHUNK];
        UNROLL
        for (int p = 0; p < COLUMNS_READ; p++) {
            const long to_column = column + row_of((from + p) / 2, 2 * t + (from + p) % 2);
            __global const scalar *to = c + to_column * c_column_stride;
            UNROLL
            for (int q = 0; q < ROW_CHUNKS * CHUNK; q += CHUNK) {
                const long first = row + row_of(q, g);
                if (in_chunks) {
                    unpack(reads ? *(__global const chunk *)(to + first) : (chunk)(0), before[p] + q, 1);
                } else {
                    UNROLL
                    for (int r = 0; r < CHUNK; r++)
                        before[p][q + r] = reads && is_own(first + r, to_column) ? to[first + r] : SCALAR_ZERO;
                }
            }
        }
        UNROLL
        for (int p = 0; p < COLUMNS_READ; p++) {
            const int j = (from + p) / 2, second = (from + p) % 2;
            const long to_column = column + row_of(j, 2 * t + second);
            __global scalar *to = c + to_column * c_column_stride;
            UNROLL
            for (int q = 0; q < ROW_CHUNKS * CHUNK; q += CHUNK) {
                const long first = row + row_of(q, g);
                scalar result[CHUNK];
                UNROLL
                for (int r = 0; r < CHUNK; r++)
                    result[r] = target_sum(acc_of(acc, q + r, j, second), alpha, beta, before[p][q + r],
                                           first + r - to_column == c_diagonal);
                if (in_chunks) {
                    *(__global chunk *)(to + first) = pack(result);
                } else {
                    UNROLL
                    for (int r = 0; r < CHUNK; r++)
                        if (is_own(first + r, to_column)) to[first + r] = result[r];
                }
            }
        }
    }
}

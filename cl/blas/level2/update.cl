// Rank-1 update A := A + alpha x y^T, or with RANK 2 A := A + alpha x y^T + beta y x^T, on the stored elements of A: on
// any device, laid out for GPUs. Factors of rows or those of columns may be conjugated, and the imaginary part of the
// diagonal may be set to 0.
//
// A work-group takes a tile: ROWS_PER_ITEM rows for each work-item along dimension 0, and `run` columns, shared by the
// work-items along dimension 1. Factors of rows stay in registers.

// 1 or 2.
#ifndef RANK
#define RANK 1
#endif

// Rows of a work-item.
#ifndef ROWS_PER_ITEM
#define ROWS_PER_ITEM 2
#endif

// Columns of a work-item whose elements are loaded before any is stored.
#ifndef COLUMNS_AT_ONCE
#define COLUMNS_AT_ONCE 4
#endif

#include "common/scalar.cl"
#include "common/stored.cl"

// The tiles of a triangle are numbered row by row of the lower one: tile t is (row, t - row (row + 1) / 2). The square
// root gives the row but for rounding.
inline long triangle_row(long t)
{
    long row = (long)((sqrt(8.0f * (float)t + 1.0f) - 1.0f) / 2.0f);
    while (row * (row + 1) / 2 > t) row--;
    while ((row + 1) * (row + 2) / 2 <= t) row++;
    return row;
}

__kernel void update(
    long rows, long columns, STORED_PARAMETERS, __global scalar *restrict a, long a_offset,
    scalar alpha, scalar beta,
    __global const scalar *restrict x, long x_first, long x_step,
    __global const scalar *restrict y, long y_first, long y_step,
    int conjugate_rows, int conjugate_columns, int real_diagonal, int triangular, long run)
{
    const long tile_rows = ROWS_PER_ITEM * (long)get_local_size(0);
    const long group = get_group_id(0);
    long row_begin, column_begin;
    if (triangular) {
        // Square tiles, each of them cut into runs of columns; an upper triangle's are the transposed ones.
        const long runs = tile_rows / run, tile = group / runs;
        const long far = triangle_row(tile), near = tile - far * (far + 1) / 2;
        row_begin = (below == 0 ? near : far) * tile_rows;
        column_begin = (below == 0 ? far : near) * tile_rows + group % runs * run;
    } else {
        const long tiles = (rows + tile_rows - 1) / tile_rows;
        row_begin = group % tiles * tile_rows;
        column_begin = group / tiles * run;
    }
    const long column_end = min(columns, column_begin + run);
    a += a_offset;
    x += x_first;
    y += y_first;

    const long row = row_begin + get_local_id(0), row_step = get_local_size(0), column_step = get_local_size(1);
    scalar of_row[RANK][ROWS_PER_ITEM];
    #pragma unroll
    for (int r = 0; r < ROWS_PER_ITEM; r++) {
        const long i = min(row + r * row_step, rows - 1);
        of_row[0][r] = conjugate_if(conjugate_rows, x[i * x_step]);
#if RANK == 2
        of_row[1][r] = conjugate_if(conjugate_rows, y[i * y_step]);
#endif
    }

    for (long first = column_begin + get_local_id(1); first < column_end; first += COLUMNS_AT_ONCE * column_step) {
        scalar value[COLUMNS_AT_ONCE][ROWS_PER_ITEM];
        #pragma unroll
        for (int c = 0; c < COLUMNS_AT_ONCE; c++) {
            const long j = first + c * column_step;
            const long begin = max(0L, j - above), end = j < column_end ? min(rows, j + below + 1) : 0;
            __global const scalar *column = a + column_start(j);
            #pragma unroll
            for (int r = 0; r < ROWS_PER_ITEM; r++) {
                const long i = row + r * row_step;
                value[c][r] = i >= begin && i < end ? column[i] : SCALAR_ZERO;
            }
        }
        #pragma unroll
        for (int c = 0; c < COLUMNS_AT_ONCE; c++) {
            const long j = first + c * column_step;
            const long begin = max(0L, j - above), end = j < column_end ? min(rows, j + below + 1) : 0;
            const long inside = min(j, columns - 1);
            __global scalar *column = a + column_start(j);
            const scalar factor = scale_by(alpha, conjugate_if(conjugate_columns, y[inside * y_step]));
#if RANK == 2
            const scalar second = scale_by(beta, conjugate_if(conjugate_columns, x[inside * x_step]));
#endif
            #pragma unroll
            for (int r = 0; r < ROWS_PER_ITEM; r++) {
                const long i = row + r * row_step;
                scalar sum = multiply_add(of_row[0][r], factor, value[c][r]);
#if RANK == 2
                sum = multiply_add(of_row[1][r], second, sum);
#endif
#if SCALAR_IS_COMPLEX
                if (real_diagonal && i == j) sum.y = 0;
#endif
                if (i >= begin && i < end) column[i] = sum;
            }
        }
    }
}

// potrf and trtri of the diagonal block, in register tiles.
#pragma once

#include "lapack/cholesky/tile_operations.cl"

// Copies the INNER x INNER diagonal tile at (first, first), as its adjoint, to local memory.
inline void store_diagonal_tile(__local scalar (*tile)[INNER], scalar x[ITEM_TILE][ITEM_TILE], int first)
{
    const int item = get_local_id(0), down = item_tile_row(item) * ITEM_TILE - first,
              across = item_tile_column(item) * ITEM_TILE - first;
    if (down < 0 || down >= INNER || across < 0 || across >= INNER) return;
    #pragma unroll
    for (int c = 0; c < ITEM_TILE; c++) {
        #pragma unroll
        for (int r = 0; r < ITEM_TILE; r++) tile[across + c][down + r] = conjugate_if(1, x[r][c]);
    }
}

// Copies INNER rows from `first` on to local memory: left of the diagonal the inverse so far, from the diagonal on the
// adjoint of the columns.
inline void store_rows(__local scalar (*rows)[PITCH], scalar x[ITEM_TILE][ITEM_TILE], int first)
{
    const int item = get_local_id(0), top = item_tile_row(item) * ITEM_TILE, left = item_tile_column(item) * ITEM_TILE;
    const bool is_row = top >= first && top < first + INNER, is_column = left >= first && left < first + INNER;
    if (is_column && top >= first) {
        #pragma unroll
        for (int c = 0; c < ITEM_TILE; c++) {
            scalar elements[ITEM_TILE];
            #pragma unroll
            for (int r = 0; r < ITEM_TILE; r++) elements[r] = conjugate_if(1, x[r][c]);
            store_elements(&rows[left - first + c][top], elements);
        }
    }
    if (is_row && left < first) {
        #pragma unroll
        for (int r = 0; r < ITEM_TILE; r++) {
            scalar elements[ITEM_TILE];
            #pragma unroll
            for (int c = 0; c < ITEM_TILE; c++) elements[c] = x[r][c];
            store_elements(&rows[top - first + r][left], elements);
        }
    }
}

// The INNER rows from `first` on become the inverse's, which trmm_rows has written to `solved`.
inline void load_rows(__local const scalar (*solved)[PITCH], scalar x[ITEM_TILE][ITEM_TILE], int first)
{
    const int item = get_local_id(0), top = item_tile_row(item) * ITEM_TILE, left = item_tile_column(item) * ITEM_TILE;
    if (top < first || top >= first + INNER) return;
    #pragma unroll
    for (int r = 0; r < ITEM_TILE; r++) {
        __local const scalar *row = &solved[top - first + r][left];
        #pragma unroll
        for (int c = 0; c < ITEM_TILE; c++) x[r][c] = left < first + INNER ? row[c] : SCALAR_ZERO;
    }
}

// Trailing update of the rows below: eliminates them with the solved rows.
inline void eliminate_rows(__local const scalar (*solved)[PITCH], scalar x[ITEM_TILE][ITEM_TILE], int first)
{
    const int item = get_local_id(0), down = item_tile_row(item), across = item_tile_column(item),
              top = down * ITEM_TILE, left = across * ITEM_TILE;
    if (top < first + INNER || across > down) return;
    const bool is_column = left >= first && left < first + INNER;
    #pragma unroll
    for (int r = 0; r < ITEM_TILE; r++) {
        #pragma unroll
        for (int c = 0; c < ITEM_TILE; c++) x[r][c] = is_column ? SCALAR_ZERO : x[r][c];
    }
    #pragma unroll
    for (int k = 0; k < INNER; k++) {
        __local const scalar *factors = &solved[k][top], *row = &solved[k][left];
        #pragma unroll
        for (int r = 0; r < ITEM_TILE; r++) {
            #pragma unroll
            for (int c = 0; c < ITEM_TILE; c++) x[r][c] = multiply_add(-conjugate_if(1, factors[r]), row[c], x[r][c]);
        }
    }
}

// Replaces x, the lower triangle of an SPD block in register tiles, by the inverse of its Cholesky factor (potrf and
// trtri in one sweep, INNER rows at a time).
//
// Columns that are done hold the inverse's rows so far, so that one elimination serves both. While the other
// work-items eliminate the rows below, one warp factorises the next diagonal tile: that tile lies in local memory and
// is updated first (look-ahead). The factor's `order` rows are stored to l, unless an earlier pivot has failed.
// Returns whether all pivots are positive; `in_range` becomes whether these and all earlier pivots are in range.
inline bool potrf_trtri(__local scalar (*workspace)[PITCH], __local scalar (*tile)[INNER],
                        __local scalar (*factor_tile)[FACTOR_PITCH], __local potf2_workspace *potf2_local,
                        __local int *valid_columns, scalar x[ITEM_TILE][ITEM_TILE], int order, matrix l, int base,
                        bool has_failed, __global int *info, int in_range, __global int *in_range_flags)
{
    // Rows that are eliminated next, and the same rows after trmm_rows.
    __local scalar (*rows)[PITCH] = workspace, (*solved)[PITCH] = workspace + INNER;
    const int item = get_local_id(0);
    const bool along_rows = l.column_stride < l.row_stride;
    store_diagonal_tile(tile, x, 0);
    // These work-items' tiles lie above the diagonal, where the inverse is zero.
    if (is_factorising_item(item)) clear_acc(x);
    // All work-items have read x and the info before any of either is written.
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    for (int first = 0; first < WIDTH; first += INNER) {
        if (first > 0) syrk_diagonal_tile(tile, solved, first);
        const pivot_check check = potf2_trtri(tile, factor_tile, potf2_local);
        if (item == REPORTING_ITEM) {
            *valid_columns = check.index;
            in_range &= check.in_range;
            if (!has_failed && check.index < INNER) {
                *info = base + first + check.index + 1;
                *at(l, first + check.index, first + check.index) = from_real(check.value);
            }
        }
        if (first > 0 && !is_factorising_item(item)) {
            const int last = first - INNER;
            if (!has_failed) {
                for (int e = worker_index(item); e < WIDTH * INNER; e += WORKERS) {
                    const int r = along_rows ? e / INNER : e % WIDTH, k = along_rows ? e % INNER : e / WIDTH;
                    if (r >= first && r < order) *at(l, r, last + k) = conjugate_if(1, solved[k][r]);
                }
            }
            load_rows(solved, x, last);
            eliminate_rows(solved, x, last);
        }
        store_rows(rows, x, first);
        barrier(CLK_LOCAL_MEM_FENCE);
        // Columns of this tile that have a factor.
        const int count = has_failed ? 0 : *valid_columns;
        has_failed = count < INNER;
        trmm_rows(factor_tile, rows, solved, first);
        store_diagonal_tile(tile, x, first + INNER);
        const int r = along_rows ? item / INNER : item % INNER, k = along_rows ? item % INNER : item / INNER;
        if (k <= r && k < count && first + r < order) *at(l, first + r, first + k) = conjugate_if(1, factor_tile[k][r]);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    load_rows(solved, x, WIDTH - INNER);
    if (item == REPORTING_ITEM) *in_range_flags = in_range;
    return !has_failed;
}

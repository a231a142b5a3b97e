// One step of the blocked Cholesky factorisation A = L L^H (LAPACK potrf, lower triangle), panel by panel, with
// look-ahead: one launch for each panel, in which no work-group waits for another.
//
// Panels have WIDTH columns. Launch p factorises the diagonal block of panel p. Panel p-1 has its diagonal factor, but
// its rows are not multiplied by the inverse yet. Panel p-2 is complete, but for two deferred stores.
//
//            panel p-2       panel p-1        panel p       trailing columns: panels p+1, p+2, ...
//                            (previous)       (current)
//          +-------------+
//          |    done     |
//          +-------------+---------------+
//          | stored now  | L11, inverse  |
//          +-------------+---------------+---------------+
//          | stored now  | L21: trsm by  | group 0: syrk |
//          |             | groups 0..    | potrf, trtri  |
//          +-------------+---------------+---------------+---------------+
//  block 1 |    done     | group 1: trsm | group 1:      | first trail-  |
//          |             |               | update        | ing tile      |
//          +-------------+---------------+---------------+---------------+---------------+
//  block 2 |    done     | group 2: trsm | group 2:      | trailing tile | trailing tile |
//          |             |               | update        |               |               |
//          +-------------+---------------+---------------+---------------+---------------+
//  ...        each block and tile is WIDTH x WIDTH
//
// - Group 0 updates the diagonal block with panel p-1 (syrk), factorises it (potrf) and inverts the factor (trtri).
// - Group i = 1 .. blocks-1 has row block i: trsm of panel p-1 by its inverse, and the update of panel p with panels
//   p-2 and p-1 (gemm).
// - L21 is L(p,p-1). Groups 0 to blocks-1 each compute it for themselves.
// - Remaining groups: one trailing tile each, A -= L(p-2) L(p-2)^H. The first tile is the diagonal block of panel p+1;
//   it also subtracts L(p-1) L(p-1)^H.
// - Without a panel p (`width` is 0) all groups have rows of panel p-1.
//
// Deferred stores: other groups still read the blocks of A that become L21 and L(p+1,p-1). Group 1 stores these to
// workspace, and group 1 of the next launch (group 0 if it is alone) copies them to A ("stored now" above).
//
// Workspace memory, in blocks of WIDTH x WIDTH, two of each by the parity of p: the inverses, L21, L(p+1,p-1); then two
// ints that say whether all pivots are in range.
//
// The info becomes the index of the first pivot that is not positive, counted from 1 + `base`. Then the diagonal is no
// longer written, and the inverse is zero, so that later products stay finite.
#pragma once

#include "lapack/cholesky/gemm_blocks.cl"
#include "lapack/cholesky/potrf_block.cl"

// Deferred store: copies a block from workspace to A, the first `rows` rows of it.
inline void store_deferred(matrix from, matrix to, int rows)
{
    scalar deferred[BLOCK_ELEMENTS / THREADS];
    #pragma unroll
    for (int n = 0; n < BLOCK_ELEMENTS / THREADS; n++) deferred[n] = from.elements[get_local_id(0) + n * THREADS];
    #pragma unroll
    for (int n = 0; n < BLOCK_ELEMENTS / THREADS; n++) {
        const int e = get_local_id(0) + n * THREADS;
        if (e % WIDTH < rows) *at(to, e % WIDTH, e / WIDTH) = deferred[n];
    }
}

// Block number `index` of the workspace, of which there are two by parity.
inline matrix workspace_block(__global scalar *global_workspace, int index)
{
    const matrix block = {global_workspace + index * BLOCK_ELEMENTS, 1, WIDTH};
    return block;
}

// Loads the lower triangle of a diagonal block of `width` rows; the rest is the identity.
inline void load_diagonal_block(scalar x[ITEM_TILE][ITEM_TILE], int top, int left, matrix from, int width)
{
    #pragma unroll
    for (int r = 0; r < ITEM_TILE; r++) {
        #pragma unroll
        for (int c = 0; c < ITEM_TILE; c++) {
            const int i = top + r, j = left + c;
            x[r][c] = i == j ? SCALAR_ONE : SCALAR_ZERO;
            if (i < width && j <= i) x[r][c] = *at(from, i, j);
        }
    }
}

// Stores a diagonal block's inverse, or zeros where the factorisation failed.
inline void store_inverse(matrix to, scalar x[ITEM_TILE][ITEM_TILE], int top, int left, bool succeeded)
{
    #pragma unroll
    for (int c = 0; c < ITEM_TILE; c++) {
        scalar elements[ITEM_TILE];
        #pragma unroll
        for (int r = 0; r < ITEM_TILE; r++) elements[r] = succeeded ? x[r][c] : SCALAR_ZERO;
        *(__global tile_vector *)at(to, top, left + c) = pack_elements(elements);
    }
}

__kernel __attribute__((reqd_work_group_size(THREADS, 1, 1))) void potrf_step(
    int rows, int width, int columns, int has_previous, int has_deferred, __global scalar *a, long a_offset,
    long row_stride, long column_stride, __global scalar *global_workspace, int parity, int base, __global int *info,
    long info_index)
{
    __local scalar workspace[2 * TILE_K][PITCH] __attribute__((aligned(64)));
    __local scalar tile[INNER][INNER], factor_tile[INNER][FACTOR_PITCH];
    __local potf2_workspace potf2_local;
    __local int valid_columns;
    const int item = get_local_id(0), group = get_group_id(0), blocks = (rows + WIDTH - 1) / WIDTH;
    // Flags by parity: the pivots of all panels are in range, up to panel p - 1 and up to panel p.
    __global int *in_range_flags = (__global int *)(global_workspace + 6 * BLOCK_ELEMENTS);
    const int in_range = has_previous ? in_range_flags[1 - parity] : 1;
    const int top = item_tile_row(item) * ITEM_TILE, left = item_tile_column(item) * ITEM_TILE;
    // From the rows of panel p's diagonal block on: panels p, p-1 and p-2.
    const matrix current = {a + a_offset, row_stride, column_stride};
    const matrix previous = submatrix(current, 0, -WIDTH), older = submatrix(current, 0, -2 * WIDTH);
    const matrix inverse = workspace_block(global_workspace, parity);
    const matrix previous_inverse = workspace_block(global_workspace, 1 - parity);
    // The stores that this launch defers, each with that of the launch before.
    const matrix diagonal_rows = workspace_block(global_workspace, 2 + parity);
    const matrix old_diagonal_rows = workspace_block(global_workspace, 3 - parity);
    const matrix first_rows = workspace_block(global_workspace, 4 + parity);
    const matrix old_first_rows = workspace_block(global_workspace, 5 - parity);

    if (has_deferred && group == (blocks > 1)) {
        store_deferred(old_diagonal_rows, submatrix(older, -WIDTH, 0), WIDTH);
        if (width > 0) store_deferred(old_first_rows, older, rows);
    }
    if (group == 0 && width > 0) {
        // The diagonal block of panel p: syrk, potrf, trtri.
        const bool has_failed = info[info_index] != 0;
        scalar x[ITEM_TILE][ITEM_TILE];
        load_diagonal_block(x, top, left, current, width);
        if (has_previous) {
            scalar l21[ITEM_TILE][ITEM_TILE], acc[ITEM_TILE][ITEM_TILE];
            trsm_block(workspace, previous, rows, previous_inverse, in_range, l21);
            // A block without rows below is read by this group alone, and is stored at once.
            if (blocks == 1) store_block(workspace, l21, previous, rows, false, false);
            clear_acc(acc);
            syrk_acc_tiles(workspace, l21, in_range, acc);
            subtract_acc(workspace, acc, x);
        }
        const bool succeeded =
            potrf_trtri(workspace, tile, factor_tile, &potf2_local, &valid_columns, x, width, current, base, has_failed,
                        info + info_index, in_range, in_range_flags + parity);
        store_inverse(inverse, x, top, left, succeeded);
    } else if (group < blocks) {
        // WIDTH rows below: trsm of panel p-1, update of panel p.
        const int first = group * WIDTH, count = min(rows - first, WIDTH);
        const matrix own_previous = submatrix(previous, first, 0);
        scalar l[ITEM_TILE][ITEM_TILE], l21[ITEM_TILE][ITEM_TILE], acc[ITEM_TILE][ITEM_TILE];
        if (width > 0) {
            trsm_block(workspace, previous, WIDTH, previous_inverse, in_range, l21);
            if (group == 1) store_block(workspace, l21, diagonal_rows, WIDTH, false, false);
        }
        trsm_block(workspace, own_previous, count, previous_inverse, in_range, l);
        const bool defers = group == 1 && columns > WIDTH;
        store_block(workspace, l, defers ? first_rows : own_previous, count, false, false);
        if (width == 0) return;
        clear_acc(acc);
        if (has_deferred)
            gemm_acc(workspace, submatrix(older, first, 0), count, old_first_rows, WIDTH, false, in_range, acc);
        gemm_acc_tiles(workspace, l, l21, in_range, acc);
        store_block(workspace, acc, submatrix(current, first, 0), count, true, false);
    } else {
        // A trailing tile. Its block coordinates: tiles are numbered column by column.
        int row = group - blocks, column = 1;
        while (row >= blocks - column) {
            row -= blocks - column;
            column++;
        }
        row += column;
        const int count = min(rows - row * WIDTH, WIDTH), tile_columns = min(rows - column * WIDTH, WIDTH);
        scalar acc[ITEM_TILE][ITEM_TILE];
        clear_acc(acc);
        if (has_deferred)
            gemm_acc(workspace, submatrix(older, row * WIDTH, 0), count, submatrix(older, column * WIDTH, 0),
                     tile_columns, false, in_range, acc);
        if (row == 1) {
            scalar l[ITEM_TILE][ITEM_TILE];
            trsm_block(workspace, submatrix(previous, WIDTH, 0), count, previous_inverse, in_range, l);
            syrk_acc_tiles(workspace, l, in_range, acc);
        }
        store_block(workspace, acc, submatrix(current, row * WIDTH, column * WIDTH), count, true, row == column);
    }
}

// Matrix products of WIDTH x WIDTH blocks by a work-group. Operands pass through local memory, TILE_K columns at a
// time: `workspace` has 2 * TILE_K columns. Each function begins with a barrier before it overwrites the workspace.
#pragma once

// Columns that a product stages at once: WIDTH or half of it, at least INNER.
#ifndef TILE_K
#define TILE_K 16
#endif

#include "lapack/cholesky/tile_operations.cl"

// Loads a work-item's part of TILE_K columns, from column `first` on. Rows from `rows` on are zeros.
inline void load_k_tile(scalar part[TILE_K * WIDTH / THREADS], matrix from, int first, int rows)
{
    const access w = access_of(from, TILE_K);
    __global const scalar *source = at(from, w.row, first + w.column);
    const long step = w.row_step * from.row_stride + w.column_step * from.column_stride;
    #pragma unroll
    for (int n = 0; n < TILE_K * WIDTH / THREADS; n++)
        part[n] = w.row + n * w.row_step < rows ? source[n * step] : SCALAR_ZERO;
}

// Stores the same to local memory, transposed.
inline void store_k_tile(__local scalar (*to)[PITCH], const scalar part[TILE_K * WIDTH / THREADS], matrix from)
{
    const access w = access_of(from, TILE_K);
    __local scalar *target = &to[w.column][w.row];
    const int step = w.column_step * PITCH + w.row_step;
    #pragma unroll
    for (int n = 0; n < TILE_K * WIDTH / THREADS; n++) target[n * step] = part[n];
}

// acc += A B^H for blocks in global memory; B may be a lower triangle. With tensor cores the next columns are loaded
// during the products. Without, the registers for that would cost more than it gains.
inline void gemm_acc(__local scalar (*workspace)[PITCH], matrix a, int rows, matrix b, int columns, bool is_triangle,
                     bool in_range, scalar acc[ITEM_TILE][ITEM_TILE])
{
    const int end = is_triangle ? acc_columns_end(get_local_id(0)) : WIDTH;
    scalar of_a[TILE_K * WIDTH / THREADS], of_b[TILE_K * WIDTH / THREADS];
    load_k_tile(of_a, a, 0, rows);
    load_k_tile(of_b, b, 0, columns);
    #pragma unroll
    for (int first = 0; first < WIDTH; first += TILE_K) {
        if (!TENSOR && first > 0) {
            load_k_tile(of_a, a, first, rows);
            load_k_tile(of_b, b, first, columns);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        store_k_tile(workspace, of_a, a);
        store_k_tile(workspace + TILE_K, of_b, b);
        barrier(CLK_LOCAL_MEM_FENCE);
        if (TENSOR && first + TILE_K < WIDTH) {
            load_k_tile(of_a, a, first + TILE_K, rows);
            load_k_tile(of_b, b, first + TILE_K, columns);
        }
        if (first < end) multiply_staged(workspace, workspace + TILE_K, min(end - first, TILE_K), in_range, acc);
    }
}

// trsm of the panel by the inverse: result := A L^-H.
inline void trsm_block(__local scalar (*workspace)[PITCH], matrix a, int rows, matrix inverse, bool in_range,
                       scalar result[ITEM_TILE][ITEM_TILE])
{
    clear_acc(result);
    gemm_acc(workspace, a, rows, inverse, WIDTH, true, in_range, result);
}

// acc += A B^H for blocks in register tiles.
inline void gemm_acc_tiles(__local scalar (*workspace)[PITCH], scalar a[ITEM_TILE][ITEM_TILE],
                           scalar b[ITEM_TILE][ITEM_TILE], bool in_range, scalar acc[ITEM_TILE][ITEM_TILE])
{
    for (int first = 0; first < WIDTH; first += TILE_K) {
        barrier(CLK_LOCAL_MEM_FENCE);
        stage_columns(workspace, a, first, TILE_K);
        stage_columns(workspace + TILE_K, b, first, TILE_K);
        barrier(CLK_LOCAL_MEM_FENCE);
        multiply_staged(workspace, workspace + TILE_K, TILE_K, in_range, acc);
    }
}

// The lower triangle of acc += A A^H for a block in register tiles (syrk).
inline void syrk_acc_tiles(__local scalar (*workspace)[PITCH], scalar a[ITEM_TILE][ITEM_TILE], bool in_range,
                           scalar acc[ITEM_TILE][ITEM_TILE])
{
    for (int first = 0; first < WIDTH; first += TILE_K) {
        barrier(CLK_LOCAL_MEM_FENCE);
        stage_columns(workspace, a, first, TILE_K);
        barrier(CLK_LOCAL_MEM_FENCE);
        if (!is_above_diagonal(get_local_id(0))) multiply_staged(workspace, workspace, TILE_K, in_range, acc);
    }
}

// True if a work-item's nth element is in one of the first `rows` rows, and, if `is_lower`, in the lower triangle.
inline bool is_stored(access w, int n, int rows, bool is_lower)
{
    const int r = w.row + n * w.row_step, c = w.column + n * w.column_step;
    return r < rows && (!is_lower || c <= r);
}

// Stores a block: `to` := values, or `to` -= values if `is_subtracted`; of the lower triangle alone if `is_lower`. All
// work-items have read `to`, and what they read before, before any element is written.
inline void store_block(__local scalar (*workspace)[PITCH], scalar values[ITEM_TILE][ITEM_TILE], matrix to, int rows,
                        bool is_subtracted, bool is_lower)
{
    const access w = access_of(to, WIDTH);
    __global scalar *target = at(to, w.row, w.column);
    __local const scalar *source = &workspace[w.column][w.row];
    const long step = w.row_step * to.row_stride + w.column_step * to.column_stride;
    const int source_step = w.column_step * PITCH + w.row_step;
    scalar old[BLOCK_ELEMENTS / THREADS];
    if (is_subtracted) {
        #pragma unroll
        for (int n = 0; n < BLOCK_ELEMENTS / THREADS; n++)
            old[n] = is_stored(w, n, rows, is_lower) ? target[n * step] : SCALAR_ZERO;
    }
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    stage_columns(workspace, values, 0, WIDTH);
    barrier(CLK_LOCAL_MEM_FENCE);
    #pragma unroll
    for (int n = 0; n < BLOCK_ELEMENTS / THREADS; n++) {
        const scalar value = source[n * source_step];
        if (is_stored(w, n, rows, is_lower)) target[n * step] = is_subtracted ? old[n] - value : value;
    }
}

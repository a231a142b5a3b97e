// C := alpha*A*B + beta*C on a CPU (after Goto and van de Geijn 2008). One work-item computes a block of C, with all
// accumulators of a tile in vector registers. No local memory, no barriers.
//
//                                    n
//                      block_columns     TILE_COLUMNS
//                     +-------------+-----+--+
//                     | packed B: panels of  |
//                     | TILE_COLUMNS columns | K_BLOCK of k
//                     +-------------+--------+
//        k
//      +---------+    +-------------+
//      | A       |    | C   +--+    |  TILE_ROWS       a tile: TILE_VECTORS vectors by TILE_COLUMNS columns
//    m | packed  |    |     |  |    |                  in registers
//      | panels  |    |     +--+    |
//      +---------+    +-------------+
//                        block_rows x block_columns: a work-item
//
// gemm_pack packs B before. A work-item packs PACKED_TILES tiles' rows of A into private memory, where they stay in the
// second-level cache while the panels of B pass by.

// Rows and columns of a square: 4 or 8. It divides TILE_ROWS and TILE_COLUMNS.
#ifndef PACK_WIDTH
#define PACK_WIDTH 4
#endif

// Columns of A in a panel's part that stays in the cache.
#ifndef K_BLOCK
#define K_BLOCK 256
#endif

// Tiles whose rows of A are packed at a time.
#ifndef PACKED_TILES
#define PACKED_TILES 4
#endif

#include "blas/level3/gemm/packed/panels.cl"
#include "blas/level3/gemm/packed/tile.cl"

// Packs B, given as its transpose x (rows x k_count, strides between rows and between values of k), into panels of
// TILE_COLUMNS. Work-item (g, h): panels g*panels_per_item and following, values of k from h*k_chunk on.
__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void gemm_pack(
    long rows, long k_count, __global const scalar *restrict x, long offset, long row_stride, long k_stride,
    int conjugate, __global real *restrict packed, long panels_per_item, long k_chunk)
{
    const long k_begin = get_group_id(1) * k_chunk;
    const long k_end = min(k_count, k_begin + k_chunk);
    const long first = get_group_id(0) * panels_per_item;
    const long last = min((rows + TILE_COLUMNS - 1) / TILE_COLUMNS, first + panels_per_item);
    for (long g = first; g < last; g++)
        pack_panel_global(TILE_COLUMNS, rows - g * TILE_COLUMNS, k_begin, k_end,
                          x + offset + g * TILE_COLUMNS * row_stride, row_stride, k_stride, conjugate,
                          packed + g * TILE_COLUMNS * k_count * PARTS);
}

// Work-item (g, h, s): rows g*block_rows and following, columns h*block_columns and following, and the s-th part of k,
// of part_k. Its product goes to C displaced by s*part_stride.
__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void gemm_packed(
    long m, long n, long k, scalar alpha,
    __global const scalar *restrict a, long a_offset, long a_row_stride, long a_column_stride, int a_conjugate,
    __global const real *restrict packed_b, scalar beta, __global scalar *restrict c, long c_offset,
    long c_column_stride, long block_rows, long block_columns, long part_k, long part_stride)
{
    const long row_begin = get_group_id(0) * block_rows, row_end = min(m, row_begin + block_rows);
    const long column_begin = get_group_id(1) * block_columns, column_end = min(n, column_begin + block_columns);
    const long k_begin = get_group_id(2) * part_k, k_end = min(k, k_begin + part_k);
    real packed_a[PACKED_TILES * TILE_ROWS * K_BLOCK * PARTS] __attribute__((aligned(64)));
    a += a_offset;
    c += c_offset + get_group_id(2) * part_stride;
    for (long p = k_begin; p < k_end; p += K_BLOCK) {
        const long k_count = min((long)K_BLOCK, k_end - p);
#if SCALAR_IS_COMPLEX
        const scalar block_beta = p == k_begin ? beta : (scalar)(1, 0);
#else
        const scalar block_beta = p == k_begin ? beta : 1;
#endif
        // Several tiles' rows at a time, more of them for a short part of k: accesses to columns of A and C are longer.
        const long step = PACKED_TILES * K_BLOCK / k_count * TILE_ROWS;
        for (long first = row_begin; first < row_end; first += step) {
            const long last = min(row_end, first + step);
            for (long i = first; i < last; i += TILE_ROWS)
                pack_panel_private(TILE_ROWS, m - i, 0, k_count, a + i * a_row_stride + p * a_column_stride,
                                   a_row_stride,
                                   a_column_stride, a_conjugate, packed_a + (i - first) * k_count * PARTS);
            for (long j = column_begin; j < column_end; j += TILE_COLUMNS)
                for (long i = first; i < last; i += TILE_ROWS) {
                    vector acc[PARTS][TILE_COLUMNS][TILE_VECTORS];
                    #pragma unroll
                    for (int q = 0; q < PARTS; q++)
                        #pragma unroll
                        for (int jj = 0; jj < TILE_COLUMNS; jj++)
                            #pragma unroll
                            for (int v = 0; v < TILE_VECTORS; v++) acc[q][jj][v] = (vector)(0);
                    multiply_panels(packed_a + (i - first) * k_count * PARTS,
                                    packed_b + (j * k + p * TILE_COLUMNS) * PARTS, k_count, acc);
                    store_tile(acc, m - i, n - j, alpha, block_beta, c + i + j * c_column_stride, c_column_stride);
                }
        }
    }
}

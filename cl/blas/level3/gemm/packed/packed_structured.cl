// The kernels of packed.cl for structured operands and targets: packing reads a triangle where only that is stored.
// Tiles skip values of k where a triangular operand is zero, and tiles outside C's triangle are left out.

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

#include "blas/level3/gemm/structure.cl"
#include "blas/level3/gemm/packed/panels.cl"
#include "blas/level3/gemm/packed/panels_structured.cl"
#include "blas/level3/gemm/packed/tile.cl"

// Packs rows of an operand by its structure.
#define PACK(structure, space, panel, rows, k_begin, k_end, from, name, diagonal, packed)           \
    if (structure == GENERAL)                                                                       \
        pack_panel_##space(panel, rows, k_begin, k_end, from, name##_along_stride, name##_k_stride, \
                           name##_conjugate, packed);                                               \
    else                                                                                            \
        pack_structured_##space(structure, panel, rows, k_begin, k_end, from, name##_along_stride,  \
                                name##_k_stride, name##_conjugate, name##_upper, diagonal, packed);

// Part of k of the panels that are packed side by side.
#define PACK_K 16

// Packs B (n columns, k rows) into panels of TILE_COLUMNS. Work-item (g, h): panels g*panels_per_item and following,
// values of k from h*k_chunk on.
__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void gemm_pack_structured(
    long n, long k, OPERAND(b), __global real *restrict packed, long panels_per_item, long k_chunk)
{
    const long chunk_begin = get_group_id(1) * k_chunk, chunk_end = min(k, chunk_begin + k_chunk);
    const long first = get_group_id(0) * panels_per_item;
    const long last = min((n + TILE_COLUMNS - 1) / TILE_COLUMNS, first + panels_per_item);
    // A short part of k of all panels at a time: the rest of a cache line is used while it is in the cache.
    for (long p = chunk_begin; p < chunk_end; p += PACK_K)
        for (long g = first; g < last; g++) {
            const long j = g * TILE_COLUMNS;
            const long from = max(p, k_from(B_STRUCTURE, b_upper, b_diagonal, j));
            const long to = min(min(chunk_end, p + PACK_K),
                                k_to(B_STRUCTURE, b_upper, b_diagonal, j + TILE_COLUMNS, k));
            PACK(B_STRUCTURE, global, TILE_COLUMNS, n - j, from, to, b + b_offset + j * b_along_stride, b,
                 b_diagonal - j,
                 packed + j * k * PARTS)
        }
}

#if TARGET
// Stores the elements of a tile that lie in C's triangle; (i, j) is its first one.
inline void store_triangle(vector acc[PARTS][TILE_COLUMNS][TILE_VECTORS], long i, long j, long m, long n, scalar alpha,
                           scalar beta, __global scalar *c, long c_column_stride, int c_upper, long c_diagonal)
{
    for (int jj = 0; jj < min(n - j, (long)TILE_COLUMNS); jj++) {
        real re[TILE_ROWS], im[TILE_ROWS];
        for (int v = 0; v < TILE_VECTORS; v++) {
            store_vector(acc[0][jj][v], re + v * VECTOR_WIDTH);
            store_vector(acc[PARTS - 1][jj][v], im + v * VECTOR_WIDTH);
        }
        const long diagonal = c_diagonal + j + jj - i; // the row of the tile that is on it
        const long first = c_upper ? 0 : max(0L, diagonal);
        const long last = min(min(m - i, (long)TILE_ROWS), c_upper ? diagonal + 1 : (long)TILE_ROWS);
        for (long r = first; r < last; r++) {
#if SCALAR_IS_COMPLEX
            const scalar value = (scalar)(re[r], im[r]);
#else
            const scalar value = re[r];
#endif
            __global scalar *element = c + i + r + (j + jj) * c_column_stride;
            *element = target_value(value, alpha, beta, element, r == diagonal);
        }
    }
}
#endif

// Work-item (g, h, s): rows g*block_rows and following, the h-th block_columns columns, and the s-th part of k, of
// part_k. Its product goes to C displaced by s*part_stride. Drivers deal out work-items in large runs first, and in
// shorter ones towards the end: the columns with most work come last.
__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void gemm_packed_structured(
    long m, long n, long k, scalar alpha, OPERAND(a), __global const real *restrict packed_b, int b_upper,
    long b_diagonal, scalar beta, __global scalar *restrict c, long c_offset, long c_column_stride, int c_upper,
    long c_diagonal, long block_rows, long block_columns, long part_k, long part_stride)
{
    const long row_begin = get_group_id(0) * block_rows, row_end = min(m, row_begin + block_rows);
    const bool shrinks = (TARGET && !c_upper) || (is_triangular(B_STRUCTURE) && b_upper);
    const long column_block = shrinks ? get_num_groups(1) - 1 - get_group_id(1) : get_group_id(1);
    const long column_begin = column_block * block_columns, column_end = min(n, column_begin + block_columns);
    const long part_begin = get_group_id(2) * part_k, part_end = min(k, part_begin + part_k);
    if (!is_any_wanted(row_begin, column_begin, row_end - row_begin, column_end - column_begin)) return;
    real packed_a[PACKED_TILES * TILE_ROWS * K_BLOCK * PARTS] __attribute__((aligned(64)));
    a += a_offset;
    c += c_offset + get_group_id(2) * part_stride;
    for (long p = part_begin; p < part_end; p += K_BLOCK) {
        const long k_count = min((long)K_BLOCK, part_end - p);
        // In the first part of k C is scaled, also where B has only zeros there.
        if (p > part_begin && (p >= k_to(B_STRUCTURE, b_upper, b_diagonal, column_end, k)
                               || p + k_count <= k_from(B_STRUCTURE, b_upper, b_diagonal, column_begin)))
            continue;
        // Several tiles' rows at a time, more of them for a short part of k: accesses to columns of A and C are longer.
        const long step = PACKED_TILES * K_BLOCK / k_count * TILE_ROWS;
        for (long first = row_begin; first < row_end; first += step) {
            const long last = min(row_end, first + step);
            if (!is_any_wanted(first, column_begin, last - first, column_end - column_begin)) continue;
            for (long i = first; i < last; i += TILE_ROWS) {
                const long from = max(p, k_from(A_STRUCTURE, a_upper, a_diagonal, i));
                const long to = min(p + k_count, k_to(A_STRUCTURE, a_upper, a_diagonal, i + TILE_ROWS, k));
                PACK(A_STRUCTURE, private, TILE_ROWS, m - i, from - p, to - p,
                     a + i * a_along_stride + p * a_k_stride, a, a_diagonal + p - i,
                     packed_a + (i - first) * k_count * PARTS)
            }
            for (long j = column_begin; j < column_end; j += TILE_COLUMNS)
                for (long i = first; i < last; i += TILE_ROWS) {
                    if (!is_any_wanted(i, j, TILE_ROWS, TILE_COLUMNS)) continue;
                    // The range of k of this part in which neither operand is zero. If it is empty, C is scaled.
                    long tile_from = max(part_begin, max(k_from(A_STRUCTURE, a_upper, a_diagonal, i),
                                                         k_from(B_STRUCTURE, b_upper, b_diagonal, j)));
                    long tile_to = min(part_end, min(k_to(A_STRUCTURE, a_upper, a_diagonal, i + TILE_ROWS, k),
                                                     k_to(B_STRUCTURE, b_upper, b_diagonal, j + TILE_COLUMNS, k)));
                    if (tile_from >= tile_to) tile_from = tile_to = part_begin;
                    const long from = max(p, tile_from), to = min(p + k_count, tile_to);
                    const bool begins = tile_from >= p && tile_from < p + k_count;
                    if (from >= to && !begins) continue;
                    vector acc[PARTS][TILE_COLUMNS][TILE_VECTORS];
                    #pragma unroll
                    for (int q = 0; q < PARTS; q++)
                        #pragma unroll
                        for (int jj = 0; jj < TILE_COLUMNS; jj++)
                            #pragma unroll
                            for (int v = 0; v < TILE_VECTORS; v++) acc[q][jj][v] = (vector)(0);
                    multiply_panels(packed_a + ((i - first) * k_count + (from - p) * TILE_ROWS) * PARTS,
                                    packed_b + (j * k + from * TILE_COLUMNS) * PARTS, to - from, acc);
                    const scalar tile_beta = begins ? beta : SCALAR_ONE;
#if TARGET
                    if (!are_all_wanted(i, j, TILE_ROWS, TILE_COLUMNS)) {
                        store_triangle(acc, i, j, m, n, alpha, tile_beta, c, c_column_stride, c_upper, c_diagonal);
                        continue;
                    }
#endif
                    store_tile(acc, m - i, n - j, alpha, tile_beta, c + i + j * c_column_stride, c_column_stride);
                }
        }
    }
}

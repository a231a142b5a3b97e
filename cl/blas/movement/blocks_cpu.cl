// Matrix copies and sums on a CPU: one work-item per block of C, by tiles that fit into the second-level cache. Vectors
// add terms along C column by column. Squares, transposed in registers, add terms across it.

// Rows of a tile.
#ifndef TILE_ROWS
#define TILE_ROWS 64
#endif

// Columns of a tile.
#ifndef TILE_COLUMNS
#define TILE_COLUMNS 64
#endif

#include "blas/movement/terms.cl"
#include "blas/movement/store_parts.cl"

// One element, of a term with any strides.
inline void put_element(scalar factor, int conjugate, __global const scalar *x, int accumulate, __global scalar *c)
{
    const scalar value = conjugate_if(conjugate, *x);
    *c = accumulate ? add_scaled(factor, value, *c) : scaled(factor, value);
}

inline void put_square(scalar factor, int conjugate, __global const scalar *x, long x_row_stride, int accumulate,
                       __global scalar *c, long c_column_stride)
{
    pack_vector square[PARTS][PACK_WIDTH];
    #pragma unroll
    for (int r = 0; r < PACK_WIDTH; r++) {
        pack_vector part[PARTS];
        load_parts(x + r * x_row_stride, conjugate, part);
        #pragma unroll
        for (int q = 0; q < PARTS; q++) square[q][r] = part[q];
    }
    #pragma unroll
    for (int q = 0; q < PARTS; q++) transpose_square(square[q]);
    #pragma unroll
    for (int j = 0; j < PACK_WIDTH; j++)
        store_parts(square[0][j], square[PARTS - 1][j], factor, accumulate, c + j * c_column_stride);
}

inline void put_across(long rows, long columns, scalar factor, int conjugate, __global const scalar *x,
                       long x_row_stride, int accumulate, __global scalar *c, long c_column_stride)
{
    const long whole_rows = rows / PACK_WIDTH * PACK_WIDTH, whole_columns = columns / PACK_WIDTH * PACK_WIDTH;
    // Pairs of lines of both matrices are used from end to end before the next ones are met.
    for (long jj = 0; jj < whole_columns; jj += LINES)
        for (long ii = 0; ii < whole_rows; ii += LINES)
            for (long j = jj; j < min(jj + LINES, whole_columns); j += PACK_WIDTH)
                for (long i = ii; i < min(ii + LINES, whole_rows); i += PACK_WIDTH)
                    put_square(factor, conjugate, x + i * x_row_stride + j, x_row_stride, accumulate,
                               c + i + j * c_column_stride, c_column_stride);
    for (long j = 0; j < columns; j++)
        for (long i = j < whole_columns ? whole_rows : 0; i < rows; i++)
            put_element(factor, conjugate, x + i * x_row_stride + j, accumulate, c + i + j * c_column_stride);
}

inline void put_along(long rows, long columns, scalar factor, int conjugate, __global const scalar *x,
                      long x_column_stride, int accumulate, __global scalar *c, long c_column_stride)
{
    const long reals = rows * PARTS, whole = reals / VECTOR_WIDTH * VECTOR_WIDTH;
#if SCALAR_IS_COMPLEX
    const scalar signs = (scalar)(1, conjugate ? -1 : 1);
#endif
    for (long j = 0; j < columns; j++) {
        __global const real *from = (__global const real *)(x + j * x_column_stride);
        __global real *to = (__global real *)(c + j * c_column_stride);
        for (long i = 0; i < whole; i += VECTOR_WIDTH) {
            vector value = load_vector(from + i);
#if SCALAR_IS_COMPLEX
            value *= every_element(signs);
#endif
            value = scale_vector(factor, value);
            if (accumulate) value += load_vector(to + i);
            store_vector(value, to + i);
        }
        for (long i = whole / PARTS; i < rows; i++)
            put_element(factor, conjugate, x + i + j * x_column_stride, accumulate, c + i + j * c_column_stride);
    }
}

inline void put_zeros(long rows, long columns, __global scalar *c, long c_column_stride)
{
    for (long j = 0; j < columns; j++) {
        __global real *to = (__global real *)(c + j * c_column_stride);
        long i = 0;
        for (; i + VECTOR_WIDTH <= rows * PARTS; i += VECTOR_WIDTH) store_vector((vector)(0), to + i);
        for (; i < rows * PARTS; i++) to[i] = 0;
    }
}

#define PUT_ACROSS(k, accumulate)                                                                                  \
    put_across(h, w, factor##k, conjugate##k, x##k + offset##k + i * row_stride##k + j, row_stride##k, accumulate, \
               target,                                                                                             \
               c_column_stride)
#define PUT_ALONG(k, accumulate)                                                                            \
    put_along(h, w, factor##k, conjugate##k, x##k + offset##k + i + j * column_stride##k, column_stride##k, \
              accumulate,                                                                                   \
              target, c_column_stride)

// Block g: rows (g modulo the blocks down) * block_rows and following, columns likewise.
__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void movement_blocks(
    long rows, long columns, __global scalar *UNALIASED c, long c_offset, long c_column_stride PARAMETERS_OF_TERMS,
    long block_rows, long block_columns)
{
    const long blocks_down = (rows + block_rows - 1) / block_rows;
    const long row = get_group_id(0) % blocks_down * block_rows, row_end = min(rows, row + block_rows);
    const long column = get_group_id(0) / blocks_down * block_columns,
        column_end = min(columns, column + block_columns);
    for (long j = column; j < column_end; j += TILE_COLUMNS)
        for (long i = row; i < row_end; i += TILE_ROWS) {
            const long h = min((long)TILE_ROWS, row_end - i), w = min((long)TILE_COLUMNS, column_end - j);
            __global scalar *target = c + c_offset + i + j * c_column_stride;
#if TERMS == 0
            put_zeros(h, w, target, c_column_stride);
#endif
#if TERMS > 0 && ACROSS_0
            PUT_ACROSS(0, 0);
#elif TERMS > 0
            PUT_ALONG(0, 0);
#endif
#if TERMS > 1 && ACROSS_1
            PUT_ACROSS(1, 1);
#elif TERMS > 1
            PUT_ALONG(1, 1);
#endif
        }
}

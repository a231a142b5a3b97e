// C := alpha*A*B + beta*C for each matrix of a batch, on a CPU: a work-item per few matrices. A tile's rows of A lie in
// private memory, in vectors. Elements of B are read from global memory, and a tile's accumulators stay in registers.
//
// Complex: a vector holds interleaved elements (re, im, re, im ...). Products with the real and with the imaginary
// parts of the other factor have accumulators of their own, combined at the end.

// Vectors in a column of a tile.
#ifndef TILE_VECTORS
#define TILE_VECTORS 2
#endif

// Columns of a tile.
#ifndef TILE_COLUMNS
#define TILE_COLUMNS 4
#endif

// Columns of A in private memory.
#ifndef K_BLOCK
#define K_BLOCK 64
#endif

#include "common/vectors.cl"
#include "blas/level3/batched/offsets.cl"

#define WIDTH (VECTOR_WIDTH / PARTS)
#define TILE_ROWS (TILE_VECTORS * WIDTH)
#define TILE_REALS (TILE_VECTORS * VECTOR_WIDTH)

// Rows of A, filled up with zeros to a tile.
inline void take_rows(long rows, long k_count, __global const scalar *a, long row_stride, long column_stride,
                      int conjugate, scalar *packed)
{
#if SCALAR_IS_COMPLEX
    const scalar signs = (scalar)(1, conjugate ? -1 : 1);
#endif
    for (long p = 0; p < k_count; p++) {
        long i = 0;
        if (row_stride == 1)
            for (; i + WIDTH <= rows; i += WIDTH) {
                vector value = load_vector((__global const real *)(a + i + p * column_stride));
#if SCALAR_IS_COMPLEX
                value *= every_element(signs);
#endif
                store_vector(value, (real *)(packed + p * TILE_ROWS + i));
            }
        for (; i < rows; i++) {
            const scalar value = a[i * row_stride + p * column_stride];
            packed[p * TILE_ROWS + i] = conjugate_if(conjugate, value);
        }
        for (; i < TILE_ROWS; i++) packed[p * TILE_ROWS + i] = SCALAR_ZERO;
    }
}

inline void store_rows(vector value, int rows, scalar alpha, scalar beta, __global scalar *c)
{
    value = scale_vector(alpha, value);
    if (rows >= WIDTH) {
        if (!is_zero(beta)) value += scale_vector(beta, load_vector((__global const real *)c));
        store_vector(value, (__global real *)c);
    } else {
        scalar part[WIDTH];
        store_vector(value, (real *)part);
        for (int i = 0; i < rows; i++) c[i] = accumulate(part[i], beta, c + i);
    }
}

// One tile: `rows` rows of A in `packed`, up to TILE_COLUMNS columns of B and C.
inline void multiply_tile(int rows, int columns, long k_count, scalar alpha, const scalar *packed,
                          __global const scalar *b, long b_row_stride, long b_column_stride, int b_conjugate,
                          scalar beta, __global scalar *c, long c_column_stride)
{
    vector acc[PARTS][TILE_COLUMNS][TILE_VECTORS];
    long b_column[TILE_COLUMNS]; // Past the last column, it is taken again; the result is not stored.
    #pragma unroll
    for (int j = 0; j < TILE_COLUMNS; j++) {
        b_column[j] = min(j, columns - 1) * b_column_stride;
        #pragma unroll
        for (int q = 0; q < PARTS; q++)
            #pragma unroll
            for (int v = 0; v < TILE_VECTORS; v++) acc[q][j][v] = (vector)(0);
    }
    for (long p = 0; p < k_count; p++) {
        vector a_value[TILE_VECTORS];
        #pragma unroll
        for (int v = 0; v < TILE_VECTORS; v++)
            a_value[v] = load_vector((const real *)(packed + p * TILE_ROWS) + v * VECTOR_WIDTH);
        #pragma unroll
        for (int j = 0; j < TILE_COLUMNS; j++) {
            const scalar b_value = b[b_column[j] + p * b_row_stride];
            #pragma unroll
            for (int v = 0; v < TILE_VECTORS; v++) {
#if SCALAR_IS_COMPLEX
                acc[0][j][v] = real_multiply_add(a_value[v], (vector)(b_value.x), acc[0][j][v]);
                acc[1][j][v] = real_multiply_add(a_value[v], (vector)(b_value.y), acc[1][j][v]);
#else
                acc[0][j][v] = real_multiply_add(a_value[v], (vector)(b_value), acc[0][j][v]);
#endif
            }
        }
    }
#if SCALAR_IS_COMPLEX
    const scalar turned = b_conjugate ? (scalar)(1, -1) : (scalar)(-1, 1);
#endif
    for (int j = 0; j < columns; j++)
        for (int v = 0; v * WIDTH < rows; v++) {
            vector value = acc[0][j][v];
#if SCALAR_IS_COMPLEX
            value += every_element(turned) * swap_parts(acc[1][j][v]);
#endif
            store_rows(value, rows - v * WIDTH, alpha, beta, c + v * WIDTH + j * c_column_stride);
        }
}

__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void gemm_batched(
    long m, long n, long k, scalar alpha,
    __global const scalar *restrict a, long a_offset, long a_row_stride, long a_column_stride, int a_conjugate,
    __global const scalar *restrict b, long b_offset, long b_row_stride, long b_column_stride, int b_conjugate,
    scalar beta, __global scalar *restrict c, long c_offset, long c_column_stride, BATCH_PARAMETERS, long a_spacing,
    long b_spacing, long c_spacing, long per_item)
{
    scalar packed[K_BLOCK * TILE_ROWS] __attribute__((aligned(64)));
    const long first = get_group_id(0) * per_item, last = min(count, first + per_item);
    for (long matrix = first; matrix < last; matrix++) {
        __global const scalar *a_matrix = a + a_offset + offset_in_batch(matrix, a_spacing);
        __global const scalar *b_matrix = b + b_offset + offset_in_batch(matrix, b_spacing);
        __global scalar *c_matrix = c + c_offset + offset_in_batch(matrix, c_spacing);
        long p = 0;
        scalar block_beta = beta;
        do { // Once at least: with k = 0 there is beta*C.
            const long k_count = min((long)K_BLOCK, k - p);
            for (long i = 0; i < m; i += TILE_ROWS) {
                const int rows = (int)min((long)TILE_ROWS, m - i);
                take_rows(rows, k_count, a_matrix + i * a_row_stride + p * a_column_stride, a_row_stride,
                          a_column_stride, a_conjugate, packed);
                for (long j = 0; j < n; j += TILE_COLUMNS)
                    multiply_tile(rows, (int)min((long)TILE_COLUMNS, n - j), k_count, alpha, packed,
                                  b_matrix + p * b_row_stride + j * b_column_stride, b_row_stride, b_column_stride,
                                  b_conjugate, block_beta, c_matrix + i + j * c_column_stride, c_column_stride);
            }
            p += k_count;
#if SCALAR_IS_COMPLEX
            block_beta = (scalar)(1, 0);
#else
            block_beta = 1;
#endif
        } while (p < k);
    }
}

// C := alpha*A*B + beta*C on a CPU for a C of few columns (at most COLUMNS): A is streamed once, in order, with vector
// loads. One work-item per chunk of rows and part of k, no local memory, no barriers.
//
// Complex: a vector holds interleaved elements (re, im, re, im ...). Products with the real and with the imaginary
// parts of the other factor have accumulators of their own, combined at the end, conjugations included.

// Columns of C, at most.
#ifndef COLUMNS
#define COLUMNS 4
#endif

// Vectors of rows in a chunk, in gemm_skinny_rows.
#ifndef CHUNK_VECTORS
#define CHUNK_VECTORS 4
#endif

// Rows in a chunk, in gemm_skinny_depth.
#ifndef CHUNK_ROWS
#define CHUNK_ROWS 4
#endif

// Part of k that is done before the next columns.
#ifndef K_BLOCK
#define K_BLOCK 1024
#endif

#include "common/vectors.cl"
#include "blas/level3/gemm/skinny/streamed.cl"
#if A_IS_FP16
#include "common/fp16.cl"
#endif

// Elements in a vector.
#define WIDTH (VECTOR_WIDTH / PARTS)

// Columns of A that are added in gemm_skinny_rows before the accumulators are stored again.
#define STEP 4

inline void add_columns(const int steps, __global const streamed *a, long a_column_stride, int vectors,
                        real factor[STEP][PARTS][COLUMNS], vector acc[PARTS][COLUMNS][CHUNK_VECTORS])
{
    for (int v = 0; v < vectors; v++) {
        vector a_value[STEP];
        for (int s = 0; s < steps; s++) a_value[s] = streamed_vector(a + s * a_column_stride + v * WIDTH);
        #pragma unroll
        for (int j = 0; j < COLUMNS; j++)
            #pragma unroll
            for (int q = 0; q < PARTS; q++) {
                vector total = acc[q][j][v];
                for (int s = 0; s < steps; s++)
                    total = real_multiply_add(a_value[s], (vector)(factor[s][q][j]), total);
                acc[q][j][v] = total;
            }
    }
}

// A is contiguous along m (column by column). Work-item (g, s): chunk g of the rows, part s of k.
__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void gemm_skinny_rows(
    long m, long n, long k, scalar alpha,
    __global const streamed *restrict a, long a_offset, long a_row_stride, long a_column_stride, int a_conjugate,
    __global const scalar *restrict b, long b_offset, long b_row_stride, long b_column_stride, int b_conjugate,
    scalar beta, __global scalar *restrict c, long c_offset, long c_row_stride, long c_column_stride, long part_k,
    long part_stride)
{
    const long row = get_group_id(0) * (CHUNK_VECTORS * WIDTH);
    const int rows = (int)min(m - row, (long)(CHUNK_VECTORS * WIDTH));
    const int vectors = rows / WIDTH;
    const long k_begin = get_group_id(1) * part_k, k_end = min(k, k_begin + part_k);
    a += a_offset + row;
    b += b_offset;
    c += c_offset + row * c_row_stride + get_group_id(1) * part_stride;

    vector acc[PARTS][COLUMNS][CHUNK_VECTORS];
    scalar rest[COLUMNS][WIDTH];
    for (int q = 0; q < PARTS; q++)
        for (int j = 0; j < COLUMNS; j++)
            for (int v = 0; v < vectors; v++) acc[q][j][v] = (vector)(0);
    for (int j = 0; j < COLUMNS; j++)
        for (int i = 0; i < WIDTH; i++) rest[j][i] = SCALAR_ZERO;

    for (long p = k_begin; p < k_end; p += STEP) {
        const int steps = (int)min((long)STEP, k_end - p);
        real factor[STEP][PARTS][COLUMNS];
        for (int s = 0; s < steps; s++)
            #pragma unroll
            for (int j = 0; j < COLUMNS; j++) {
                const scalar value = b[(p + s) * b_row_stride + min((long)j, n - 1) * b_column_stride];
#if SCALAR_IS_COMPLEX
                factor[s][0][j] = value.x;
                factor[s][1][j] = b_conjugate ? -value.y : value.y;
#else
                factor[s][0][j] = value;
#endif
                // The rows past the last whole vector.
                for (int i = vectors * WIDTH; i < rows; i++) {
                    const scalar x = streamed_element(a + i + (p + s) * a_column_stride);
                    const int at = i - vectors * WIDTH;
                    rest[j][at] = multiply_add(conjugate_if(a_conjugate, x), conjugate_if(b_conjugate, value),
                                               rest[j][at]);
                }
            }
        if (steps == STEP)
            add_columns(STEP, a + p * a_column_stride, a_column_stride, vectors, factor, acc);
        else
            for (int s = 0; s < steps; s++)
                add_columns(1, a + (p + s) * a_column_stride, a_column_stride, vectors, factor + s, acc);
    }

    for (int j = 0; j < COLUMNS && j < n; j++) {
        __global scalar *column = c + j * c_column_stride;
        for (int v = 0; v < vectors; v++) {
            real part[PARTS][VECTOR_WIDTH];
            #pragma unroll
            for (int q = 0; q < PARTS; q++) store_vector(acc[q][j][v], part[q]);
            for (int i = 0; i < WIDTH; i++) {
#if SCALAR_IS_COMPLEX
                const real sign = a_conjugate ? -1 : 1;
                const scalar value = (scalar)(part[0][2 * i] - sign * part[1][2 * i + 1],
                                              sign * part[0][2 * i + 1] + part[1][2 * i]);
#else
                const scalar value = part[0][i];
#endif
                __global scalar *element = column + (v * WIDTH + i) * c_row_stride;
                *element = accumulate(scale_by(alpha, value), beta, element);
            }
        }
        for (int i = vectors * WIDTH; i < rows; i++) {
            __global scalar *element = column + i * c_row_stride;
            *element = accumulate(scale_by(alpha, rest[j][i - vectors * WIDTH]), beta, element);
        }
    }
}

// Columns whose accumulators stay in registers at a time.
#define COLUMN_BLOCK (COLUMNS < 4 ? COLUMNS : 4)

inline real sum_of(vector v, int first, int step)
{
    real part[VECTOR_WIDTH], total = 0;
    store_vector(v, part);
    for (int i = first; i < VECTOR_WIDTH; i += step) total += part[i];
    return total;
}

// A and B are contiguous along k: elements of C are dot products. Work-item (g, s): chunk g of the rows, part s of k.
// Rows and columns past the end are computed again from the last one, and not stored.
__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void gemm_skinny_depth(
    long m, long n, long k, scalar alpha,
    __global const streamed *restrict a, long a_offset, long a_row_stride, long a_column_stride, int a_conjugate,
    __global const scalar *restrict b, long b_offset, long b_row_stride, long b_column_stride, int b_conjugate,
    scalar beta, __global scalar *restrict c, long c_offset, long c_row_stride, long c_column_stride, long part_k,
    long part_stride)
{
    const long row = get_group_id(0) * CHUNK_ROWS;
    const long k_begin = get_group_id(1) * part_k, k_end = min(k, k_begin + part_k);
    const long whole_end = k_begin + (k_end - k_begin) / WIDTH * WIDTH;
    __global const streamed *a_row[CHUNK_ROWS];
    __global const scalar *b_column[COLUMNS];
    vector acc[COLUMNS / COLUMN_BLOCK][CHUNK_ROWS][COLUMN_BLOCK][PARTS];
    #pragma unroll
    for (int i = 0; i < CHUNK_ROWS; i++) a_row[i] = a + a_offset + min(row + i, m - 1) * a_row_stride;
    for (int j = 0; j < COLUMNS; j++) b_column[j] = b + b_offset + min((long)j, n - 1) * b_column_stride;
    for (int block = 0; block < COLUMNS / COLUMN_BLOCK; block++)
        for (int i = 0; i < CHUNK_ROWS; i++)
            for (int j = 0; j < COLUMN_BLOCK; j++)
                for (int q = 0; q < PARTS; q++) acc[block][i][j][q] = (vector)(0);

    for (long at = k_begin; at < whole_end; at += K_BLOCK) {
        const long end = min(whole_end, at + K_BLOCK);
        for (int block = 0; block < COLUMNS / COLUMN_BLOCK; block++) {
            vector total[CHUNK_ROWS][COLUMN_BLOCK][PARTS];
            #pragma unroll
            for (int i = 0; i < CHUNK_ROWS; i++)
                #pragma unroll
                for (int j = 0; j < COLUMN_BLOCK; j++)
                    #pragma unroll
                    for (int q = 0; q < PARTS; q++) total[i][j][q] = acc[block][i][j][q];
            for (long p = at; p < end; p += WIDTH) {
                vector a_value[CHUNK_ROWS];
                #pragma unroll
                for (int i = 0; i < CHUNK_ROWS; i++) a_value[i] = streamed_vector(a_row[i] + p);
                #pragma unroll
                for (int j = 0; j < COLUMN_BLOCK; j++) {
                    const vector b_value = load_vector((__global const real *)(b_column[block * COLUMN_BLOCK + j] + p));
#if SCALAR_IS_COMPLEX
                    const vector b_swapped = swap_parts(b_value);
#endif
                    #pragma unroll
                    for (int i = 0; i < CHUNK_ROWS; i++) {
                        total[i][j][0] = real_multiply_add(a_value[i], b_value, total[i][j][0]);
#if SCALAR_IS_COMPLEX
                        total[i][j][1] = real_multiply_add(a_value[i], b_swapped, total[i][j][1]);
#endif
                    }
                }
            }
            #pragma unroll
            for (int i = 0; i < CHUNK_ROWS; i++)
                #pragma unroll
                for (int j = 0; j < COLUMN_BLOCK; j++)
                    #pragma unroll
                    for (int q = 0; q < PARTS; q++) acc[block][i][j][q] = total[i][j][q];
        }
    }

    c += c_offset + get_group_id(1) * part_stride;
    for (int j = 0; j < COLUMNS && j < n; j++)
        for (int i = 0; i < CHUNK_ROWS && row + i < m; i++) {
            const int block = j / COLUMN_BLOCK, in_block = j % COLUMN_BLOCK;
#if SCALAR_IS_COMPLEX
            // products[0] holds (re re, im im), products[1] (re im, im re), the factor of A first.
            const real re_re = sum_of(acc[block][i][in_block][0], 0, 2),
                im_im = sum_of(acc[block][i][in_block][0], 1, 2);
            const real re_im = sum_of(acc[block][i][in_block][1], 0, 2),
                im_re = sum_of(acc[block][i][in_block][1], 1, 2);
            const real a_sign = a_conjugate ? -1 : 1, b_sign = b_conjugate ? -1 : 1;
            scalar value = (scalar)(re_re - a_sign * b_sign * im_im, b_sign * re_im + a_sign * im_re);
#else
            scalar value = sum_of(acc[block][i][in_block][0], 0, 1);
#endif
            for (long p = whole_end; p < k_end; p++) {
                const scalar x = streamed_element(a_row[i] + p), y = b_column[j][p];
                value = multiply_add(conjugate_if(a_conjugate, x), conjugate_if(b_conjugate, y), value);
            }
            __global scalar *element = c + (row + i) * c_row_stride + j * c_column_stride;
            *element = accumulate(scale_by(alpha, value), beta, element);
        }
}

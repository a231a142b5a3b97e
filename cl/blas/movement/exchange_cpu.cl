// The transpose of a square matrix in place on a CPU: one work-item exchanges the tiles (I, J) and (J, I), J <= I, by
// squares that are transposed in registers, each element scaled and conjugated.

// Rows and columns of a tile, a multiple of PACK_WIDTH.
#ifndef TILE
#define TILE 64
#endif

#include "blas/movement/terms.cl"
#include "blas/movement/store_parts.cl"

typedef pack_vector vector_square[PARTS][PACK_WIDTH];

inline void load_square(int conjugate, __global const scalar *x, long stride, vector_square square)
{
    #pragma unroll
    for (int r = 0; r < PACK_WIDTH; r++) {
        pack_vector part[PARTS];
        load_parts(x + r * stride, conjugate, part);
        #pragma unroll
        for (int q = 0; q < PARTS; q++) square[q][r] = part[q];
    }
    #pragma unroll
    for (int q = 0; q < PARTS; q++) transpose_square(square[q]);
}

inline void store_square(scalar factor, vector_square square, __global scalar *x, long stride)
{
    #pragma unroll
    for (int r = 0; r < PACK_WIDTH; r++) store_parts(square[0][r], square[PARTS - 1][r], factor, 0, x + r * stride);
}

inline void exchange_elements(scalar factor, int conjugate, __global scalar *c, long i, long j, long stride)
{
    const scalar lower = c[i + j * stride], upper = c[j + i * stride];
    c[j + i * stride] = scaled(factor, conjugate_if(conjugate, lower));
    c[i + j * stride] = scaled(factor, conjugate_if(conjugate, upper));
}

__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void movement_exchange(
    long n, scalar factor, int conjugate, __global scalar *c, long c_offset, long c_column_stride)
{
    const long tiles = (n + TILE - 1) / TILE;
    const long row = get_group_id(0) % tiles * TILE, column = get_group_id(0) / tiles * TILE;
    if (column > row) return;
    const long row_end = min(n, row + TILE), column_end = min(n, column + TILE), whole = n / PACK_WIDTH * PACK_WIDTH;
    const long stride = c_column_stride;
    c += c_offset;
    for (long ii = row; ii < min(row_end, whole); ii += LINES)
        for (long jj = column; jj < min(column_end, whole) && jj <= ii; jj += LINES)
            for (long i = ii; i < min(min(ii + LINES, row_end), whole); i += PACK_WIDTH)
                for (long j = jj; j < min(min(jj + LINES, column_end), whole) && j <= i; j += PACK_WIDTH) {
                    vector_square lower, upper;
                    load_square(conjugate, c + i + j * stride, stride, lower);
                    load_square(conjugate, c + j + i * stride, stride, upper);
                    store_square(factor, lower, c + j + i * stride, stride);
                    store_square(factor, upper, c + i + j * stride, stride);
                }
    // The rows below the last whole square; with them go the columns beside it.
    for (long i = max(row, whole); i < row_end; i++)
        for (long j = column; j < column_end && j <= i; j++) exchange_elements(factor, conjugate, c, i, j, stride);
}

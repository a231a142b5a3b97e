// A matrix in global memory, and the register tiles of a work-group: THREADS work-items hold WIDTH x WIDTH elements,
// ITEM_TILE x ITEM_TILE adjacent ones each. The 32 work-items of a warp cover 8 tiles down and 4 across, so that whole
// warps lie above the diagonal and have no work.
#pragma once

// Columns of a panel, a multiple of INNER.
#ifndef WIDTH
#define WIDTH 32
#endif

// Tensor cores multiply.
#ifndef TENSOR
#define TENSOR 0
#endif

#include "common/scalar.cl"

// Inner block size: rows that potf2 factorises without a matrix product.
#define INNER 16
#define THREADS (INNER * INNER)
#define ITEM_TILE (WIDTH / INNER)
#define BLOCK_ELEMENTS (WIDTH * WIDTH)
// Stride between columns in local memory. The padding puts columns and mma fragments in different banks, and keeps
// register tiles aligned.
#if TENSOR && !SCALAR_IS_DOUBLE
#define PITCH (WIDTH + 8)
#else
#define PITCH (WIDTH + ITEM_TILE)
#endif
// The same for an INNER x INNER factor augmented with its inverse.
#define FACTOR_PITCH (2 * INNER + 2)

#define VECTOR_NAME(type, count) type##count
#define VECTOR(type, count) VECTOR_NAME(type, count)
#if ITEM_TILE << SCALAR_IS_COMPLEX == 8
#define ITEM_TILE_REALS 8
#elif ITEM_TILE << SCALAR_IS_COMPLEX == 4
#define ITEM_TILE_REALS 4
#else
#define ITEM_TILE_REALS 2
#endif
#if ITEM_TILE == 1
typedef scalar tile_vector;
#elif SCALAR_IS_DOUBLE
typedef VECTOR(double, ITEM_TILE_REALS) tile_vector;
#else
typedef VECTOR(float, ITEM_TILE_REALS) tile_vector;
#endif

inline int item_tile_row(int item)
{
    return item % 8 + item / 32 % 2 * 8;
}

inline int item_tile_column(int item)
{
    return item / 8 % 4 + item / 64 * 4;
}

// ITEM_TILE adjacent elements as one vector, for a single store.
inline tile_vector pack_elements(const scalar elements[ITEM_TILE])
{
#if ITEM_TILE == 4
    return (tile_vector)(elements[0], elements[1], elements[2], elements[3]);
#elif ITEM_TILE == 2
    return (tile_vector)(elements[0], elements[1]);
#else
    return *elements;
#endif
}

inline void store_elements(__local scalar *target, const scalar elements[ITEM_TILE])
{
    *(__local tile_vector *)target = pack_elements(elements);
}

typedef struct {
    __global scalar *elements;
    long row_stride, column_stride;
} matrix;

inline __global scalar *at(matrix m, long i, long j)
{
    return m.elements + i * m.row_stride + j * m.column_stride;
}

inline matrix submatrix(matrix m, long i, long j)
{
    m.elements = at(m, i, j);
    return m;
}

// Spreads WIDTH rows of some columns over the work-items, so that adjacent work-items have adjacent elements.
typedef struct {
    int row, column;
    // Distance from one element of a work-item to its next one.
    int row_step, column_step;
} access;

inline access access_of(matrix m, int columns)
{
    const int item = get_local_id(0);
    const access along_rows = {item / columns, item % columns, THREADS / columns, 0};
    const access along_columns = {item % WIDTH, item / WIDTH, 0, THREADS / WIDTH};
    return m.column_stride < m.row_stride ? along_rows : along_columns;
}

inline void clear_acc(scalar acc[ITEM_TILE][ITEM_TILE])
{
    #pragma unroll
    for (int r = 0; r < ITEM_TILE; r++) {
        #pragma unroll
        for (int c = 0; c < ITEM_TILE; c++) acc[r][c] = SCALAR_ZERO;
    }
}

// The first pivot that is not positive, and its value; `index` is INNER where all are positive. `in_range`: no pivot
// is very large or small; only the kernels that need it set it.
typedef struct {
    int index;
    real value;
    int in_range;
} pivot_check;

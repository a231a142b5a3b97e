// The register tile of a CPU: TILE_ROWS rows of A times TILE_COLUMNS columns of B, both packed into panels, with all
// accumulators in vector registers.
//
// A panel holds a tile's rows of A (columns of B): for each p of k that many reals, or that many real parts and then
// the imaginary parts. Zeros fill panels up, so that a tile never has an edge.
#pragma once

// Vectors in a column of the tile.
#ifndef TILE_VECTORS
#define TILE_VECTORS 2
#endif

// Columns of the tile.
#ifndef TILE_COLUMNS
#define TILE_COLUMNS 4
#endif

#include "common/vectors.cl"

#define TILE_ROWS (TILE_VECTORS * VECTOR_WIDTH)

// Adds the product of two panels to the accumulators of a tile.
inline void multiply_panels(const real *a, __global const real *b, long k_count,
                            vector acc[PARTS][TILE_COLUMNS][TILE_VECTORS])
{
    for (long p = 0; p < k_count; p++) {
        vector a_value[PARTS][TILE_VECTORS];
        #pragma unroll
        for (int c = 0; c < PARTS; c++)
            #pragma unroll
            for (int v = 0; v < TILE_VECTORS; v++) a_value[c][v] = load_vector(a + c * TILE_ROWS + v * VECTOR_WIDTH);
        #pragma unroll
        for (int j = 0; j < TILE_COLUMNS; j++) {
            const vector b_re = (vector)(b[j]);
            #pragma unroll
            for (int v = 0; v < TILE_VECTORS; v++)
                #pragma unroll
                for (int c = 0; c < PARTS; c++) acc[c][j][v] = real_multiply_add(a_value[c][v], b_re, acc[c][j][v]);
#if SCALAR_IS_COMPLEX
            const vector b_im = (vector)(b[TILE_COLUMNS + j]);
            #pragma unroll
            for (int v = 0; v < TILE_VECTORS; v++) {
                acc[0][j][v] = real_multiply_add(-a_value[1][v], b_im, acc[0][j][v]);
                acc[1][j][v] = real_multiply_add(a_value[0][v], b_im, acc[1][j][v]);
            }
#endif
        }
        a += PARTS * TILE_ROWS;
        b += PARTS * TILE_COLUMNS;
    }
}

// A vector of results: re and im (complex: interleaved into two vectors) times alpha, plus beta times C.
inline void store_results(vector re, vector im, scalar alpha, scalar beta, __global scalar *c)
{
    __global real *target = (__global real *)c;
#if SCALAR_IS_COMPLEX
    vector x = re * alpha.x, y = im * alpha.x;
    if (alpha.y != 0) {
        x -= im * alpha.y;
        y += re * alpha.y;
    }
    vector low, high;
    low.even = x.lo;
    low.odd = y.lo;
    high.even = x.hi;
    high.odd = y.hi;
    if (!is_zero(beta)) {
        const vector c_low = load_vector(target), c_high = load_vector(target + VECTOR_WIDTH);
        low += beta.x * c_low;
        high += beta.x * c_high;
        if (beta.y != 0) {
            low.even -= beta.y * c_low.odd;
            low.odd += beta.y * c_low.even;
            high.even -= beta.y * c_high.odd;
            high.odd += beta.y * c_high.even;
        }
    }
    store_vector(low, target);
    store_vector(high, target + VECTOR_WIDTH);
#else
    vector x = re * alpha;
    if (beta != 0) x += beta * load_vector(target);
    store_vector(x, target);
#endif
}

// The same for the first `rows` elements of a column of the tile.
inline void store_some_results(vector re, vector im, int rows, scalar alpha, scalar beta, __global scalar *c)
{
    real x[VECTOR_WIDTH], y[VECTOR_WIDTH];
    store_vector(re, x);
    store_vector(im, y);
    for (int i = 0; i < rows; i++) {
#if SCALAR_IS_COMPLEX
        const scalar value = (scalar)(x[i], y[i]);
#else
        const scalar value = x[i];
#endif
        c[i] = accumulate(scale_by(alpha, value), beta, c + i);
    }
}

// The accumulators go through memory, where a loop can index them: that keeps the code small.
inline void store_tile(vector acc[PARTS][TILE_COLUMNS][TILE_VECTORS], long rows, long columns, scalar alpha,
                       scalar beta, __global scalar *c, long c_column_stride)
{
    const int whole = (int)(min(rows, (long)TILE_ROWS) / VECTOR_WIDTH);
    const int rest = (int)(min(rows, (long)TILE_ROWS) % VECTOR_WIDTH);
    for (int j = 0; j < min(columns, (long)TILE_COLUMNS); j++) {
        __global scalar *target = c + j * c_column_stride;
        int v = 0;
        for (; v < whole; v++, target += VECTOR_WIDTH)
            store_results(acc[0][j][v], acc[PARTS - 1][j][v], alpha, beta, target);
        if (rest > 0) store_some_results(acc[0][j][v], acc[PARTS - 1][j][v], rest, alpha, beta, target);
    }
}

// Forward substitution with a vector of right-hand sides per row, in place: x := inv(L) x for a lower triangular L of
// `size` rows, where x is zero above row `from`.
#pragma once

#include "common/divide.cl"
#include "common/vectors.cl"

#define WIDTH (VECTOR_WIDTH / PARTS)

inline void substitute(long from, long size, int unit, __global const scalar *a, long row_stride, long column_stride,
                       int conjugate, vector *x)
{
    for (long k = from; k < size; k++) {
        if (!unit) {
            const scalar diagonal = conjugate_if(conjugate, a[k * (row_stride + column_stride)]);
            const scalar inverse = reciprocal_of(diagonal);
            if (is_usable(inverse)) {
                x[k] = multiply_vector(inverse, x[k]);
            } else {
                for (int j = 0; j < WIDTH; j++) ((scalar *)(x + k))[j] =
                    solved(((scalar *)(x + k))[j], diagonal, inverse);
            }
        }
        const vector value = x[k];
        for (long i = k + 1; i < size; i++) {
            const scalar factor = a[i * row_stride + k * column_stride];
            x[i] -= multiply_vector(conjugate_if(conjugate, factor), value);
        }
    }
}

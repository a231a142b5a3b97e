// potf2 and trtri of an INNER x INNER tile by a work-group of INNER * INNER work-items: Gauss-Jordan elimination of
// the tile augmented with the identity. A work-item has one element of each. The tile becomes the factor's adjoint,
// the identity its inverse.
#pragma once

#include "lapack/cholesky/tiles.cl"

// Double-buffered pivot rows, so that one barrier for each pivot suffices.
typedef struct {
    scalar rows[2][2 * INNER];
} potf2_workspace;

// All work-items factorise the tile, and all are workers of the trailing update.
#define WORKERS THREADS
#define REPORTING_ITEM 0

inline bool is_factorising_item(int item)
{
    return false;
}

inline int worker_index(int item)
{
    return item;
}

// syrk of a diagonal tile: subtracts the products of the solved rows above it.
inline void syrk_diagonal_tile(__local scalar (*tile)[INNER], __local const scalar (*solved)[PITCH], int first)
{
    const int item = get_local_id(0), i = item / INNER, j = item % INNER;
    scalar sum = SCALAR_ZERO;
    for (int k = 0; k < INNER; k++)
        sum = multiply_add(conjugate_if(1, solved[k][first + i]), solved[k][first + j], sum);
    tile[i][j] = tile[i][j] - sum;
}

// `tile` holds the adjoint of a lower triangle. The rows of `factor_tile` become those of the factor's adjoint and
// of its inverse. They are undefined from the first pivot on that is not positive.
inline pivot_check potf2_trtri(__local const scalar (*tile)[INNER], __local scalar (*factor_tile)[FACTOR_PITCH],
                               __local potf2_workspace *workspace)
{
    const int item = get_local_id(0), i = item / INNER, j = item % INNER;
    scalar x = tile[i][j], y = i == j ? SCALAR_ONE : SCALAR_ZERO;
    pivot_check check = {INNER, 0, 0};
    for (int k = 0; k < INNER; k++) {
        __local scalar *row = workspace->rows[k & 1];
        if (i == k) {
            row[j] = x;
            row[INNER + j] = y;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        const real pivot = real_part(row[k]), inverse_root = pivot > 0 ? 1 / sqrt(pivot) : (real)0;
        if (check.index == INNER && !(pivot > 0)) {
            check.index = k;
            check.value = pivot;
        }
        if (i == k) {
            factor_tile[k][j] = j == k ? from_real(sqrt(pivot)) : x * inverse_root;
            factor_tile[k][INNER + j] = y * inverse_root;
        } else if (i > k) {
            const scalar factor = -conjugate_if(1, row[i] * inverse_root);
            x = multiply_add(factor, row[j] * inverse_root, x);
            y = multiply_add(factor, row[INNER + j] * inverse_root, y);
        }
    }
    return check;
}

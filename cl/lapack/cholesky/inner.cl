// The Cholesky factor of INNER rows on a diagonal, and its inverse, by a work-group of INNER * INNER work-items.
//
// The matrix and the identity beside it lose the same multiples of the pivots' rows, which makes the factor's adjoint of the one
// and its inverse of the other. A work-item has an element of each.

// Two pivots' rows, so that one barrier a pivot will do.
typedef struct {
    scalar rows[2][2 * INNER];
} inner_room;

// `adjoint` has the adjoint of the block's lower triangle, from column `first` on. The rows of `found` become those of the factor's
// adjoint and of its inverse; they are of no use from a pivot on that is not positive.
inline bad_pivot factor_inner(
    __local const scalar (*adjoint)[PITCH], int first, __local scalar (*found)[2 * INNER + 1], __local inner_room *room)
{
    const int item = get_local_id(0), i = item / INNER, j = item % INNER;
    scalar x = adjoint[i][first + j], y = i == j ? SCALAR_ONE : SCALAR_ZERO;
    bad_pivot bad = {INNER, 0};
    for (int k = 0; k < INNER; k++) {
        __local scalar *row = room->rows[k & 1];
        if (i == k) {
            row[j] = x;
            row[INNER + j] = y;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        const real pivot = real_part(row[k]), inverse_root = pivot > 0 ? 1 / sqrt(pivot) : (real)0;
        if (bad.number == INNER && !(pivot > 0)) {
            bad.number = k;
            bad.value = pivot;
        }
        if (i == k) {
            found[k][j] = j == k ? from_real(sqrt(pivot)) : x * inverse_root;
            found[k][INNER + j] = y * inverse_root;
        } else if (i > k) {
            const scalar factor = -conjugate_if(1, row[i] * inverse_root);
            x = multiply_add(factor, row[j] * inverse_root, x);
            y = multiply_add(factor, row[INNER + j] * inverse_root, y);
        }
    }
    return bad;
}

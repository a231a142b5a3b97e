// The Cholesky factor of INNER rows on a diagonal, and its inverse, by a work-group of INNER * INNER work-items.
//
// The matrix and the identity beside it lose the same multiples of the pivots' rows, which makes the factor's adjoint of the one
// and its inverse of the other. A work-item has an element of each.

// Two pivots' rows, so that one barrier a pivot will do.
typedef struct {
    scalar rows[2][2 * INNER];
} inner_room;

// Pivots in order: the first one that is not positive, and its value.
typedef struct {
    int number;
    real value;
} bad_pivot;

// 1 / sqrt(pivot); 0 where it is not positive, so that nothing comes of it.
inline real inverse_root(real pivot)
{
    return pivot > 0 ? 1 / sqrt(pivot) : (real)0;
}

// `adjoint` has the adjoint of the block's lower triangle, from column `first` on, and `inverse` becomes the inverse of the factor,
// with zeros above its diagonal; or zeros where a pivot is not positive, or where `count`, the pivots that are to be looked at, is 0.
// The factor is written to l, as far as it goes.
inline bad_pivot factor_inner(
    __local const scalar (*adjoint)[PITCH], int first, int count, __local scalar (*inverse)[INNER + 1], matrix l,
    __local inner_room *room)
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
        const real pivot = real_part(row[k]), root = inverse_root(pivot);
        if (k < count && bad.number == INNER && !(pivot > 0)) {
            bad.number = k;
            bad.value = pivot;
        }
        if (i == k) {
            if (j >= k && j < count && k <= bad.number && bad.number >= k) {
                const bool is_bad = bad.number == k;
                if (j == k) *at(l, j, k) = from_real(is_bad ? pivot : sqrt(pivot));
                else if (!is_bad) *at(l, j, k) = conjugate_if(1, x * root);
            }
            x = x * root;
            y = y * root;
        } else if (i > k) {
            const scalar factor = -conjugate_if(1, row[i] * root);
            x = multiply_add(factor, row[j] * root, x);
            y = multiply_add(factor, row[INNER + j] * root, y);
        }
    }
    inverse[i][j] = count > 0 && bad.number == INNER ? y : SCALAR_ZERO;
    return bad;
}

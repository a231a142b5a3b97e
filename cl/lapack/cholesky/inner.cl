// The Cholesky factor of INNER rows on a diagonal, and its inverse, by a work-group of INNER * INNER work-items.
//
// The matrix and the identity beside it lose the same multiples of the pivots' rows, which makes the factor's adjoint of the one
// and its inverse of the other. A work-item has an element of each.

// Two pivots' rows, so that one barrier a pivot will do.
typedef struct {
    scalar rows[2][2 * INNER];
} inner_room;

// Who finds a factor: everybody, and all have their part of what else there is to do.
#define FREE_ITEMS THREADS
#define TELLING_ITEM 0

inline bool is_busy_with_inner(int item)
{
    return false;
}

inline int free_number(int item)
{
    return item;
}

// A corner, from row and column `first` on, loses the multiples of the rows above.
inline void update_corner(__local scalar (*corner)[INNER], __local const scalar (*above)[PITCH], int first)
{
    const int item = get_local_id(0), i = item / INNER, j = item % INNER;
    scalar sum = SCALAR_ZERO;
    for (int k = 0; k < INNER; k++) sum = multiply_add(conjugate_if(1, above[k][first + i]), above[k][first + j], sum);
    corner[i][j] = corner[i][j] - sum;
}

// `corner` has the adjoint of a block's lower triangle. The rows of `found` become those of the factor's adjoint and of its inverse; they
// are of no use from a pivot on that is not positive.
inline pivots factor_inner(__local const scalar (*corner)[INNER], __local scalar (*found)[FOUND], __local inner_room *room)
{
    const int item = get_local_id(0), i = item / INNER, j = item % INNER;
    scalar x = corner[i][j], y = i == j ? SCALAR_ONE : SCALAR_ZERO;
    pivots bad = {INNER, 0, 0};
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

// Which elements of a matrix are read, and runs of them. Columns are adjacent: element (i, j) is a[i + j * ld].
//
// `triangle` says what counts beside the diagonal, `corner` what is on it.
// After the file of what is done with elements: `partial`, NOTHING, INCLUDE(p, i), joined(p, q), and on vectors `lanes`.
// Defined before this file: THREADS, and VECTOR_WIDTH where runs are walked in vectors, by one work-item.

#define ALL 0
#define ABOVE 1
#define BELOW 2

#define ANY 0
#define AS_STORED 1
#define REAL_PART 2
#define ONES 3

// The first row of column j that is read, and the one after the last, between rows.
#define first_row(triangle, j, top) ((triangle) == BELOW ? max(top, (j) + 1) : (top))
#define last_row(triangle, j, bottom) ((triangle) == ABOVE ? min(bottom, j) : (bottom))

// The element `v` on a diagonal, as it counts.
inline scalar on_diagonal(int corner, __global const scalar *v)
{
    if (corner == ONES) return SCALAR_ONE;
    return corner == REAL_PART ? from_real(real_part(*v)) : *v;
}

inline partial with_element(partial p, scalar v)
{
    const scalar x[1] = {v};
    const long x_step = 1;
    INCLUDE(p, 0);
    return p;
}

// p, and this work-item's share of `count` adjacent elements.
inline partial with_run(partial p, __global const scalar *x, long count)
{
    const long x_step = 1;
    long i = get_local_id(0);
#ifdef VECTOR_WIDTH
    const __global real *reals = (__global const real *)x;
    const long end = count * PARTS;
    lanes sum0 = no_lanes(), sum1 = no_lanes();
    for (; i + 2 * VECTOR_WIDTH <= end; i += 2 * VECTOR_WIDTH) {
        sum0 = lanes_with(sum0, reals + i);
        sum1 = lanes_with(sum1, reals + i + VECTOR_WIDTH);
    }
    p = joined(p, lanes_sum(lanes_joined(sum0, sum1), 0));
    i /= PARTS;
#endif
    for (; i < count; i += THREADS) INCLUDE(p, i);
    return p;
}

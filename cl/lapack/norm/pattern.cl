// The elements of a matrix that count for a norm, and runs of adjacent ones. Element (i, j) is a[i + j * ld].
// `triangle` selects the elements off the diagonal, `corner` the value on it.
#pragma once

// Work-items of a group.
#ifndef THREADS
#define THREADS 64
#endif

#include "common/scalar.cl"

// The maximum norm, where the including file has no norm of its own.
#ifndef NOTHING
#include "lapack/norm/largest.cl"
#endif

#define ALL 0
#define UPPER 1
#define LOWER 2

#define SKIPPED 0
#define AS_STORED 1
#define REAL_PART 2
#define UNIT 3

// The first row of column j that counts, and one past the last, between rows `top` and `bottom`.
#define first_row(triangle, j, top) ((triangle) == LOWER ? max(top, (j) + 1) : (top))
#define last_row(triangle, j, bottom) ((triangle) == UPPER ? min(bottom, j) : (bottom))

// The diagonal element as it counts.
inline scalar diagonal_element(int corner, __global const scalar *v)
{
    if (corner == UNIT) return SCALAR_ONE;
    return corner == REAL_PART ? from_real(real_part(*v)) : *v;
}

inline partial with_element(partial p, scalar v)
{
    const scalar x[1] = {v};
    const long x_step = 1;
    INCLUDE(p, 0);
    return p;
}

// p joined with this work-item's share of `count` adjacent elements.
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

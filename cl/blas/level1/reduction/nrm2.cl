// nrm2: the square root of the sum of |x_i|^2, without overflow or underflow on the way. See walk.cl and walk_cpu.cl
// for the names.
//
// A float's square fits into a double. Where there is nothing wider, Blue's three sums are kept.
#pragma once

#include "common/squares.cl"
#include "common/sums.cl"

typedef int option_type;
typedef real result_type;
#define NOTHING no_squares()

#if SUM_IS_DOUBLE && !SCALAR_IS_DOUBLE

typedef double partial;
#define shared_partial(p) (*(p))
#define no_squares() 0.0
#define joined(a, b) ((a) + (b))
#define squares_with(sum, v) fma((double)(v), (double)(v), sum)
#define RESULT(p) ((real)sqrt(p))

#ifdef VECTOR_WIDTH
typedef sum_vector lanes;
#define no_lanes() ((lanes)(0))
#define lanes_joined(a, b) ((a) + (b))

inline lanes lanes_with(lanes sum, __global const real *x)
{
    const sum_vector v = widened(load_vector(x));
    return fma(v, v, sum);
}

inline partial lanes_sum(lanes sum, option_type option)
{
    const double2 pair = pair_sum(sum);
    return pair.x + pair.y;
}
#endif

#else

typedef squares partial;

inline partial shared_partial(volatile __global const partial *p)
{
    const partial read = {p->small, p->ordinary, p->large};
    return read;
}

#define joined(a, b) squares_joined(a, b)
#define RESULT(p) square_root(p)

#ifdef VECTOR_WIDTH
typedef struct {
    vector small, ordinary, large;
} lanes;

inline lanes no_lanes(void)
{
    const lanes none = {(vector)(0), (vector)(0), (vector)(0)};
    return none;
}

inline lanes lanes_joined(lanes a, lanes b)
{
    a.small += b.small;
    a.ordinary += b.ordinary;
    a.large += b.large;
    return a;
}

inline lanes lanes_with(lanes sum, __global const real *x)
{
    const vector size = fabs(load_vector(x)), up = size * SCALE_UP, down = size * SCALE_DOWN;
    const vector none = (vector)(0);
    sum.small += size < MIN_ORDINARY ? up * up : none;
    sum.large += size > MAX_ORDINARY ? down * down : none;
    sum.ordinary += size < MIN_ORDINARY || size > MAX_ORDINARY ? none : size * size;
    return sum;
}

inline partial lanes_sum(lanes sum, option_type option)
{
    const real2 small = pair_sum(sum.small), ordinary = pair_sum(sum.ordinary), large = pair_sum(sum.large);
    const partial total = {small.x + small.y, ordinary.x + ordinary.y, large.x + large.y};
    return total;
}
#endif
#endif

#if SCALAR_IS_COMPLEX
#define INCLUDE(p, i)                                \
    do {                                             \
        const scalar v = x[(i) * x_step];            \
        p = squares_with(squares_with(p, v.x), v.y); \
    } while (0)
#else
#define INCLUDE(p, i) p = squares_with(p, x[(i) * x_step])
#endif

// Blue's three sums of squares, with the constants of Anderson (Algorithm 978, 2017): one of ordinary values, and of
// small and of large ones, scaled up and down. Nothing overflows or underflows. A NaN counts as ordinary, an Inf as
// large.
#pragma once

#include "common/scalar.cl"

#if SCALAR_IS_DOUBLE
#define MIN_ORDINARY 0x1p-511
#define MAX_ORDINARY 0x1p486
#define SCALE_UP 0x1p537
#define SCALE_DOWN 0x1p-538
#else
#define MIN_ORDINARY 0x1p-63f
#define MAX_ORDINARY 0x1p52f
#define SCALE_UP 0x1p75f
#define SCALE_DOWN 0x1p-76f
#endif

typedef struct {
    real small, ordinary, large;
} squares;

inline squares no_squares(void)
{
    const squares none = {0, 0, 0};
    return none;
}

inline squares squares_joined(squares a, squares b)
{
    a.small += b.small;
    a.ordinary += b.ordinary;
    a.large += b.large;
    return a;
}

inline squares squares_with(squares sum, real v)
{
    const real size = fabs(v), up = size * SCALE_UP, down = size * SCALE_DOWN;
    const bool is_small = size < MIN_ORDINARY, is_large = size > MAX_ORDINARY;
    sum.small += is_small ? up * up : (real)0;
    sum.large += is_large ? down * down : (real)0;
    sum.ordinary += is_small || is_large ? (real)0 : size * size;
    return sum;
}

inline real square_root(squares sum)
{
    if (sum.large > 0) {
        // The small ones do not count. Only an ordinary sum of 0 is left out: a NaN is not.
        if (sum.ordinary != 0) sum.large += (sum.ordinary * SCALE_DOWN) * SCALE_DOWN;
        return sqrt(sum.large) / SCALE_DOWN;
    }
    const real ordinary = sqrt(sum.ordinary);
    if (sum.small == 0) return ordinary;
    const real small = sqrt(sum.small) / SCALE_UP;
    if (sum.ordinary == 0) return small;
    const real larger = ordinary > small ? ordinary : small, smaller = ordinary > small ? small : ordinary;
    const real ratio = smaller / larger;
    return larger * sqrt(1 + ratio * ratio);
}

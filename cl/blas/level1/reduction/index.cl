// iamax and iamin: the first index of the largest or smallest |re(x_i)| + |im(x_i)|, from 0. See walk.cl for the names.
//
// `option` is +1 for the largest and -1 for the smallest: both find the largest `key`, option * modulus. The reference
// compares one after another, and a comparison with NaN is false. So a NaN is never found, but for one in the first
// place, which nothing replaces.
#pragma once

#include "common/scalar.cl"

typedef real option_type;
typedef long result_type;
typedef struct {
    real key;
    long index;
} partial;

#if SCALAR_IS_COMPLEX
#define sum_of_moduli(v) (fabs((v).x) + fabs((v).y))
#else
#define sum_of_moduli(v) fabs(v)
#endif

inline partial shared_partial(volatile __global const partial *p)
{
    const partial read = {p->key, p->index};
    return read;
}

// No element yet: every key replaces it but that of an infinite modulus, looking for the smallest. Where nothing does,
// the elements are infinite or NaN, and the first one is found.
inline partial no_index(void)
{
    const partial none = {-INFINITY, 0};
    return none;
}
#define NOTHING no_index()

// The first partial of a block. Before a NaN at index 0 its key is one that nothing replaces.
inline partial before_block(long begin, long end, __global const scalar *x)
{
    partial start = NOTHING;
    if (begin == 0 && end > 0) {
        const real first = sum_of_moduli(*x);
        if (!(first == first)) start.key = INFINITY;
    }
    return start;
}
#define BEFORE_BLOCK before_block(begin, end, x)

inline partial included(partial best, real key, long index)
{
    const bool better = key > best.key;
    best.key = better ? key : best.key;
    best.index = better ? index : best.index;
    return best;
}
#define INCLUDE(p, i) p = included(p, option * sum_of_moduli(x[(i) * x_step]), i)

// Of equal keys the first counts.
inline partial joined(partial a, partial b)
{
    return b.key > a.key || (b.key == a.key && b.index < a.index) ? b : a;
}
#define RESULT(p) ((p).index)

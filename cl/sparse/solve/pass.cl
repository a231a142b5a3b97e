// Fused vector passes of the iterative solvers: the parts that all kernels share. The kernels themselves are generated
// from a solver's recurrence.
//
// A pass first sums the partial dot products of the pass before, in the same order in each work-group, and computes
// its scalars from them. Its first group stores the scalars for the next pass, in another buffer than it reads.
// Vectors are aligned to wide vectors and padded with zeros: `n` and `block` are multiples of a wide vector.
#pragma once

// Work-items of a group: a power of two.
#ifndef THREADS
#define THREADS 64
#endif

// Scalars of a solver.
#ifndef SCALARS
#define SCALARS 16
#endif

// The scalar that is not 0 once the solver has stopped.
#ifndef STATUS
#define STATUS 0
#endif

#include "common/divide.cl"
#ifdef VECTOR_WIDTH
#include "common/vectors.cl"
#include "common/sums.cl"
#endif

#define PASS_PARAMETERS                                                                                   \
    long n, long block, long slot, long blocks, __global const scalar *restrict scalars,                  \
        __global scalar *restrict next_scalars, __global const scalar *restrict sums,                     \
        __global scalar *restrict next_sums, __global scalar *restrict history

#ifdef VECTOR_WIDTH
#define element vector
#define STEP (VECTOR_WIDTH / PARTS)
#define load_element(v, i) (*(__global const vector *)((v) + (i)))
#define store_element(v, i, e) (*(__global vector *)((v) + (i)) = (e))
#define factor_times(a, e) multiply_vector(a, e)
#define no_element ((vector)(0))
#if SCALAR_IS_COMPLEX
inline vector element_product(vector a, vector b)
{
    vector product;
    product.even = a.even * b.even - a.odd * b.odd;
    product.odd = a.even * b.odd + a.odd * b.even;
    return product;
}
// Sums of products of parts: re re at even and im im at odd positions of `like`; re im and im re in `unlike`.
typedef struct {
    vector like, unlike;
} lanes;

inline lanes no_lanes(void)
{
    const lanes none = {(vector)(0), (vector)(0)};
    return none;
}

inline lanes lanes_with(lanes sum, vector x, vector y)
{
    sum.like = real_multiply_add(x, y, sum.like);
    sum.unlike = real_multiply_add(x, swap_parts(y), sum.unlike);
    return sum;
}

inline scalar lanes_sum(lanes sum)
{
    const real2 like = pair_sum(sum.like), unlike = pair_sum(sum.unlike);
    return (scalar)(like.x + like.y, unlike.x - unlike.y);
}
#else
#define element_product(a, b) ((a) * (b))
typedef vector lanes;
#define no_lanes() ((vector)(0))
#define lanes_with(sum, x, y) real_multiply_add(x, y, sum)

inline scalar lanes_sum(lanes sum)
{
    const real2 pair = pair_sum(sum);
    return pair.x + pair.y;
}
#endif
#else
#define element scalar
#define STEP THREADS
#define load_element(v, i) v[i]
#define store_element(v, i, e) v[i] = (e)
#define factor_times(a, e) multiply(a, e)
#define no_element SCALAR_ZERO
#define element_product(a, b) multiply(a, b)
typedef scalar lanes;
#define no_lanes() SCALAR_ZERO
#define lanes_with(sum, x, y) multiply_add(conjugate_if(1, x), y, sum)
#define lanes_sum(sum) (sum)
#endif

// The sum over the work-group's items, in a tree; each item gets the total.
#if THREADS > 1
#define DECLARE_LOCAL_SUMS __local scalar tree[THREADS];
#define group_total(own) tree_total(own, tree)

inline scalar tree_total(scalar own, __local scalar *tree)
{
    const int item = get_local_id(0);
    barrier(CLK_LOCAL_MEM_FENCE);
    tree[item] = own;
    for (int distance = THREADS / 2; distance > 0; distance /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (item < distance) tree[item] += tree[item + distance];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    return tree[0];
}
#else
#define DECLARE_LOCAL_SUMS
#define group_total(own) (own)
#endif

// A work-item's share of the partial sums of the work-groups before.
inline scalar partial_sum(__global const scalar *restrict sums, long blocks)
{
    scalar own = SCALAR_ZERO;
    for (long i = get_local_id(0); i < blocks; i += THREADS) own += sums[i];
    return own;
}

// A solver that has stopped passes its scalars on.
#define RETURN_IF_STOPPED                                                                          \
    if (real_part(scalars[STATUS]) != 0) {                                                         \
        if (get_group_id(0) == 0)                                                                  \
            for (int i = get_local_id(0); i < SCALARS; i += THREADS) next_scalars[i] = scalars[i]; \
        return;                                                                                    \
    }

// Passes on the scalars that the pass does not compute.
#define PASS_ON_SCALARS(changed)                                 \
    if (get_group_id(0) == 0)                                    \
        for (int i = get_local_id(0); i < SCALARS; i += THREADS) \
            if (!((changed) >> i & 1)) next_scalars[i] = scalars[i]

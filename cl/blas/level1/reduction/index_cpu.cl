// iamax and iamin on a CPU, for adjacent elements: one work-item per block. Pieces of a block fit into the nearest
// cache. Wide vectors find each piece's largest key. A second pass over the first piece with the block's largest key
// finds its index.

// See operation.cl.
#ifndef OPERATION
#define OPERATION 3
#endif

#include "common/vectors.cl"
#include "blas/level1/reduction/index.cl"
#include "blas/level1/reduction/finish.cl"

#define PIECE (512 * VECTOR_WIDTH)
#define larger_of(a, b) ((a) > (b) ? (a) : (b))
#if SCALAR_IS_COMPLEX
// Each sum is in both parts of its element.
#define moduli(v) (fabs(v) + swap_parts(fabs(v)))
#else
#define moduli(v) fabs(v)
#endif

// The larger of the keys; a NaN in `v` is not.
inline vector larger_keys(vector best, __global const real *x, real option)
{
    const vector keys = option * moduli(load_vector(x));
    return larger_of(keys, best);
}

inline real largest_of(vector v)
{
#if VECTOR_WIDTH == 16
    const real8 eight = larger_of(v.lo, v.hi);
    const real4 four = larger_of(eight.lo, eight.hi);
#elif VECTOR_WIDTH == 8
    const real4 four = larger_of(v.lo, v.hi);
#else
    const real4 four = v;
#endif
    const real2 two = larger_of(four.lo, four.hi);
    return larger_of(two.x, two.y);
}

inline real largest_key(__global const real *x, long reals, real option)
{
    vector best0 = (vector)(-INFINITY), best1 = best0, best2 = best0, best3 = best0;
    long i = 0;
    for (; i + 4 * VECTOR_WIDTH <= reals; i += 4 * VECTOR_WIDTH) {
        best0 = larger_keys(best0, x + i, option);
        best1 = larger_keys(best1, x + i + VECTOR_WIDTH, option);
        best2 = larger_keys(best2, x + i + 2 * VECTOR_WIDTH, option);
        best3 = larger_keys(best3, x + i + 3 * VECTOR_WIDTH, option);
    }
    for (; i + VECTOR_WIDTH <= reals; i += VECTOR_WIDTH) best0 = larger_keys(best0, x + i, option);
    real best = largest_of(larger_of(larger_of(best0, best1), larger_of(best2, best3)));
    for (; i < reals; i += PARTS) {
        const real key = option * sum_of_moduli(*(__global const scalar *)(x + i));
        best = larger_of(key, best);
    }
    return best;
}

__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void reduce(
    long n, long block, option_type option, __global const scalar *restrict x, long x_first,
    __global partial *partials, __global result_type *results, long result_index)
{
    const long begin = (long)get_group_id(0) * block, end = min(n, begin + block);
    x += x_first;
    partial best = BEFORE_BLOCK;
    long found = -1;
    for (long piece = begin; piece < end; piece += PIECE / PARTS) {
        const long length = min(end - piece, (long)(PIECE / PARTS));
        const real key = largest_key((__global const real *)(x + piece), length * PARTS, option);
        if (key > best.key) {
            best.key = key;
            found = piece;
        }
    }
    if (found >= 0) {
        while (option * sum_of_moduli(x[found]) != best.key) found++;
        best.index = found;
    }
    if (get_num_groups(0) == 1)
        results[result_index] = RESULT(best);
    else
        partials[get_group_id(0)] = best;
}

// Sums on a CPU, over adjacent elements: one work-item per block, wide vectors of reals, four of them at a time.
// A block is a multiple of VECTOR_WIDTH elements. The last one has a remainder, added element by element.
//
// The operation's file defines the sums of vectors: `lanes`, no_lanes(), lanes_with(sum, x[, y]), lanes_joined(a, b),
// lanes_sum(sum, option); and those of elements, as walk.cl has them.

#include "common/vectors.cl"
#include "blas/level1/reduction/operation.cl"
#include "blas/level1/reduction/finish.cl"

// The operation has a second vector.
#ifndef HAS_Y
#define HAS_Y (OPERATION == 0)
#endif

#if HAS_Y
#define ADD(sum, i) sum = lanes_with(sum, x_reals + (i), y_reals + (i))
#else
#define ADD(sum, i) sum = lanes_with(sum, x_reals + (i))
#endif

__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void reduce(
    long n, long block, option_type option, __global const scalar *restrict x, long x_first,
#if HAS_Y
    __global const scalar *restrict y, long y_first,
#endif
    __global partial *partials, __global result_type *results, long result_index)
{
    const long begin = (long)get_group_id(0) * block, length = min(n - begin, block);
    x += x_first + begin;
    __global const real *x_reals = (__global const real *)x;
#if HAS_Y
    y += y_first + begin;
    __global const real *y_reals = (__global const real *)y;
#endif
    const long reals = length * PARTS;
    lanes sum0 = no_lanes(), sum1 = no_lanes(), sum2 = no_lanes(), sum3 = no_lanes();
    long i = 0;
    for (; i + 4 * VECTOR_WIDTH <= reals; i += 4 * VECTOR_WIDTH) {
        ADD(sum0, i);
        ADD(sum1, i + VECTOR_WIDTH);
        ADD(sum2, i + 2 * VECTOR_WIDTH);
        ADD(sum3, i + 3 * VECTOR_WIDTH);
    }
    for (; i + VECTOR_WIDTH <= reals; i += VECTOR_WIDTH) ADD(sum0, i);
    partial total = lanes_sum(lanes_joined(lanes_joined(sum0, sum1), lanes_joined(sum2, sum3)), option);
    const long x_step = 1, y_step = 1;
    for (i /= PARTS; i < length; i++) INCLUDE(total, i);
    if (get_num_groups(0) == 1)
        results[result_index] = RESULT(total);
    else
        partials[get_group_id(0)] = total;
}

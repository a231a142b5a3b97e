// Reductions on any device, with any increments. Each work-group takes a block of adjacent elements. Neighbouring
// work-items take neighbouring elements, each of them WORK at a time into as many partial results. A block reduces to a
// `partial`. With one block it is the result. Else finish.cl reduces the blocks' partials, or with ONE_LAUNCH the last
// work-group to arrive does. The order of additions is the same in every run.
//
// The operation's file defines `partial`, NOTHING, INCLUDE(p, i), joined(p, q), RESULT(p), and the types of its option
// and of its result. With ONE_LAUNCH, shared_partial(p) reads a group's partial through a volatile pointer.

// Work-items of a group, a power of two.
#ifndef THREADS
#define THREADS 64
#endif

// Elements of a work-item at a time.
#ifndef WORK
#define WORK 4
#endif

// Every increment is 1: the addresses of a step are constants apart.
#ifndef ADJACENT
#define ADJACENT 1
#endif

// `partials` begins with the number of groups that have arrived, 0 before and after a launch, in 32 bytes.
#ifndef ONE_LAUNCH
#define ONE_LAUNCH 0
#endif

#include "common/arrival.cl"
#include "blas/level1/reduction/operation.cl"
#include "blas/level1/reduction/group.cl"

// The operation has a second vector.
#ifndef HAS_Y
#define HAS_Y (OPERATION == 0)
#endif

#if !defined(BEFORE_BLOCK)
#define BEFORE_BLOCK NOTHING
#endif

__kernel __attribute__((reqd_work_group_size(THREADS, 1, 1))) void reduce(
    long n, long block, option_type option, __global const scalar *restrict x, long x_first, long x_increment,
#if HAS_Y
    __global const scalar *restrict y, long y_first, long y_increment,
#endif
    __global partial *partials, __global result_type *results, long result_index)
{
    const long begin = (long)get_group_id(0) * block, end = min(n, begin + block);
    const long x_step = ADJACENT ? 1 : x_increment;
    x += x_first;
#if HAS_Y
    const long y_step = ADJACENT ? 1 : y_increment;
    y += y_first;
#endif
    partial sums[WORK];
    #pragma unroll
    for (int w = 0; w < WORK; w++) sums[w] = w == 0 ? BEFORE_BLOCK : NOTHING;
    long i = begin + get_local_id(0);
    for (; i + (WORK - 1) * THREADS < end; i += WORK * THREADS) {
        #pragma unroll
        for (int w = 0; w < WORK; w++) INCLUDE(sums[w], i + w * THREADS);
    }
    for (; i < end; i += THREADS) INCLUDE(sums[0], i);
    #pragma unroll
    for (int w = 1; w < WORK; w++) sums[0] = joined(sums[0], sums[w]);

    DECLARE_LOCAL_SUMS
#if ONE_LAUNCH
    __local int is_last;
    volatile __global int *const arrived = (volatile __global int *)partials;
    __global partial *const shared = (__global partial *)((__global char *)partials + 32);
    const bool is_shared = get_num_groups(0) > 1;
    const partial total = group_total(sums[0]);
    if (get_local_id(0) == 0) {
        is_last = true;
        if (is_shared) {
            shared[get_group_id(0)] = total;
            device_fence();
            is_last = atomic_inc(arrived) == (int)get_num_groups(0) - 1;
            if (is_last) *arrived = 0;
            device_fence();
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    // All groups go through the same barriers: some compilers for CPUs know no others.
    partial sum = NOTHING;
    if (is_last && is_shared)
        for (long other = get_local_id(0); other < (long)get_num_groups(0); other += THREADS)
            sum = joined(sum, shared_partial((volatile __global const partial *)(shared + other)));
    const partial all = group_total(sum);
    if (get_local_id(0) == 0 && is_last) results[result_index] = is_shared ? RESULT(all) : RESULT(total);
#else
    const partial total = group_total(sums[0]);
    if (get_local_id(0) == 0) {
        if (get_num_groups(0) == 1)
            results[result_index] = RESULT(total);
        else
            partials[get_group_id(0)] = total;
    }
#endif
}

#include "blas/level1/reduction/finish.cl"

// The norm of a matrix from all its elements. With `mirrored`, elements off the diagonal count twice. A work-group has
// a block of `rows` x `columns`. Its partial is the result if it is the only group; otherwise finish.cl joins the
// partials.
#pragma once

// The Frobenius norm; otherwise the maximum norm.
#ifndef FROBENIUS
#define FROBENIUS 0
#endif

#if FROBENIUS
#include "blas/level1/reduction/nrm2.cl"
#else
#include "lapack/norm/largest.cl"
#endif
#include "blas/level1/reduction/group.cl"
#include "lapack/norm/pattern.cl"
#include "blas/level1/reduction/finish.cl"

__kernel __attribute__((reqd_work_group_size(THREADS, 1, 1))) void norm_elements(
    long m, long n, long rows, long columns, int triangle, int corner, int mirrored, __global const scalar *restrict a,
    long offset, long ld, __global partial *partials, __global result_type *results, long result_index)
{
    const long top = get_group_id(0) * rows, bottom = min(m, top + rows);
    const long left = get_group_id(1) * columns, right = min(n, left + columns);
    partial off_diagonal = NOTHING, diagonal = NOTHING;
    a += offset;
    for (long j = left; j < right; j++) {
        const long begin = first_row(triangle, j, top), end = last_row(triangle, j, bottom);
        if (begin < end) off_diagonal = with_run(off_diagonal, a + j * ld + begin, end - begin);
        if (corner != SKIPPED && top <= j && j < bottom && j % THREADS == get_local_id(0))
            diagonal = with_element(diagonal, diagonal_element(corner, a + j * ld + j));
    }
    if (mirrored) off_diagonal = joined(off_diagonal, off_diagonal);

    DECLARE_LOCAL_SUMS
    const partial total = group_total(joined(off_diagonal, diagonal));
    if (get_local_id(0) == 0) {
        const long groups = (long)get_num_groups(0) * get_num_groups(1);
        if (groups == 1)
            results[result_index] = RESULT(total);
        else
            partials[get_group_id(0) + get_group_id(1) * get_num_groups(0)] = total;
    }
}

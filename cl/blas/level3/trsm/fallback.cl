// Triangular systems whose inverted blocks cannot be trusted: substitution by division, where an element of the
// diagonal is zero, NaN or near an end of the range. An ordinary diagonal ends both kernels at once.
//
// Strides may be negative: an upper triangular matrix is a lower one with its rows and columns reversed.

// Work-items of a group.
#ifndef THREADS
#define THREADS 256
#endif

#include "common/divide.cl"

// Diagonals in this range have reciprocals that neither overflow nor underflow, nor do a few products of them.
#if SCALAR_IS_DOUBLE
#define SMALLEST_DIAGONAL 0x1p-500
#define LARGEST_DIAGONAL 0x1p500
#else
#define SMALLEST_DIAGONAL 0x1p-60f
#define LARGEST_DIAGONAL 0x1p60f
#endif

#if THREADS > 1
#define in_step(fence) barrier(fence)
#else
#define in_step(fence)
#endif

// X := inv(A) (alpha B) into workspace, n elements a column, where the diagonal is extreme: then flag[flag_index]
// becomes 1, else 0. A group takes every get_num_groups(0)-th column.
__kernel __attribute__((reqd_work_group_size(THREADS, 1, 1))) void trsm_substitute(
    long n, long columns, scalar alpha, __global const scalar *restrict a, long a_offset, long a_row_stride,
    long a_column_stride, int a_conjugate, __global const scalar *restrict b, long b_offset, long b_row_stride,
    long b_column_stride, __global scalar *x, __global int *flag, long flag_index)
{
    __local int is_extreme;
    const int item = get_local_id(0);
    a += a_offset;
    b += b_offset;
    if (item == 0) is_extreme = 0;
    in_step(CLK_LOCAL_MEM_FENCE);
    bool found = false;
    for (long k = item; k < n; k += THREADS) {
        const real size = largest_part(a[k * (a_row_stride + a_column_stride)]);
        if (!(size >= SMALLEST_DIAGONAL && size <= LARGEST_DIAGONAL)) found = true;
    }
    if (found) is_extreme = 1;
    in_step(CLK_LOCAL_MEM_FENCE);
    const int extreme = is_extreme;
    if (get_group_id(0) == 0 && item == 0) flag[flag_index] = extreme;
    if (!extreme) return;

    for (long j = get_group_id(0); j < columns; j += get_num_groups(0)) {
        __global scalar *own = x + j * n;
        // Only work-item i % THREADS writes element i.
        for (long i = item; i < n; i += THREADS) own[i] = scale_by(alpha, b[i * b_row_stride + j * b_column_stride]);
        for (long k = 0; k < n; k++) {
            if (k % THREADS == item) {
                const scalar diagonal = conjugate_if(a_conjugate, a[k * (a_row_stride + a_column_stride)]);
                if (!is_zero(own[k])) own[k] = divide(own[k], diagonal);
            }
            in_step(CLK_GLOBAL_MEM_FENCE);
            const scalar known = own[k];
            // Columns multiplied by zero are not read, as in the reference.
            const long end = is_zero(known) ? 0 : n;
            long i = k / THREADS * THREADS + item;
            if (i <= k) i += THREADS;
            for (; i < end; i += THREADS) {
                const scalar factor = conjugate_if(a_conjugate, a[i * a_row_stride + k * a_column_stride]);
                own[i] = multiply_add(-factor, known, own[i]);
            }
        }
    }
}

// B := X where the diagonal was extreme.
__kernel __attribute__((reqd_work_group_size(THREADS, 1, 1))) void trsm_commit(
    long n, long columns, __global scalar *restrict b, long b_offset, long b_row_stride, long b_column_stride,
    __global const scalar *restrict x, __global const int *restrict flag, long flag_index)
{
    if (flag[flag_index] == 0) return;
    b += b_offset;
    for (long j = get_group_id(0); j < columns; j += get_num_groups(0))
        for (long i = get_local_id(0); i < n; i += THREADS) b[i * b_row_stride + j * b_column_stride] = x[i + j * n];
}

// C := alpha*A*B + beta*C on a GPU for a C of few columns (at most COLUMNS): A is streamed once, with coalesced loads.
// A work-group takes a chunk of the rows and a part of k.

// Work-items of a group.
#ifndef THREADS
#define THREADS 128
#endif

// Columns of C, at most.
#ifndef COLUMNS
#define COLUMNS 4
#endif

// Rows per work-item, or, in gemm_skinny_depth, per group.
#ifndef ROWS
#define ROWS 2
#endif

// Rows of a slice of B in local memory.
#ifndef SLICE
#define SLICE 32
#endif

#include "blas/level3/gemm/skinny/streamed.cl"

#define ARGUMENTS                                                                                                  \
    long m, long n, long k, scalar alpha,                                                                          \
    __global const streamed *restrict a, long a_offset, long a_row_stride, long a_column_stride, int a_conjugate,  \
    __global const scalar *restrict b, long b_offset, long b_row_stride, long b_column_stride, int b_conjugate,    \
    scalar beta, __global scalar *restrict c, long c_offset, long c_row_stride, long c_column_stride, long part_k, \
    long part_stride

// A is contiguous along m: each work-item has accumulators of ROWS rows, THREADS apart. B goes through local memory,
// from which all work-items read the same element at a time.
__kernel __attribute__((reqd_work_group_size(THREADS, 1, 1))) void gemm_skinny_rows(ARGUMENTS)
{
    __local scalar b_slice[SLICE * COLUMNS];
    const int item = get_local_id(0);
    const long row = get_group_id(0) * (THREADS * ROWS) + item;
    const long k_begin = get_group_id(1) * part_k, k_end = min(k, k_begin + part_k);
    __global const streamed *a_row[ROWS];
    scalar acc[ROWS][COLUMNS];
    #pragma unroll
    for (int i = 0; i < ROWS; i++) {
        a_row[i] = a + a_offset + min(row + i * THREADS, m - 1) * a_row_stride;
        #pragma unroll
        for (int j = 0; j < COLUMNS; j++) acc[i][j] = SCALAR_ZERO;
    }
    for (long at = k_begin; at < k_end; at += SLICE) {
        const int k_count = (int)min((long)SLICE, k_end - at);
        for (int e = item; e < k_count * COLUMNS; e += THREADS) {
            const int p = e / COLUMNS, j = e % COLUMNS;
            const scalar value = b[b_offset + (at + p) * b_row_stride + min((long)j, n - 1) * b_column_stride];
            b_slice[e] = conjugate_if(b_conjugate, value);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        #pragma unroll 8
        for (int p = 0; p < k_count; p++) {
            #pragma unroll
            for (int i = 0; i < ROWS; i++) {
                const scalar x = streamed_element(a_row[i] + (at + p) * a_column_stride);
                const scalar a_value = conjugate_if(a_conjugate, x);
                #pragma unroll
                for (int j = 0; j < COLUMNS; j++) acc[i][j] =
                    multiply_add(a_value, b_slice[p * COLUMNS + j], acc[i][j]);
            }
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    c += c_offset + get_group_id(1) * part_stride;
    #pragma unroll
    for (int i = 0; i < ROWS; i++)
        #pragma unroll
        for (int j = 0; j < COLUMNS; j++)
            if (row + i * THREADS < m && j < n) {
                __global scalar *element = c + (row + i * THREADS) * c_row_stride + j * c_column_stride;
                *element = accumulate(scale_by(alpha, acc[i][j]), beta, element);
            }
}

// Accumulators that are added up across the group at a time, and the work-items that add up one of them.
#define TOGETHER (ROWS * COLUMNS < 8 ? ROWS * COLUMNS : 8)
#define LANES (THREADS / TOGETHER)

// A and B are contiguous along k: the work-items of a group walk along ROWS rows of A together, and add up their
// accumulators in local memory, always in the same order.
__kernel __attribute__((reqd_work_group_size(THREADS, 1, 1))) void gemm_skinny_depth(ARGUMENTS)
{
    __local scalar shared_acc[TOGETHER * THREADS];
    const int item = get_local_id(0);
    const long row = get_group_id(0) * ROWS;
    const long k_begin = get_group_id(1) * part_k, k_end = min(k, k_begin + part_k);
    __global const streamed *a_row[ROWS];
    __global const scalar *b_column[COLUMNS];
    scalar acc[ROWS * COLUMNS];
    #pragma unroll
    for (int i = 0; i < ROWS; i++) a_row[i] = a + a_offset + min(row + i, m - 1) * a_row_stride;
    #pragma unroll
    for (int j = 0; j < COLUMNS; j++) b_column[j] = b + b_offset + min((long)j, n - 1) * b_column_stride;
    #pragma unroll
    for (int q = 0; q < ROWS * COLUMNS; q++) acc[q] = SCALAR_ZERO;

    #pragma unroll 4
    for (long p = k_begin + item; p < k_end; p += THREADS) {
        scalar a_value[ROWS];
        #pragma unroll
        for (int i = 0; i < ROWS; i++) {
            const scalar x = streamed_element(a_row[i] + p);
            a_value[i] = conjugate_if(a_conjugate, x);
        }
        #pragma unroll
        for (int j = 0; j < COLUMNS; j++) {
            const scalar x = b_column[j][p];
            const scalar b_value = conjugate_if(b_conjugate, x);
            #pragma unroll
            for (int i = 0; i < ROWS; i++) acc[i * COLUMNS + j] =
                multiply_add(a_value[i], b_value, acc[i * COLUMNS + j]);
        }
    }

    c += c_offset + get_group_id(1) * part_stride;
    #pragma unroll
    for (int first = 0; first < ROWS * COLUMNS; first += TOGETHER) {
        #pragma unroll
        for (int q = 0; q < TOGETHER; q++) shared_acc[q * THREADS + item] = acc[first + q];
        barrier(CLK_LOCAL_MEM_FENCE);
        const int own = item / LANES, lane = item % LANES;
        scalar total = SCALAR_ZERO;
        for (int e = lane; e < THREADS; e += LANES) total += shared_acc[own * THREADS + e];
        barrier(CLK_LOCAL_MEM_FENCE);
        shared_acc[item] = total;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (item < TOGETHER) {
            total = SCALAR_ZERO;
            for (int e = 0; e < LANES; e++) total += shared_acc[item * LANES + e];
            const long target_row = row + (first + item) / COLUMNS, target_column = (first + item) % COLUMNS;
            if (target_row < m && target_column < n) {
                __global scalar *element = c + target_row * c_row_stride + target_column * c_column_stride;
                *element = accumulate(scale_by(alpha, total), beta, element);
            }
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}

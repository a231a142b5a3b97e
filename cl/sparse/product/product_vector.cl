// CSR-vector SpMV (Bell and Garland 2009) on a GPU, for rows of similar length: WIDTH work-items for each row.
#pragma once

// Work-items of a group.
#ifndef THREADS
#define THREADS 128
#endif

// Work-items for each row: a power of two.
#ifndef WIDTH
#define WIDTH 8
#endif

#include "sparse/product/product.cl"

__kernel __attribute__((reqd_work_group_size(THREADS, 1, 1))) void product_vector(PRODUCT_PARAMETERS)
{
    PRODUCT_BEGIN;
    const int item = get_local_id(0), lane = item % WIDTH;
    const long row = (long)get_group_id(0) * (THREADS / WIDTH) + item / WIDTH;
    scalar sum = SCALAR_ZERO;
    if (row < rows) {
        const long end = row_ptr[row + 1];
        for (long entry = (long)row_ptr[row] + lane; entry < end; entry += WIDTH)
            sum = multiply_add(matrix_value(entry), x_element(indices[entry]), sum);
    }
#if WIDTH > 1
    // The lanes' sums are added in a tree, always in the same order.
    __local scalar sums[THREADS];
    sums[item] = sum;
    for (int distance = WIDTH / 2; distance > 0; distance /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lane < distance) sums[item] += sums[item + distance];
    }
    sum = sums[item];
#endif
    if (lane == 0 && row < rows) store_result(row, sum);
}

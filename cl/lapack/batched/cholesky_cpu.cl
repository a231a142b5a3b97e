// potrf of each matrix of a batch on a CPU: the lower triangle becomes L. Columns are contiguous; a work-item has a
// few matrices. Left-looking: four earlier columns are subtracted at a time, in wide vectors. The info is as in
// cholesky_rows.cl.
#pragma once

#include "common/vectors.cl"
#include "blas/level3/batched/offsets.cl"

#define LANES (VECTOR_WIDTH / PARTS)

// y -= conj(factor) l for n elements.
inline void subtract_column(scalar factor, __global const scalar *l, __global scalar *y, int n)
{
    const scalar f = -conjugate_if(1, factor);
    int i = 0;
    for (; i + LANES <= n; i += LANES) {
        __global real *target = (__global real *)(y + i);
        store_vector(load_vector(target) + multiply_vector(f, load_vector((__global const real *)(l + i))), target);
    }
    for (; i < n; i++) y[i] = multiply_add(f, l[i], y[i]);
}

// y -= L(:, 0:4) conj(L(0, 0:4)) for n rows. Columns of L are `stride` apart.
inline void subtract_columns(__global const scalar *l, long stride, __global scalar *y, int n)
{
    __global const scalar *l1 = l + stride, *l2 = l1 + stride, *l3 = l2 + stride;
    const scalar f0 = -conjugate_if(1, l[0]), f1 = -conjugate_if(1, l1[0]), f2 = -conjugate_if(1, l2[0]),
                 f3 = -conjugate_if(1, l3[0]);
    int i = 0;
    for (; i + LANES <= n; i += LANES) {
        __global real *target = (__global real *)(y + i);
        vector sum = load_vector(target);
        sum += multiply_vector(f0, load_vector((__global const real *)(l + i)));
        sum += multiply_vector(f1, load_vector((__global const real *)(l1 + i)));
        sum += multiply_vector(f2, load_vector((__global const real *)(l2 + i)));
        sum += multiply_vector(f3, load_vector((__global const real *)(l3 + i)));
        store_vector(sum, target);
    }
    for (; i < n; i++) {
        scalar sum = multiply_add(f1, l1[i], multiply_add(f0, l[i], y[i]));
        y[i] = multiply_add(f3, l3[i], multiply_add(f2, l2[i], sum));
    }
}

// potf2 of one matrix. Returns the index of the pivot that is not positive, from 1, or 0.
inline int potf2(int order, __global scalar *a, long column_stride)
{
    for (int j = 0; j < order; j++) {
        __global scalar *column = a + j * (column_stride + 1), *left = a + j;
        const int length = order - j;
        int k = 0;
        for (; k + 4 <= j; k += 4) subtract_columns(left + k * column_stride, column_stride, column, length);
        for (; k < j; k++) subtract_column(left[k * column_stride], left + k * column_stride, column, length);
        const real pivot = real_part(column[0]);
        if (!(pivot > 0)) {
            column[0] = from_real(pivot);
            return j + 1;
        }
        const real root = sqrt(pivot), inverse_root = 1 / root;
        column[0] = from_real(root);
        for (int i = 1; i < length; i++) column[i] = column[i] * inverse_root;
    }
    return 0;
}

__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void potrf_batched(int order, __global scalar *a, long a_offset,
                                                                           long column_stride, __global int *info,
                                                                           long info_offset, BATCH_PARAMETERS,
                                                                           long a_spacing, long per_item)
{
    const long first = get_group_id(0) * per_item, last = min(count, first + per_item);
    for (long matrix = first; matrix < last; matrix++)
        info[info_offset + matrix] = potf2(order, a + a_offset + offset_in_batch(matrix, a_spacing), column_stride);
}

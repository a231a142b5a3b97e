// The last step of TSQR: the block reflector of a panel from those of its row blocks and of the stacked triangles
// (Householder reconstruction: G. Ballard, J. Demmel, L. Grigori, M. Jacquelin, N. Knight, H. Nguyen, J. Parallel
// Distrib. Comput. 85, 2015).
//
//     row blocks         triangles           root            reconstruction
//    +----+  geqr2   +----+  stacked   +----+  geqr2   +----+      Q1 = [S; 0] + V U
//    | A0 | -------> | R0 | ---------> | R0 | -------> | R  |      V unit lower trapezoidal,
//    +----+          +----+            | R1 |          +----+      U upper triangular,
//    | A1 | -------> | R1 | ---------> | .. |                      S signs: every pivot is at least 1
//    +----+          +----+            +----+
//
// R is S times the root's triangle, and T = -U S V_top^-H.
//
// V is stored below the diagonal of A, which has the root's triangle above it, and in `v_full`: unit diagonal, zeros
// above it, and `rows_above` rows of zeros above those.
//
// A work-group has THREADS rows of a row block, at most. Each group computes what all need; no group writes what
// others read.
#pragma once

// Work-items of a group: a multiple of WIDTH that divides WIDTH * WIDTH.
#ifndef THREADS
#define THREADS 64
#endif

// Columns of the panel.
#ifndef WIDTH
#define WIDTH 16
#endif

#include "common/divide.cl"

#define SIZE (WIDTH * WIDTH)
// A work-item has elements of every ITEM_COLUMNS-th column of a square matrix, all in one row.
#define ITEM_COLUMNS (THREADS / WIDTH)
#define ELEMENTS (WIDTH / ITEM_COLUMNS)
// Columns in local memory begin at multiples of 16 bytes, in different banks.
#define STRIDE (WIDTH + 16 / (int)sizeof(scalar))
#define TILE (WIDTH * STRIDE)

inline void load_elements(__global const scalar *square, long stride, scalar *own)
{
    const int i = get_local_id(0) % WIDTH, j = get_local_id(0) / WIDTH;
    #pragma unroll
    for (int p = 0; p < ELEMENTS; p++) own[p] = square[i + (j + p * ITEM_COLUMNS) * stride];
}

inline void put(const scalar *own, __local scalar *tile)
{
    const int i = get_local_id(0) % WIDTH, j = get_local_id(0) / WIDTH;
    #pragma unroll
    for (int p = 0; p < ELEMENTS; p++) tile[i + (j + p * ITEM_COLUMNS) * STRIDE] = own[p];
}

inline void put_adjoint(const scalar *own, __local scalar *tile)
{
    const int i = get_local_id(0) % WIDTH, j = get_local_id(0) / WIDTH;
    #pragma unroll
    for (int p = 0; p < ELEMENTS; p++) tile[j + p * ITEM_COLUMNS + i * STRIDE] = conjugate_if(1, own[p]);
}

// own := factor (own + left right)
inline void add_product(real factor, __local const scalar *left, __local const scalar *right, scalar *own)
{
    const int i = get_local_id(0) % WIDTH, j = get_local_id(0) / WIDTH;
    #pragma unroll 8
    for (int k = 0; k < WIDTH; k++) {
        const scalar element = left[i + k * STRIDE];
        #pragma unroll
        for (int p = 0; p < ELEMENTS; p++)
            own[p] = multiply_add(element, right[k + (j + p * ITEM_COLUMNS) * STRIDE], own[p]);
    }
    #pragma unroll
    for (int p = 0; p < ELEMENTS; p++) own[p] *= factor;
}

inline void clear(scalar *own)
{
    #pragma unroll
    for (int p = 0; p < ELEMENTS; p++) own[p] = SCALAR_ZERO;
}

// LU without pivoting, with signs. Columns below the pivots are divided by them at the end.
inline void eliminate_with_signs(scalar *q, __local scalar (*pivot_rows)[WIDTH], __local scalar (*pivot_columns)[WIDTH],
                                 __local scalar *inverses, __local real *signs)
{
    const int item = get_local_id(0), i = item % WIDTH, first_j = item / WIDTH;
    for (int k = 0; k < WIDTH; k++) {
        __local scalar *pivots = pivot_rows[k & 1], *below = pivot_columns[k & 1];
        #pragma unroll
        for (int p = 0; p < ELEMENTS; p++) {
            const int j = first_j + p * ITEM_COLUMNS;
            if (i == k) pivots[j] = q[p];
            if (j == k) below[i] = q[p];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        const scalar pivot = pivots[k];
        const real sign = real_part(pivot) < 0 ? (real)1 : (real)-1;
        const scalar inverse = reciprocal_of(pivot - from_real(sign)), factor = -multiply(below[i], inverse);
        if (item == 0) {
            signs[k] = sign;
            inverses[k] = inverse;
        }
        #pragma unroll
        for (int p = 0; p < ELEMENTS; p++) {
            const int j = first_j + p * ITEM_COLUMNS;
            if (i > k && j > k) q[p] = multiply_add(factor, pivots[j], q[p]);
        }
    }
}

// trsm: rows of the multiplier of the row block's vectors, of the summand of its top block, and, for the first group,
// of T and tau.
inline void solve_rows(__local scalar *its_y, __local scalar *its_q, __local const scalar *upper,
                       __local const scalar *adjoint, __local const scalar *inverses, __local const real *signs,
                       bool is_first, __global scalar *t, long t_stride, __global scalar *tau)
{
    const int item = get_local_id(0);
    for (int e = item; e < (is_first ? 3 : 2) * WIDTH; e += THREADS) {
        const int row = e % WIDTH, which = e / WIDTH;
        __local scalar *its = which == 0 ? its_y : its_q;
        __local const scalar *divisor = which < 2 ? upper : adjoint;
        scalar x[WIDTH];
        #pragma unroll
        for (int j = 0; j < WIDTH; j++) {
            if (which < 2) x[j] = its[row + j * STRIDE];
            else x[j] = row <= j ? upper[j + row * STRIDE] * -signs[j] : SCALAR_ZERO;
        }
        #pragma unroll
        for (int k = 0; k < WIDTH; k++) {
            if (which < 2) x[k] = multiply(x[k], inverses[k]);
            #pragma unroll
            for (int j = k + 1; j < WIDTH; j++) x[j] = multiply_add(-x[k], divisor[j + k * STRIDE], x[j]);
        }
        #pragma unroll
        for (int j = 0; j < WIDTH; j++) {
            if (which < 2) its[row + j * STRIDE] = x[j];
            else if (row <= j) t[row + j * t_stride] = x[j];
            if (which == 2 && row == j) tau[j] = x[j];
        }
    }
}

__kernel __attribute__((reqd_work_group_size(THREADS, 1, 1))) void tsqr_root(
    int rows, int part_rows, int groups_per_part, __global scalar *restrict a, long a_offset, long row_stride,
    long column_stride, __global const scalar *restrict vectors, long vectors_stride,
    __global const scalar *restrict triangles, __global const scalar *restrict root_vectors, long root_stride,
    __global const scalar *restrict root_triangle, __global scalar *restrict tau, long tau_offset,
    __global scalar *restrict t, long t_offset, long t_stride, int rows_above, __global scalar *restrict v_full,
    long v_full_offset, long v_full_stride)
{
    __local scalar tiles[4][TILE], pivot_rows[2][WIDTH], pivot_columns[2][WIDTH], inverses[WIDTH];
    __local real signs[WIDTH];
    const int item = get_local_id(0), part = get_group_id(0) / groups_per_part, i = item % WIDTH,
              first_j = item / WIDTH;
    const int begin = part * part_rows, count = min(part_rows, rows - begin);
    const bool is_first = get_group_id(0) == 0;

    // Top blocks of the Householder vectors and of T: the root's, the first row block's and this one's.
    scalar root_t[ELEMENTS], root_v[ELEMENTS], root_own[ELEMENTS], first_v[ELEMENTS], own_v[ELEMENTS],
        first_t[ELEMENTS], own_t[ELEMENTS];
    load_elements(root_triangle, WIDTH, root_t);
    load_elements(root_vectors, root_stride, root_v);
    load_elements(root_vectors + part * WIDTH, root_stride, root_own);
    load_elements(vectors, vectors_stride, first_v);
    load_elements(vectors + begin, vectors_stride, own_v);
    load_elements(triangles, WIDTH, first_t);
    load_elements(triangles + part * SIZE, WIDTH, own_t);

    // Q of the root: `q` is its top block, `own_q` the block of this group's row block.
    scalar q[ELEMENTS], own_q[ELEMENTS], y[ELEMENTS], own_y[ELEMENTS];
    put(root_t, tiles[0]);
    put_adjoint(root_v, tiles[1]);
    barrier(CLK_LOCAL_MEM_FENCE);
    clear(y);
    add_product(1, tiles[0], tiles[1], y);
    put(y, tiles[2]);
    put(root_own, tiles[3]);
    barrier(CLK_LOCAL_MEM_FENCE);
    put(root_v, tiles[0]);
    barrier(CLK_LOCAL_MEM_FENCE);
    #pragma unroll
    for (int p = 0; p < ELEMENTS; p++) {
        q[p] = i == first_j + p * ITEM_COLUMNS ? -SCALAR_ONE : SCALAR_ZERO;
        own_q[p] = part == 0 ? q[p] : SCALAR_ZERO;
    }
    add_product(-1, tiles[0], tiles[2], q);
    add_product(-1, tiles[3], tiles[2], own_q);
    barrier(CLK_LOCAL_MEM_FENCE);
    // larfb of the row blocks: Y = T V^H Q.
    put_adjoint(first_v, tiles[0]);
    put_adjoint(own_v, tiles[1]);
    put(q, tiles[2]);
    put(own_q, tiles[3]);
    barrier(CLK_LOCAL_MEM_FENCE);
    clear(y);
    clear(own_y);
    add_product(1, tiles[0], tiles[2], y);
    add_product(1, tiles[1], tiles[3], own_y);
    barrier(CLK_LOCAL_MEM_FENCE);
    put(first_t, tiles[0]);
    put(own_t, tiles[1]);
    put(y, tiles[2]);
    put(own_y, tiles[3]);
    barrier(CLK_LOCAL_MEM_FENCE);
    clear(y);
    clear(own_y);
    add_product(1, tiles[0], tiles[2], y);
    add_product(1, tiles[1], tiles[3], own_y);
    barrier(CLK_LOCAL_MEM_FENCE);
    put(first_v, tiles[0]);
    put(y, tiles[1]);
    barrier(CLK_LOCAL_MEM_FENCE);
    #pragma unroll
    for (int p = 0; p < ELEMENTS; p++) q[p] = -q[p];
    add_product(-1, tiles[0], tiles[1], q);

    eliminate_with_signs(q, pivot_rows, pivot_columns, inverses, signs);
    barrier(CLK_LOCAL_MEM_FENCE);
    // U, and the adjoint of V's strictly lower top block, both by rows.
    __local scalar *upper = tiles[0], *adjoint = tiles[1], *its_y = tiles[2], *its_q = tiles[3];
    #pragma unroll
    for (int p = 0; p < ELEMENTS; p++) {
        const int j = first_j + p * ITEM_COLUMNS;
        if (i <= j) upper[j + i * STRIDE] = i < j ? q[p] : q[p] - from_real(signs[i]);
        if (i > j) adjoint[i + j * STRIDE] = conjugate_if(1, multiply(q[p], inverses[j]));
    }
    put(own_y, its_y);
    put(own_q, its_q);
    barrier(CLK_LOCAL_MEM_FENCE);
    solve_rows(its_y, its_q, upper, adjoint, inverses, signs, is_first, t + t_offset, t_stride, tau + tau_offset);
    barrier(CLK_LOCAL_MEM_FENCE);

    const int row = get_group_id(0) % groups_per_part * THREADS + item;
    if (is_first) {
        for (int e = item; e < rows_above * WIDTH; e += THREADS)
            v_full[v_full_offset + e % rows_above + e / rows_above * v_full_stride] = SCALAR_ZERO;
    }
    if (row >= count) return;
    a += a_offset + (begin + row) * row_stride;
    v_full += v_full_offset + rows_above + begin + row;
    if (part == 0 && row < WIDTH) {
        for (int j = 0; j < WIDTH; j++) {
            const scalar below = conjugate_if(1, adjoint[row + j * STRIDE]);
            a[j * column_stride] = row > j ? below : a[j * column_stride] * signs[row];
            v_full[j * v_full_stride] = row > j ? below : row == j ? SCALAR_ONE : SCALAR_ZERO;
        }
        return;
    }
    vectors += begin + row;
    scalar v[WIDTH];
    #pragma unroll
    for (int k = 0; k < WIDTH; k++) v[k] = -vectors[k * vectors_stride];
    for (int j = 0; j < WIDTH; j++) {
        scalar sum = row < WIDTH ? its_q[row + j * STRIDE] : SCALAR_ZERO;
        #pragma unroll
        for (int k = 0; k < WIDTH; k++) sum = multiply_add(v[k], its_y[k + j * STRIDE], sum);
        a[j * column_stride] = sum;
        v_full[j * v_full_stride] = sum;
    }
}

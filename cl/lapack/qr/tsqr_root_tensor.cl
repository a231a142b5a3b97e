// The last step of TSQR for real panels, as tsqr_root.cl has it, with tensor cores for doubles; all arithmetic is in
// doubles.
//
// A work-item has the elements of a square matrix that an mma accumulator has: two in each of two rows. A warp has 16
// rows and 8 columns.
#pragma once

// Work-items of a group: WIDTH * WIDTH / 4.
#ifndef THREADS
#define THREADS 64
#endif

// Columns of the panel: 16 or 32.
#ifndef WIDTH
#define WIDTH 16
#endif

#include "lapack/qr/mma_f64.cl"

#define WARP 32
#define SIZE (WIDTH * WIDTH)
// Stride of columns in local memory: fragments of four columns and eight rows have no bank conflicts.
#define STRIDE (WIDTH + 4)
#define TILE (WIDTH * STRIDE)
#define MMA_K 8
// Warps one below the other.
#define WARPS_DOWN (WIDTH / 16)
#define row_of(p) (warp % WARPS_DOWN * 16 + g + (p) / 2 * 8)
#define column_of(p) (warp / WARPS_DOWN * 8 + 2 * q + (p) % 2)
#define FOR_ELEMENTS _Pragma("unroll") for (int p = 0; p < 4; p++)
#define load_elements(square, stride, own) \
    FOR_ELEMENTS (own)[p] = (square)[row_of(p) + column_of(p) * (stride)];
#define put(own, tile) FOR_ELEMENTS (tile)[row_of(p) + column_of(p) * STRIDE] = (own)[p];
#define put_transposed(own, tile) FOR_ELEMENTS (tile)[column_of(p) + row_of(p) * STRIDE] = (own)[p];

// acc += left right
inline void add_product(__local const double *left, __local const double *right, double *sum, __local double *workspace)
{
    const int warp = get_local_id(0) / WARP, g = get_local_id(0) % WARP / 4, q = get_local_id(0) % 4;
    UNROLL_FRAGMENTS
    for (int k = 0; k < WIDTH; k += MMA_K) {
        double a[4], b[2];
        #pragma unroll
        for (int s = 0; s < 4; s++) a[s] = left[warp % WARPS_DOWN * 16 + g + s % 2 * 8 + (k + q + s / 2 * 4) * STRIDE];
        #pragma unroll
        for (int s = 0; s < 2; s++) b[s] = right[k + q + s * 4 + (warp / WARPS_DOWN * 8 + g) * STRIDE];
        mma_f64(sum, a, b, workspace);
    }
}

// LU without pivoting, with signs. Columns below the pivots are divided by them at the end.
inline void eliminate_with_signs(double *top, __local double (*pivots)[2][WIDTH], __local double *inverses,
                                 __local double *signs)
{
    const int item = get_local_id(0), warp = item / WARP, lane = item % WARP, g = lane / 4, q = lane % 4;
    #pragma unroll 1
    for (int k = 0; k < WIDTH; k++) {
        __local double *row = pivots[k & 1][0], *below = pivots[k & 1][1];
        FOR_ELEMENTS {
            if (row_of(p) == k) row[column_of(p)] = top[p];
            if (column_of(p) == k) below[row_of(p)] = top[p];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        const double pivot = row[k], sign = pivot < 0 ? 1 : -1, inverse = fast_reciprocal(pivot - sign);
        if (item == 0) {
            signs[k] = sign;
            inverses[k] = inverse;
        }
        FOR_ELEMENTS {
            const double changed = fma(-inverse * below[row_of(p)], row[column_of(p)], top[p]);
            if (row_of(p) > k && column_of(p) > k) top[p] = changed;
        }
    }
}

// trsm: rows of the multiplier of the row block's vectors, of the summand of its top block, and, for the first group,
// of T and tau.
inline void solve_rows(__local double *its_y, __local double *its_top, __local const double *upper,
                       __local const double *transposed, __local const double *inverses, __local const double *signs,
                       bool is_first, __global scalar *t, long t_stride, __global scalar *tau)
{
    const int item = get_local_id(0);
    for (int e = item; e < (is_first ? 3 : 2) * WIDTH; e += THREADS) {
        const int row = e % WIDTH, which = e / WIDTH;
        __local double *its = which == 0 ? its_y : its_top;
        __local const double *divisor = which < 2 ? upper : transposed;
        double x[WIDTH];
        #pragma unroll
        for (int j = 0; j < WIDTH; j++) {
            if (which < 2) x[j] = its[row + j * STRIDE];
            else x[j] = row <= j ? upper[j + row * STRIDE] * -signs[j] : 0;
        }
        #pragma unroll
        for (int k = 0; k < WIDTH; k++) {
            if (which < 2) x[k] *= inverses[k];
            #pragma unroll
            for (int j = k + 1; j < WIDTH; j++) x[j] = fma(-x[k], divisor[j + k * STRIDE], x[j]);
        }
        #pragma unroll
        for (int j = 0; j < WIDTH; j++) {
            if (which < 2) its[row + j * STRIDE] = x[j];
            else if (row <= j) t[row + j * t_stride] = x[j];
            if (which == 2 && row == j) tau[j] = x[j];
        }
    }
}

// Rows of V, and R above them in the first row block: the vectors times `its_y`, plus `its_top` at the top. A warp has
// 16 rows at a time.
inline void store_rows(int part, int count, int first_row, __local const double *its_y, __local const double *its_top,
                       __local const double *transposed, __local const double *signs,
                       __global const scalar *vectors, long vectors_stride, __global scalar *a, long row_stride,
                       long column_stride, __global scalar *v_full, long v_full_stride,
                       __local double *workspace)
{
    const int lane = get_local_id(0) % WARP, g = lane / 4, q = lane % 4;
    #pragma unroll 1
    for (int from = first_row; from < first_row + WARP; from += 16) {
        double factors[WIDTH / MMA_K][4];
        #pragma unroll
        for (int k = 0; k < WIDTH / MMA_K; k++) {
            #pragma unroll
            for (int s = 0; s < 4; s++) {
                const int row = from + g + s % 2 * 8;
                factors[k][s] =
                    row < count ? -vectors[row + (k * MMA_K + q + s / 2 * 4) * vectors_stride] : SCALAR_ZERO;
            }
        }
        #pragma unroll 1
        for (int j = 0; j < WIDTH; j += 8) {
            double sum[4];
            FOR_ELEMENTS {
                const int row = from + g + p / 2 * 8, column = j + 2 * q + p % 2;
                sum[p] = row < WIDTH ? its_top[row % WIDTH + column * STRIDE] : 0;
            }
            UNROLL_FRAGMENTS
            for (int k = 0; k < WIDTH / MMA_K; k++) {
                __local const double *right = its_y + k * MMA_K + q + (j + g) * STRIDE;
                const double b[2] = {right[0], right[4]};
                mma_f64(sum, factors[k], b, workspace);
            }
            FOR_ELEMENTS {
                const int row = from + g + p / 2 * 8, column = j + 2 * q + p % 2;
                if (row < count) {
                    __global scalar *target = a + row * row_stride + column * column_stride;
                    double element = sum[p], vector = sum[p];
                    // The top block of V, and R above it.
                    if (part == 0 && row < WIDTH) {
                        const double below = row > column ? transposed[row % WIDTH + column * STRIDE] : 0;
                        element = row > column ? below : *target * signs[row % WIDTH];
                        vector = row > column ? below : row == column;
                    }
                    *target = element;
                    v_full[row + column * v_full_stride] = vector;
                }
            }
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
    DECLARE_FRAGMENT_WORKSPACE
    __local double tiles[4][TILE], pivots[2][2][WIDTH], inverses[WIDTH], signs[WIDTH];
    const int item = get_local_id(0), warp = item / WARP, lane = item % WARP, g = lane / 4, q = lane % 4;
    const int part = get_group_id(0) / groups_per_part, begin = part * part_rows, count = min(part_rows, rows - begin);
    const bool is_first = get_group_id(0) == 0;

    // Top blocks of the Householder vectors and of T: the root's, the first row block's and this one's.
    double root_t[4], root_v[4], root_own[4], first_v[4], own_v[4], first_t[4], own_t[4];
    load_elements(root_triangle, WIDTH, root_t)
    load_elements(root_vectors, root_stride, root_v)
    load_elements(root_vectors + part * WIDTH, root_stride, root_own)
    load_elements(vectors, vectors_stride, first_v)
    load_elements(vectors + begin, vectors_stride, own_v)
    load_elements(triangles, WIDTH, first_t)
    load_elements(triangles + part * SIZE, WIDTH, own_t)

    // Q of the root: `top` is its top block, `own_top` the block of this group's row block.
    double y[4] = {0, 0, 0, 0}, own_y[4] = {0, 0, 0, 0}, top[4] = {0, 0, 0, 0}, own_top[4] = {0, 0, 0, 0};
    put(root_t, tiles[0])
    put_transposed(root_v, tiles[1])
    barrier(CLK_LOCAL_MEM_FENCE);
    add_product(tiles[0], tiles[1], y, fragment_workspace);
    barrier(CLK_LOCAL_MEM_FENCE);
    put(root_v, tiles[0])
    put(root_own, tiles[1])
    put(y, tiles[2])
    barrier(CLK_LOCAL_MEM_FENCE);
    add_product(tiles[0], tiles[2], top, fragment_workspace);
    add_product(tiles[1], tiles[2], own_top, fragment_workspace);
    FOR_ELEMENTS {
        const double unit = row_of(p) == column_of(p);
        top[p] = unit - top[p];
        own_top[p] = (part == 0 ? unit : 0) - own_top[p];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    // larfb of the row blocks: Y = T V^H Q.
    put_transposed(first_v, tiles[0])
    put_transposed(own_v, tiles[1])
    put(top, tiles[2])
    put(own_top, tiles[3])
    barrier(CLK_LOCAL_MEM_FENCE);
    FOR_ELEMENTS y[p] = 0;
    add_product(tiles[0], tiles[2], y, fragment_workspace);
    add_product(tiles[1], tiles[3], own_y, fragment_workspace);
    barrier(CLK_LOCAL_MEM_FENCE);
    put(first_t, tiles[0])
    put(own_t, tiles[1])
    put(y, tiles[2])
    put(own_y, tiles[3])
    barrier(CLK_LOCAL_MEM_FENCE);
    FOR_ELEMENTS y[p] = own_y[p] = 0;
    add_product(tiles[0], tiles[2], y, fragment_workspace);
    add_product(tiles[1], tiles[3], own_y, fragment_workspace);
    barrier(CLK_LOCAL_MEM_FENCE);
    put(first_v, tiles[0])
    put(y, tiles[1])
    barrier(CLK_LOCAL_MEM_FENCE);
    FOR_ELEMENTS y[p] = 0;
    add_product(tiles[0], tiles[1], y, fragment_workspace);
    FOR_ELEMENTS top[p] -= y[p];

    eliminate_with_signs(top, pivots, inverses, signs);
    barrier(CLK_LOCAL_MEM_FENCE);
    // U, and the transpose of V's strictly lower top block, both by rows.
    __local double *upper = tiles[0], *transposed = tiles[1], *its_y = tiles[2], *its_top = tiles[3];
    FOR_ELEMENTS {
        const int i = row_of(p), j = column_of(p);
        if (i <= j) upper[j + i * STRIDE] = i < j ? top[p] : top[p] - signs[i];
        if (i > j) transposed[i + j * STRIDE] = top[p] * inverses[j];
    }
    put(own_y, its_y)
    put(own_top, its_top)
    barrier(CLK_LOCAL_MEM_FENCE);
    solve_rows(its_y, its_top, upper, transposed, inverses, signs, is_first, t + t_offset, t_stride, tau + tau_offset);
    barrier(CLK_LOCAL_MEM_FENCE);

    if (is_first) {
        for (int e = item; e < rows_above * WIDTH; e += THREADS)
            v_full[v_full_offset + e % rows_above + e / rows_above * v_full_stride] = SCALAR_ZERO;
    }
    a += a_offset + begin * row_stride;
    v_full += v_full_offset + rows_above + begin;
    vectors += begin;
    const int first_row = get_group_id(0) % groups_per_part * THREADS + warp * WARP;
    store_rows(part, count, first_row, its_y, its_top, transposed, signs, vectors, vectors_stride, a, row_stride,
               column_stride, v_full, v_full_stride, fragment_workspace);
}

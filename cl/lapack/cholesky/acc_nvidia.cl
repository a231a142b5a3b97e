// Accumulators of a product of real blocks on NVIDIA's tensor cores, in the layout of mma fragments: a warp has 16 x
// 32 of the 64 x 64 elements; a work-item has two adjacent ones in each of two rows of four fragments. Floats are
// split in two TF32 numbers (gemm/tensor/split.cl).
#pragma once

#include "lapack/cholesky/tiles.cl"
#if !SCALAR_IS_DOUBLE
#include "blas/level3/gemm/tensor/split.cl"
#endif

inline int acc_row(int item, int n)
{
    return item / 32 % 4 * 16 + item % 32 / 4 + n / 2 * 8;
}

inline int acc_column(int item, int fragment, int n)
{
    return item / 128 * 32 + fragment * 8 + item % 4 * 2 + n % 2;
}

#if SCALAR_IS_DOUBLE
// acc += A B for fragments of 16 x 8 (A), 8 x 8 (B) and 16 x 8 (acc).
inline void mma_f64(const double a[4], const double b[2], scalar acc[4])
{
    __asm__ volatile(
        "mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, "
        "%3};"
        : "+d"(acc[0]), "+d"(acc[1]), "+d"(acc[2]), "+d"(acc[3])
        : "d"(a[0]), "d"(a[1]), "d"(a[2]), "d"(a[3]), "d"(b[0]), "d"(b[1]));
}
#else
// The same for TF32 operands, of 11 bits.
inline void mma_tf32(const uint a[4], const uint b[2], scalar acc[4])
{
    __asm__ volatile(
        "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, "
        "%3};"
        : "+f"(acc[0]), "+f"(acc[1]), "+f"(acc[2]), "+f"(acc[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
#endif

// True if the accumulators of this work-item's whole warp are above the diagonal.
inline bool is_above_diagonal(int item)
{
    return acc_column(item, 0, 0) / 32 * 32 > acc_row(item, 0) / 16 * 16 + 15;
}

// One past the last column of which a warp has accumulators.
inline int acc_columns_end(int item)
{
    return item / 128 * 32 + 32;
}

// acc += A B^H for `depth` columns of both, a multiple of 16. Floats in range are split in two TF32 numbers. Tensor
// cores truncate sums, so that each sum of 16 products is added in rounded floats. Floats that are not in range are
// multiplied one by one.
inline void multiply_staged(__local const scalar (*a)[PITCH], __local const scalar (*b)[PITCH], int depth,
                            bool in_range, scalar acc[ITEM_TILE][ITEM_TILE])
{
    const int item = get_local_id(0), down = acc_row(item, 0), across = item / 128 * 32 + item % 32 / 4,
              target = item % 4;
#if SCALAR_IS_DOUBLE
    #pragma unroll 2
    for (int k = 0; k < depth; k += 8) {
        __local const scalar (*upper)[PITCH] = a + k + target, (*left)[PITCH] = b + k + target;
        const double part[4] = {upper[0][down], upper[0][down + 8], upper[4][down], upper[4][down + 8]};
        #pragma unroll
        for (int f = 0; f < ITEM_TILE; f++) {
            const double row[2] = {left[0][across + f * 8], left[4][across + f * 8]};
            mma_f64(part, row, acc[f]);
        }
    }
#else
    if (!in_range) {
        #pragma unroll 1
        for (int k = 0; k < depth; k++) {
            #pragma unroll
            for (int f = 0; f < ITEM_TILE; f++) {
                #pragma unroll
                for (int n = 0; n < ITEM_TILE; n++)
                    acc[f][n] = multiply_add(a[k][acc_row(item, n)], b[k][acc_column(item, f, n)], acc[f][n]);
            }
        }
        return;
    }
    #pragma unroll 1
    for (int first = 0; first < depth; first += 16) {
        scalar partial_acc[ITEM_TILE][ITEM_TILE];
        clear_acc(partial_acc);
        #pragma unroll
        for (int k = first; k < first + 16; k += 8) {
            __local const scalar (*upper)[PITCH] = a + k + target, (*left)[PITCH] = b + k + target;
            const scalar part[4] = {upper[0][down], upper[0][down + 8], upper[4][down], upper[4][down + 8]};
            uint hi[4], lo[4];
            #pragma unroll
            for (int n = 0; n < 4; n++) {
                const hi_lo both = split(part[n]);
                hi[n] = both.hi;
                lo[n] = both.lo;
            }
            #pragma unroll
            for (int f = 0; f < ITEM_TILE; f++) {
                const hi_lo upper_split = split(left[0][across + f * 8]), lower_split = split(left[4][across + f * 8]);
                const uint row_hi[2] = {upper_split.hi, lower_split.hi},
                           row_lo[2] = {upper_split.lo, lower_split.lo};
                mma_tf32(lo, row_hi, partial_acc[f]);
                mma_tf32(hi, row_lo, partial_acc[f]);
                mma_tf32(hi, row_hi, partial_acc[f]);
            }
        }
        #pragma unroll
        for (int f = 0; f < ITEM_TILE; f++) {
            #pragma unroll
            for (int n = 0; n < ITEM_TILE; n++) acc[f][n] += partial_acc[f][n];
        }
    }
#endif
}

// Copies `count` columns of a block from `first` on to local memory, transposed.
inline void stage_columns(__local scalar (*to)[PITCH], scalar from[ITEM_TILE][ITEM_TILE], int first, int count)
{
    const int item = get_local_id(0);
    #pragma unroll
    for (int f = 0; f < ITEM_TILE; f++) {
        #pragma unroll
        for (int n = 0; n < ITEM_TILE; n++) {
            const int column = acc_column(item, f, n) - first;
            if (column >= 0 && column < count) to[column][acc_row(item, n)] = from[f][n];
        }
    }
}

// x -= acc, for x in register tiles.
inline void subtract_acc(__local scalar (*workspace)[PITCH], scalar acc[ITEM_TILE][ITEM_TILE],
                         scalar x[ITEM_TILE][ITEM_TILE])
{
    const int item = get_local_id(0), top = item_tile_row(item) * ITEM_TILE, left = item_tile_column(item) * ITEM_TILE;
    barrier(CLK_LOCAL_MEM_FENCE);
    stage_columns(workspace, acc, 0, WIDTH);
    barrier(CLK_LOCAL_MEM_FENCE);
    #pragma unroll
    for (int c = 0; c < ITEM_TILE; c++) {
        #pragma unroll
        for (int r = 0; r < ITEM_TILE; r++) x[r][c] = x[r][c] - workspace[left + c][top + r];
    }
}

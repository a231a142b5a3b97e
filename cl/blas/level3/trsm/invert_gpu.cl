// Inverses of the diagonal blocks of BASE rows of a lower triangular matrix: a work-group per block. It inverts blocks
// of SEED rows first, and joins pairs of them until one is left. Products join larger blocks from these.
//
// Inverse p belongs at inverse[p * BASE * (block + 1)], its rows `block` elements apart: on the diagonal of one of the
// larger blocks, whose elements to the right of it become zeros.

// Rows of a diagonal block: 16, 32, 64 or 128.
#ifndef BASE
#define BASE 64
#endif

// The group has EDGE x EDGE work-items: 4, 8 or 16.
#ifndef EDGE
#define EDGE 16
#endif

#include "common/divide.cl"

#define THREADS (EDGE * EDGE)
#define PITCH (BASE + 1)
#define SEED 16
// Joins of pairs of blocks, and the rows and columns, at most, of a work-item's part of a product.
#define JOINS (BASE / SEED >= 8 ? 3 : BASE / SEED >= 4 ? 2 : BASE / SEED >= 2 ? 1 : 0)
#define PART (BASE / 2 / EDGE > 1 ? BASE / 2 / EDGE : 1)

// A column of the inverse of the block of SEED rows at `seed`, whose diagonal has A's reciprocals already.
inline void solve_column(scalar x[SEED], int column, __local const scalar *seed)
{
    #pragma unroll
    for (int i = 0; i < SEED; i++) x[i] = i == column ? SCALAR_ONE : SCALAR_ZERO;
    #pragma unroll
    for (int k = 0; k < SEED; k++) {
        x[k] = multiply(x[k], seed[k * PITCH + k]);
        #pragma unroll
        for (int i = 0; i < SEED; i++)
            if (i > k) x[i] = k >= column ? multiply_add(-seed[i * PITCH + k], x[k], x[i]) : x[i];
    }
}

// The work-item's part x part elements, EDGE apart, of A B for squares of `size` rows.
inline void multiply_part(scalar sums[PART][PART], int part, int size, __local const scalar *a, __local const scalar *b)
{
    const int row = get_local_id(0) / EDGE, column = get_local_id(0) % EDGE;
    #pragma unroll
    for (int r = 0; r < PART; r++) {
        #pragma unroll
        for (int c = 0; c < PART; c++) sums[r][c] = SCALAR_ZERO;
    }
    #pragma unroll 4
    for (int k = 0; k < size; k++) {
        scalar left[PART], right[PART];
        #pragma unroll
        for (int r = 0; r < PART; r++) {
            left[r] = r < part ? a[(row + r * EDGE) * PITCH + k] : SCALAR_ZERO;
            right[r] = r < part ? b[k * PITCH + column + r * EDGE] : SCALAR_ZERO;
        }
        #pragma unroll
        for (int r = 0; r < PART; r++) {
            #pragma unroll
            for (int c = 0; c < PART; c++)
                if (r < part && c < part) sums[r][c] = multiply_add(left[r], right[c], sums[r][c]);
        }
    }
}

inline void store_part(__local scalar *to, int part, scalar sign, scalar sums[PART][PART])
{
    const int row = get_local_id(0) / EDGE, column = get_local_id(0) % EDGE;
    #pragma unroll
    for (int r = 0; r < PART; r++) {
        #pragma unroll
        for (int c = 0; c < PART; c++)
            if (r < part && c < part) to[(row + r * EDGE) * PITCH + column + c * EDGE] = multiply(sign, sums[r][c]);
    }
}

__kernel __attribute__((reqd_work_group_size(THREADS, 1, 1))) void trsm_invert(
    long n, int unit, __global const scalar *restrict a, long a_offset, long a_row_stride, long a_column_stride,
    int a_conjugate, __global scalar *restrict inverse, long block)
{
    // A's elements, replaced step by step by those of the inverse. Zeros are above the diagonal, and the identity is
    // behind the matrix.
    __local scalar tile[BASE * PITCH];
    const int item = get_local_id(0);
    const long first = (long)get_group_id(0) * BASE;
    const int size = (int)min((long)BASE, n - first);
    a += a_offset + first * (a_row_stride + a_column_stride);
    #pragma unroll 4
    for (int e = item; e < BASE * BASE; e += THREADS) {
        // Neighbouring work-items read neighbouring elements.
        const int i = a_row_stride == 1 ? e % BASE : e / BASE, k = a_row_stride == 1 ? e / BASE : e % BASE;
        scalar value = i == k ? SCALAR_ONE : SCALAR_ZERO;
        if (i < size && (k < i || (k == i && !unit))) {
            value = a[i * a_row_stride + k * a_column_stride];
            value = conjugate_if(a_conjugate, value);
            if (k == i) value = reciprocal_of(value);
        }
        tile[i * PITCH + k] = value;
    }
    barrier(CLK_LOCAL_MEM_FENCE);

    for (int from = 0; from < BASE; from += THREADS) {
        const int own = from + item, column = own % SEED;
        __local scalar *seed = tile + own / SEED * SEED * (PITCH + 1);
        scalar x[SEED];
        if (own < BASE) solve_column(x, column, seed);
        barrier(CLK_LOCAL_MEM_FENCE);
        if (own < BASE) {
            #pragma unroll
            for (int i = 0; i < SEED; i++)
                if (i >= column) seed[i * PITCH + column] = x[i];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }

    // With L = [L11 0; L21 L22] the inverse has -inv(L22) L21 inv(L11) below its diagonal.
    #pragma unroll
    for (int join = 0; join < JOINS; join++) {
        const int rows = SEED << join, part = rows / EDGE;
        for (int pair = 0; pair < BASE; pair += 2 * rows) {
            __local scalar *upper = tile + pair * (PITCH + 1), *below = upper + rows * PITCH, *lower = below + rows;
            scalar sums[PART][PART];
            multiply_part(sums, part, rows, below, upper);
            barrier(CLK_LOCAL_MEM_FENCE);
            store_part(below, part, SCALAR_ONE, sums);
            barrier(CLK_LOCAL_MEM_FENCE);
            multiply_part(sums, part, rows, lower, below);
            barrier(CLK_LOCAL_MEM_FENCE);
            store_part(below, part, -SCALAR_ONE, sums);
            barrier(CLK_LOCAL_MEM_FENCE);
        }
    }

    inverse += first * (block + 1);
    for (int e = item; e < size * BASE; e += THREADS)
        if (e % BASE < size) inverse[e / BASE * block + e % BASE] = tile[e / BASE * PITCH + e % BASE];
    const long zeros = min(block, n - first / block * block) - first % block - BASE;
    for (long e = item; e < size * zeros; e += THREADS) inverse[e / zeros * block + BASE + e % zeros] = SCALAR_ZERO;
}

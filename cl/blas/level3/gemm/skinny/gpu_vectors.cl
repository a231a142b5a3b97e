// C := alpha*A*B + beta*C on a GPU for a C of few columns (at most COLUMNS): A is streamed once, in vectors of up to 16
// bytes. A work-group takes some rows and a part of k.

// Work-items of a group.
#ifndef THREADS
#define THREADS 128
#endif

// Columns of C, at most.
#ifndef COLUMNS
#define COLUMNS 4
#endif

// Elements of A loaded at once: they are aligned, and rows or, in gemm_skinny_depth, k are a multiple of it.
#ifndef VECTOR
#define VECTOR 4
#endif

// Vectors of a row that a work-item has on their way.
#ifndef STEPS
#define STEPS 4
#endif

// Rows of a group, in gemm_skinny_rows.
#ifndef GROUP_ROWS
#define GROUP_ROWS 128
#endif

// Rows of 32 work-items, in gemm_skinny_depth.
#ifndef WARP_ROWS
#define WARP_ROWS 2
#endif

#include "blas/level3/gemm/skinny/streamed.cl"

#define UNROLL _Pragma("unroll")

#define ARGUMENTS                                                                                                  \
    long m, long n, long k, scalar alpha,                                                                          \
    __global const streamed *restrict a, long a_offset, long a_row_stride, long a_column_stride, int a_conjugate,  \
    __global const scalar *restrict b, long b_offset, long b_row_stride, long b_column_stride, int b_conjugate,    \
    scalar beta, __global scalar *restrict c, long c_offset, long c_row_stride, long c_column_stride, long part_k, \
    long part_stride

#define SCALAR_BYTES ((SCALAR_IS_DOUBLE ? 8 : 4) * (SCALAR_IS_COMPLEX ? 2 : 1))

// Elements that are loaded at once.
typedef struct {
    scalar element[VECTOR];
} elements;

inline elements load_scalars(__global const scalar *from)
{
    elements to;
#if VECTOR * SCALAR_BYTES == 16
    const uint4 x = *(__global const uint4 *)from;
#if SCALAR_BYTES == 16
    to.element[0] = as_double2(x);
#elif SCALAR_IS_COMPLEX
    to.element[0] = as_float2(x.xy);
    to.element[1] = as_float2(x.zw);
#elif SCALAR_IS_DOUBLE
    to.element[0] = as_double(x.xy);
    to.element[1] = as_double(x.zw);
#else
    to.element[0] = as_float(x.x);
    to.element[1] = as_float(x.y);
    to.element[2] = as_float(x.z);
    to.element[3] = as_float(x.w);
#endif
#else
    UNROLL
    for (int i = 0; i < VECTOR; i++) to.element[i] = from[i];
#endif
    return to;
}

#if A_IS_FP16
inline elements load_elements(__global const half *from)
{
    elements to;
#if VECTOR == 4
    vstore4(vloada_half4(0, from), 0, to.element);
#else
    UNROLL
    for (int i = 0; i < VECTOR; i++) to.element[i] = vload_half(i, from);
#endif
    return to;
}
#else
#define load_elements(from) load_scalars(from)
#endif

// A is contiguous along m: LANES work-items have VECTOR rows each, and the others the same rows at other values of k. B
// goes through local memory, from which work-items with the same k read the same element at a time.
#define LANES (GROUP_ROWS / VECTOR)
#define SPLITS (THREADS / LANES)
#define SLICE (SPLITS * STEPS)
// B's slice row by row, whose elements are stored 16 bytes on, in other banks.
#define PITCH (COLUMNS < 4 ? COLUMNS : COLUMNS + 16 / SCALAR_BYTES)
#define ACC_SIZE (THREADS * VECTOR * COLUMNS)
#define SHARED_SIZE (SLICE * PITCH > ACC_SIZE ? SLICE * PITCH : ACC_SIZE)

__kernel __attribute__((reqd_work_group_size(THREADS, 1, 1))) void gemm_skinny_rows(ARGUMENTS)
{
    __local scalar shared[SHARED_SIZE] __attribute__((aligned(16)));
    const int item = get_local_id(0), lane = item % LANES, split = item / LANES;
    const long first_row = get_group_id(0) * GROUP_ROWS, row = first_row + lane * VECTOR;
    const long k_begin = get_group_id(1) * part_k, k_end = min(k, k_begin + part_k);
    __global const streamed *from = a + a_offset + min(row, m - VECTOR) * a_row_stride
        + (k_begin + split) * a_column_stride;
    const bool along = b_row_stride == 1;
    scalar acc[VECTOR][COLUMNS];
    UNROLL
    for (int i = 0; i < VECTOR; i++)
        UNROLL
        for (int j = 0; j < COLUMNS; j++) acc[i][j] = SCALAR_ZERO;
    for (long at = k_begin; at < k_end; at += SLICE) {
        elements x[STEPS];
        if (at + SLICE <= k_end) {
            UNROLL
            for (int s = 0; s < STEPS; s++) x[s] = load_elements(from + s * SPLITS * a_column_stride);
        } else {
            UNROLL
            for (int s = 0; s < STEPS; s++) {
                UNROLL
                for (int i = 0; i < VECTOR; i++) x[s].element[i] = SCALAR_ZERO;
                if (at + s * SPLITS + split < k_end) x[s] = load_elements(from + s * SPLITS * a_column_stride);
            }
        }
        from += SLICE * a_column_stride;
        barrier(CLK_LOCAL_MEM_FENCE); // the slice before has been read
        for (int e = item; e < SLICE * COLUMNS; e += THREADS) {
            const int p = along ? e % SLICE : e / COLUMNS, j = along ? e / SLICE : e % COLUMNS;
            scalar value = SCALAR_ZERO;
            if (at + p < k_end) value = b[b_offset + (at + p) * b_row_stride + min((long)j, n - 1) * b_column_stride];
            shared[p * PITCH + j] = conjugate_if(b_conjugate, value);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        UNROLL
        for (int s = 0; s < STEPS; s++)
            UNROLL
            for (int j = 0; j < COLUMNS; j++) {
                const scalar y = shared[(s * SPLITS + split) * PITCH + j];
                UNROLL
                for (int i = 0; i < VECTOR; i++)
                    acc[i][j] = multiply_add(conjugate_if(a_conjugate, x[s].element[i]), y, acc[i][j]);
            }
    }
    c += c_offset + get_group_id(1) * part_stride;
    barrier(CLK_LOCAL_MEM_FENCE);
    UNROLL
    for (int j = 0; j < COLUMNS; j++)
        UNROLL
        for (int i = 0; i < VECTOR; i++) shared[(j * SPLITS + split) * GROUP_ROWS + lane * VECTOR + i] = acc[i][j];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int e = item; e < GROUP_ROWS * COLUMNS; e += THREADS) {
        const int i = e % GROUP_ROWS, j = e / GROUP_ROWS;
        scalar total = SCALAR_ZERO;
        UNROLL
        for (int s = 0; s < SPLITS; s++) total += shared[(j * SPLITS + s) * GROUP_ROWS + i];
        if (first_row + i < m && j < n) {
            __global scalar *element = c + (first_row + i) * c_row_stride + j * c_column_stride;
            *element = accumulate(scale_by(alpha, total), beta, element);
        }
    }
}

// A and B are contiguous along k: the 32 work-items of a warp walk along WARP_ROWS rows of A together, and add up their
// accumulators in local memory, always in the same order.
#define WARPS (THREADS / 32)
#define ACC_AT_ONCE (WARP_ROWS * COLUMNS < 8 ? WARP_ROWS * COLUMNS : 8)

__kernel __attribute__((reqd_work_group_size(THREADS, 1, 1))) void gemm_skinny_depth(ARGUMENTS)
{
    __local scalar shared[ACC_AT_ONCE * THREADS];
    const int item = get_local_id(0), lane = item % 32, warp = item / 32;
    const long first_row = get_group_id(0) * (WARPS * WARP_ROWS), row = first_row + warp * WARP_ROWS;
    const long k_begin = get_group_id(1) * part_k, k_end = min(k, k_begin + part_k);
    __global const streamed *a_row[WARP_ROWS];
    __global const scalar *b_column[COLUMNS];
    scalar acc[WARP_ROWS * COLUMNS];
    UNROLL
    for (int i = 0; i < WARP_ROWS; i++) a_row[i] = a + a_offset + min(row + i, m - 1) * a_row_stride;
    UNROLL
    for (int j = 0; j < COLUMNS; j++) b_column[j] = b + b_offset + min((long)j, n - 1) * b_column_stride;
    UNROLL
    for (int q = 0; q < WARP_ROWS * COLUMNS; q++) acc[q] = SCALAR_ZERO;

    long p = k_begin + lane * VECTOR;
    for (; p + (STEPS - 1) * 32 * VECTOR + VECTOR <= k_end; p += STEPS * 32 * VECTOR) {
        elements x[STEPS][WARP_ROWS];
        UNROLL
        for (int s = 0; s < STEPS; s++)
            UNROLL
            for (int i = 0; i < WARP_ROWS; i++) x[s][i] = load_elements(a_row[i] + p + s * 32 * VECTOR);
        UNROLL
        for (int s = 0; s < STEPS; s++) {
            UNROLL
            for (int j = 0; j < COLUMNS; j++) {
                const elements y = load_scalars(b_column[j] + p + s * 32 * VECTOR);
                UNROLL
                for (int e = 0; e < VECTOR; e++) {
                    UNROLL
                    for (int i = 0; i < WARP_ROWS; i++)
                        acc[i * COLUMNS + j] = multiply_add(conjugate_if(a_conjugate, x[s][i].element[e]),
                            conjugate_if(b_conjugate, y.element[e]), acc[i * COLUMNS + j]);
                }
            }
        }
    }
    for (; p < k_end; p += 32 * VECTOR) {
        elements x[WARP_ROWS];
        UNROLL
        for (int i = 0; i < WARP_ROWS; i++) x[i] = load_elements(a_row[i] + p);
        UNROLL
        for (int j = 0; j < COLUMNS; j++) {
            const elements y = load_scalars(b_column[j] + p);
            UNROLL
            for (int e = 0; e < VECTOR; e++) {
                UNROLL
                for (int i = 0; i < WARP_ROWS; i++)
                    acc[i * COLUMNS + j] = multiply_add(conjugate_if(a_conjugate, x[i].element[e]),
                        conjugate_if(b_conjugate, y.element[e]), acc[i * COLUMNS + j]);
            }
        }
    }

    c += c_offset + get_group_id(1) * part_stride;
    UNROLL
    for (int first = 0; first < WARP_ROWS * COLUMNS; first += ACC_AT_ONCE) {
        barrier(CLK_LOCAL_MEM_FENCE);
        UNROLL
        for (int q = 0; q < ACC_AT_ONCE; q++) shared[q * THREADS + item] = acc[first + q];
        barrier(CLK_LOCAL_MEM_FENCE);
        // Accumulator q of each warp is one work-item's.
        for (int e = item; e < ACC_AT_ONCE * WARPS; e += THREADS) {
            const int q = e / WARPS, w = e % WARPS;
            scalar total = SCALAR_ZERO;
            UNROLL
            for (int l = 0; l < 32; l++) total += shared[q * THREADS + w * 32 + (l + w) % 32];
            const long to_row = first_row + w * WARP_ROWS + (first + q) / COLUMNS, to_column = (first + q) % COLUMNS;
            if (to_row < m && to_column < n) {
                __global scalar *element = c + to_row * c_row_stride + to_column * c_column_stride;
                *element = accumulate(scale_by(alpha, total), beta, element);
            }
        }
    }
}

// Strips: the last rows and columns of C, where they are few, are left out of the tiles. Work-groups of the same launch
// compute them by multiply-adds. There is little to multiply: copies set the time, of which as many are on their way as
// local memory holds.
//
// A strip has `many` lines, a quarter of a side of a tile, of the one operand, by up to STRIP lines of the other: so
// few that the last strips do not take long. Elements are multiplied as they are, without a split.
#pragma once

// Lines of the other operand in a strip. 0: there are no strips.
#ifndef STRIP
#define STRIP 0
#endif

// Slices of an operand in local memory.
#ifndef STAGES
#define STAGES 3
#endif

// A is contiguous along m, not along k.
#ifndef A_ALONG_M
#define A_ALONG_M 1
#endif

// B is contiguous along n, not along k.
#ifndef B_ALONG_N
#define B_ALONG_N 0
#endif

#include "blas/level3/gemm/tensor/tile.cl"

#if STRIP
#define strip_lines(tile) ((tile) / 4)
// Work-items of a line, which have different parts of k.
#define strip_splits(many) (THREADS / (many))

// A slice: by k where lines are next to each other in memory, or else line by line, with a chunk more for each so that
// neighbours read from different banks. Behind it the other operand's slice, line by line.
#define STRIP_MANY strip_lines(TILE_M > TILE_N ? TILE_M : TILE_N)
#define STRIP_K (4 * TILE_K)
#define STRIP_PITCH (STRIP_K + CHUNK)
#define STRIP_SLICE (STRIP_MANY * STRIP_PITCH + STRIP * STRIP_K)
#define STRIP_STAGES (STAGES * (TILE_M + TILE_N) * TILE_K / STRIP_SLICE)
#if STRIP_STAGES < 2
#error A strip needs slices for two slices.
#endif
#define index_in_strip(many, across, line, p) ((across) ? (p) * (many) + (line) : (line) * STRIP_PITCH + (p))

// Some lines of an operand, from a first one on.
typedef struct {
    __global const scalar *x;
    long line_stride, k_stride;
    int count, conjugate;
} strip_operand;

// Begins to copy a slice at `at` along k, with zeros beyond the ends: chunks where they are aligned, or else elements.
inline void copy_strip_slice(const int many, const bool across, const int width, const strip_operand *x,
                             const strip_operand *y, long at, long k_count, __local scalar *to, int item)
{
    const int size = width == 16 ? CHUNK : 1, per_line = (across ? many : STRIP_K) / size;
    const int left = (int)min(k_count - at, (long)STRIP_K);
    UNROLL
    for (int i = 0; i < (many * STRIP_K / size + THREADS - 1) / THREADS; i++) {
        const int number = item + i * THREADS, first = number % per_line * size;
        const int line = across ? first : number / per_line, p = across ? number / per_line : first;
        const int count = across ? (p < left ? x->count - line : 0) : line < x->count ? left - p : 0;
        __local scalar *target = to + index_in_strip(many, across, line, p);
        __global const scalar *from = count > 0 ? x->x + line * x->line_stride + (at + p) * x->k_stride : x->x;
        if (many * STRIP_K / size % THREADS == 0 || number < many * STRIP_K / size) {
            if (size == 1)
                copy_element(target, from, count > 0);
            else
                copy_chunk(16, (__local chunk *)target, from, clamp(count, 0, CHUNK) * (int)sizeof(scalar));
        }
    }
    UNROLL
    for (int i = 0; i < (STRIP * STRIP_K + THREADS - 1) / THREADS; i++) {
        const int number = item + i * THREADS, line = number / STRIP_K, p = number % STRIP_K;
        const bool is_there = line < y->count && p < left;
        if (number < STRIP * STRIP_K)
            copy_element(to + STRIP_MANY * STRIP_PITCH + number,
                         is_there ? y->x + line * y->line_stride + (at + p) * y->k_stride : y->x, is_there);
    }
    commit_copies();
}

// C := alpha*acc + beta*C for a strip, whose element (line of x, line of y) is at c + line_of_x*x_stride +
// line_of_y*y_stride.
inline void compute_strip(const int many, const bool across, const int width, const strip_operand *x,
                          const strip_operand *y, long k_count, scalar alpha, scalar beta, __global scalar *restrict c,
                          long x_stride, long y_stride, __local scalar *slices, int item)
{
    const int splits = strip_splits(many), own_line = item % many, own_split = item / many;
    scalar acc[STRIP];
    UNROLL
    for (int r = 0; r < STRIP; r++) acc[r] = SCALAR_ZERO;
    UNROLL
    for (int first = 0; first < STRIP_STAGES - 1; first++)
        copy_strip_slice(many, across, width, x, y, (long)first * STRIP_K, k_count, slices + first * STRIP_SLICE, item);
    int stage = 0, next = STRIP_STAGES - 1;
    for (long at = 0; at < k_count; at += STRIP_K) {
        wait_for_copies(STRIP_STAGES - 2);
        barrier(CLK_LOCAL_MEM_FENCE);
        copy_strip_slice(many, across, width, x, y, at + (STRIP_STAGES - 1) * STRIP_K, k_count,
                         slices + next * STRIP_SLICE, item);
        __local const scalar *x_slice = slices + stage * STRIP_SLICE, *y_slice = x_slice + STRIP_MANY * STRIP_PITCH;
        UNROLL
        for (int q = 0; q < STRIP_K / CHUNK / splits; q++) {
            const int p = (q * splits + own_split) * CHUNK;
            scalar values[STRIP][CHUNK], elements[CHUNK];
            UNROLL
            for (int r = 0; r < STRIP; r++) unpack(*(__local const chunk *)(y_slice + r * STRIP_K + p), values[r], 1);
            if (across) {
                UNROLL
                for (int e = 0; e < CHUNK; e++) elements[e] = x_slice[(p + e) * many + own_line];
            } else {
                unpack(*(__local const chunk *)(x_slice + own_line * STRIP_PITCH + p), elements, 1);
            }
            UNROLL
            for (int e = 0; e < CHUNK; e++)
                UNROLL
                for (int r = 0; r < STRIP; r++)
                    acc[r] = multiply_add(conjugate_if(y->conjugate, values[r][e]),
                                          conjugate_if(x->conjugate, elements[e]), acc[r]);
        }
        next = stage;
        stage = stage + 1 == STRIP_STAGES ? 0 : stage + 1;
    }
    // The accumulators of a line's work-items are added in the same order in every run.
    wait_for_copies(0);
    barrier(CLK_LOCAL_MEM_FENCE);
    UNROLL
    for (int r = 0; r < STRIP; r++)
        if (own_split > 0) slices[(r * (splits - 1) + own_split - 1) * many + own_line] = acc[r];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (own_split > 0 || own_line >= x->count) return;
    UNROLL
    for (int r = 0; r < STRIP; r++) {
        for (int d = 0; d < splits - 1; d++) acc[r] += slices[(r * (splits - 1) + d) * many + own_line];
        __global scalar *to = c + own_line * x_stride + r * y_stride;
        if (r < y->count) *to = target_value(acc[r], alpha, beta, to, false);
    }
}

// Computes the strip of a number: first those of the last rows, over all columns of C, then those of the last columns.
// The tiles have m x n of all all_m x all_n elements.
#define COMPUTE_STRIP(number, slices)                                                                              \
    {                                                                                                              \
        const long of_rows = all_m > m ? (all_n + strip_lines(TILE_N) - 1) / strip_lines(TILE_N) : 0;              \
        if ((number) < of_rows) {                                                                                  \
            const long column = (number) * strip_lines(TILE_N);                                                    \
            const strip_operand x = {b + b_offset + column * b_column_stride, b_column_stride, b_row_stride,       \
                                     min(all_n - column, (long)strip_lines(TILE_N)), b_conjugate};                 \
            const strip_operand y = {a + a_offset + m * a_row_stride, a_row_stride, a_column_stride, all_m - m,    \
                                     a_conjugate};                                                                 \
            compute_strip(strip_lines(TILE_N), B_ALONG_N, COPY_B, &x, &y, k, alpha, beta,                          \
                          c + c_offset + m + column * c_column_stride, c_column_stride, 1, slices, item);          \
        } else {                                                                                                   \
            const long row = ((number) - of_rows) * strip_lines(TILE_M);                                           \
            const strip_operand x = {a + a_offset + row * a_row_stride, a_row_stride, a_column_stride,             \
                                     min(m - row, (long)strip_lines(TILE_M)), a_conjugate};                        \
            const strip_operand y = {b + b_offset + n * b_column_stride, b_column_stride, b_row_stride, all_n - n, \
                                     b_conjugate};                                                                 \
            compute_strip(strip_lines(TILE_M), A_ALONG_M, COPY_A, &x, &y, k, alpha, beta,                          \
                          c + c_offset + row + n * c_column_stride, 1, c_column_stride, slices, item);             \
        }                                                                                                          \
    }
#endif

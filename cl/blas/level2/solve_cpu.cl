// x := inv(op(A)) x for a triangle A, full, band or packed, on a CPU: wide vectors along A's columns.
//
// Blocks of BLOCK unknowns have numbers in the order of substitution. Launch `first` solves for block `first`.
// Work-item g takes block first + g and subtracts the product of A with the block of the launch before. Then work-item
// 0 solves. A launch with a single work-item may do `count` blocks one after the other.

// op(A) is stored by rows.
#ifndef TRANSPOSED
#define TRANSPOSED 0
#endif

// Unknowns of a block.
#ifndef BLOCK
#define BLOCK 64
#endif

#include "common/divide.cl"
#include "common/stored.cl"
#include "common/vectors.cl"

// Elements in a vector.
#define WIDTH (VECTOR_WIDTH / PARTS)
// Columns of A that are walked at a time.
#define TOGETHER 4

#if TRANSPOSED
#define element_index(i, j) (column_start(i) + (j))
#else
#define element_index(i, j) (column_start(j) + (i))
#endif

inline real sum_of(vector v, int first, int step)
{
    real part[VECTOR_WIDTH], total = 0;
    store_vector(v, part);
    for (int i = first; i < VECTOR_WIDTH; i += step) total += part[i];
    return total;
}

#if TRANSPOSED
// other[c] -= sum of column[c][i] line[i], for i from begin to end and each of `count` columns.
// Always inlined: `count` is a constant then, and loops over it are unrolled.
static inline __attribute__((always_inline)) void strip(const int count, __global const scalar **column, int conjugate,
                                                        int begin, int end, const scalar *line, scalar *other)
{
    vector sum[TOGETHER][PARTS];
    #pragma unroll
    for (int c = 0; c < count; c++)
        #pragma unroll
        for (int q = 0; q < PARTS; q++) sum[c][q] = (vector)(0);
    int i = begin;
    for (; i + WIDTH <= end; i += WIDTH) {
        const vector v = load_vector((const real *)(line + i));
        #pragma unroll
        for (int c = 0; c < count; c++) {
            const vector w = load_vector((__global const real *)(column[c] + i));
            sum[c][0] = real_multiply_add(w, v, sum[c][0]);
#if SCALAR_IS_COMPLEX
            sum[c][1] = real_multiply_add(w, swap_parts(v), sum[c][1]);
#endif
        }
    }
    #pragma unroll
    for (int c = 0; c < count; c++) {
#if SCALAR_IS_COMPLEX
        // The first sum holds (re re, im im), the second (re im, im re), the factor of A first.
        const real sign = conjugate ? -1 : 1;
        scalar total = (scalar)(sum_of(sum[c][0], 0, 2) - sign * sum_of(sum[c][0], 1, 2),
                                sum_of(sum[c][1], 0, 2) + sign * sum_of(sum[c][1], 1, 2));
#else
        scalar total = sum_of(sum[c][0], 0, 1);
#endif
        for (int rest = i; rest < end; rest++)
            total = multiply_add(conjugate_if(conjugate, column[c][rest]), line[rest], total);
        other[c] -= total;
    }
}
#else
// line[i] -= sum of column[c][i] other[c] over `count` columns, for i from begin to end.
// Always inlined, as above.
static inline __attribute__((always_inline)) void strip(const int count, __global const scalar **column, int conjugate,
                                                        int begin, int end, scalar *line, const scalar *other)
{
    vector straight[TOGETHER];
#if SCALAR_IS_COMPLEX
    vector crossed[TOGETHER];
#endif
    #pragma unroll
    for (int c = 0; c < count; c++) {
#if SCALAR_IS_COMPLEX
        const scalar f = other[c];
        straight[c] = every_element((scalar)(-f.x, conjugate ? f.x : -f.x));
        crossed[c] = every_element((scalar)(conjugate ? -f.y : f.y, -f.y));
#else
        straight[c] = (vector)(-other[c]);
#endif
    }
    int i = begin;
    for (; i + WIDTH <= end; i += WIDTH) {
        vector v = load_vector((const real *)(line + i));
        #pragma unroll
        for (int c = 0; c < count; c++) {
            const vector w = load_vector((__global const real *)(column[c] + i));
            v = real_multiply_add(straight[c], w, v);
#if SCALAR_IS_COMPLEX
            v = real_multiply_add(crossed[c], swap_parts(w), v);
#endif
        }
        store_vector(v, (real *)(line + i));
    }
    for (; i < end; i++) {
        scalar v = line[i];
        for (int c = 0; c < count; c++) v = multiply_add(-conjugate_if(conjugate, column[c][i]), other[c], v);
        line[i] = v;
    }
}
#endif

// The strips of `columns` columns from column j on, in rows base + begin to base + end where these are stored. line[i]
// belongs to row base + i, other[c] to column j + c.
inline void strips(STORED_PARAMETERS, __global const scalar *a, int conjugate, long j, int columns, long base,
                   int begin, int end, scalar *line, scalar *other)
{
    int c = 0;
    while (c < columns) {
        const int together = c + TOGETHER <= columns ? TOGETHER : 1;
        __global const scalar *column[TOGETHER];
        int from[TOGETHER], to[TOGETHER], common_from = begin, common_to = end;
        for (int d = 0; d < together; d++) {
            const long at = j + c + d;
            column[d] = a + column_start(at) + base;
            from[d] = (int)max((long)begin, at - above - base);
            to[d] = (int)min((long)end, at + below + 1 - base);
            common_from = max(common_from, from[d]);
            common_to = min(common_to, to[d]);
        }
        // Rows stored in all columns are done together, the rest column by column.
        const bool shared = together == TOGETHER && common_from < common_to;
        if (shared) strip(TOGETHER, column, conjugate, common_from, common_to, line, other + c);
        for (int d = 0; d < together; d++) {
            const int middle_from = shared ? common_from : to[d], middle_to = shared ? common_to : to[d];
            if (from[d] < middle_from) strip(1, column + d, conjugate, from[d], middle_from, line, other + c + d);
            if (middle_to < to[d]) strip(1, column + d, conjugate, middle_to, to[d], line, other + c + d);
        }
        c += together;
    }
}

__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void solve(
    long n, STORED_PARAMETERS, int forward, int conjugate, int unit,
    __global const scalar *restrict a, long a_offset, __global scalar *x, long x_first, long x_step, long first,
    long count)
{
    const long reach = above + below;
    scalar y[BLOCK], known[BLOCK];
    a += a_offset;
    x += x_first;
    for (long block = first; block < first + count; block++) {
        const long before = (block + (long)get_group_id(0)) * BLOCK;
        const int rows = (int)min((long)BLOCK, n - before);
        const long base = forward ? before : n - before - rows;
        for (int i = 0; i < rows; i++) y[i] = x[(base + i) * x_step];
        if (block > 0) {
            const long panel = forward ? (block - 1) * BLOCK : n - block * BLOCK;
            for (int i = 0; i < BLOCK; i++) known[i] = x[(panel + i) * x_step];
#if TRANSPOSED
            strips(shift, linear, quadratic, above, below, a, conjugate, base, rows, panel, 0, BLOCK, known, y);
#else
            strips(shift, linear, quadratic, above, below, a, conjugate, panel, BLOCK, base, 0, rows, y, known);
#endif
        }
        for (int done = 0; get_group_id(0) == 0 && done < rows; done += TOGETHER) {
            // The next unknowns are elements c to c + m of y.
            const int m = min(TOGETHER, rows - done), c = forward ? done : rows - done - m;
#if TRANSPOSED
            strips(shift, linear, quadratic, above, below, a, conjugate, base + c, m, base, forward ? 0 : c + m,
                   forward ? c : rows, y, y + c);
#endif
            for (int s = 0; s < m; s++) {
                const int i = forward ? c + s : c + m - 1 - s;
                scalar sum = y[i];
                for (int t = 0; t < s; t++) {
                    const int k = forward ? c + t : c + m - 1 - t;
                    if (s - t <= reach)
                        sum = multiply_add(-conjugate_if(conjugate, a[element_index(base + i, base + k)]), y[k], sum);
                }
                // Zero is not divided, as in the reference.
                y[i] = unit || is_zero(sum) ? sum : divide(sum,
                                                         conjugate_if(conjugate, a[element_index(base + i, base + i)]));
            }
#if !TRANSPOSED
            strips(shift, linear, quadratic, above, below, a, conjugate, base + c, m, base, forward ? c + m : 0,
                   forward ? rows : c, y, y + c);
#endif
        }
        for (int i = 0; i < rows; i++) x[(base + i) * x_step] = y[i];
    }
}

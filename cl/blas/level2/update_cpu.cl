// Rank-1 update A := A + alpha x y^T, or with RANK 2 A := A + alpha x y^T + beta y x^T, on the stored elements of A, on
// a CPU: wide vectors down the columns. Factors of rows or those of columns may be conjugated, and the imaginary part
// of the diagonal may be set to 0.

// 1 or 2.
#ifndef RANK
#define RANK 1
#endif

// Rows whose factors are gathered at a time: they stay in a core's own caches.
#ifndef TILE
#define TILE 1024
#endif

#include "common/stored.cl"
#include "common/vectors.cl"

// Elements in a vector.
#define WIDTH (VECTOR_WIDTH / PARTS)
// Columns that are walked at a time: what belongs to rows is loaded once for all of them.
#define TOGETHER (SCALAR_IS_COMPLEX && RANK == 2 ? 2 : 4)

// column[c][i] += factor[c][0] of_row[0][i] (+ factor[c][1] of_row[1][i]) for i from begin to end and each of `count`
// columns.
// Always inlined: `count` is a constant then, and loops over it are unrolled.
static inline __attribute__((always_inline)) void update_strip(
    const int count, __global scalar **column, scalar of_row[RANK][TILE], scalar factor[TOGETHER][RANK], int begin,
    int end)
{
    vector straight[TOGETHER][RANK];
#if SCALAR_IS_COMPLEX
    vector crossed[TOGETHER][RANK];
#endif
    #pragma unroll
    for (int c = 0; c < count; c++)
        #pragma unroll
        for (int t = 0; t < RANK; t++) {
#if SCALAR_IS_COMPLEX
            const scalar f = factor[c][t];
            straight[c][t] = (vector)(f.x);
            crossed[c][t] = every_element((scalar)(-f.y, f.y));
#else
            straight[c][t] = (vector)(factor[c][t]);
#endif
        }
    int i = begin;
    for (; i + WIDTH <= end; i += WIDTH) {
        vector v[RANK];
        #pragma unroll
        for (int t = 0; t < RANK; t++) v[t] = load_vector((const real *)(of_row[t] + i));
        #pragma unroll
        for (int c = 0; c < count; c++) {
            __global real *target = (__global real *)(column[c] + i);
            vector sum = load_vector(target);
            #pragma unroll
            for (int t = 0; t < RANK; t++) {
                sum = real_multiply_add(straight[c][t], v[t], sum);
#if SCALAR_IS_COMPLEX
                sum = real_multiply_add(crossed[c][t], swap_parts(v[t]), sum);
#endif
            }
            store_vector(sum, target);
        }
    }
    for (; i < end; i++)
        for (int c = 0; c < count; c++) {
            scalar sum = column[c][i];
            for (int t = 0; t < RANK; t++) sum = multiply_add(of_row[t][i], factor[c][t], sum);
            column[c][i] = sum;
        }
}

// Work-item (g, p) takes run g of the columns and, counted from the last one, run g again, so that in a triangle all
// work-items have as much to do; and part p of the rows.
__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void update(
    long rows, long columns, STORED_PARAMETERS, __global scalar *restrict a, long a_offset,
    scalar alpha, scalar beta,
    __global const scalar *restrict x, long x_first, long x_step,
    __global const scalar *restrict y, long y_first, long y_step,
    int conjugate_rows, int conjugate_columns, int real_diagonal, long run, long part_rows)
{
    const long part_begin = get_group_id(1) * part_rows, part_end = min(rows, part_begin + part_rows);
    scalar of_row[RANK][TILE];
    a += a_offset;
    x += x_first;
    y += y_first;
    for (int half_index = 0; half_index < 2; half_index++) {
        const long g = half_index == 0 ? (long)get_group_id(0)
            : 2 * (long)get_num_groups(0) - 1 - (long)get_group_id(0);
        const long column_begin = g * run, column_end = min(columns, column_begin + run);
        // The rows in which some of these columns are stored.
        const long row_begin = max(part_begin, column_begin - above), row_end = min(part_end, column_end + below);
        if (column_begin >= column_end) continue;
        for (long tile = row_begin; tile < row_end; tile += TILE) {
            const long tile_end = min(row_end, tile + TILE);
            for (long i = tile; i < tile_end; i++) {
                of_row[0][i - tile] = conjugate_if(conjugate_rows, x[i * x_step]);
#if RANK == 2
                of_row[1][i - tile] = conjugate_if(conjugate_rows, y[i * y_step]);
#endif
            }
            for (long j = column_begin; j < column_end;) {
                const int together = j + TOGETHER <= column_end ? TOGETHER : 1;
                __global scalar *column[TOGETHER];
                scalar factor[TOGETHER][RANK];
                int begin[TOGETHER], end[TOGETHER], common_begin = 0, common_end = TILE;
                for (int c = 0; c < together; c++) {
                    const long at = j + c;
                    column[c] = a + column_start(at) + tile;
                    factor[c][0] = scale_by(alpha, conjugate_if(conjugate_columns, y[at * y_step]));
#if RANK == 2
                    factor[c][1] = scale_by(beta, conjugate_if(conjugate_columns, x[at * x_step]));
#endif
                    begin[c] = (int)(max(tile, at - above) - tile);
                    end[c] = (int)(min(tile_end, at + below + 1) - tile);
                    common_begin = max(common_begin, begin[c]);
                    common_end = min(common_end, end[c]);
                }
                // Rows stored in all columns are done together, the rest column by column.
                const bool shared = together == TOGETHER && common_begin < common_end;
                if (shared) update_strip(TOGETHER, column, of_row, factor, common_begin, common_end);
                for (int c = 0; c < together; c++) {
                    const int middle_begin = shared ? common_begin : end[c], middle_end = shared ? common_end : end[c];
                    if (begin[c] < middle_begin) update_strip(1, column + c, of_row, factor + c, begin[c],
                                                              middle_begin);
                    if (middle_end < end[c]) update_strip(1, column + c, of_row, factor + c, middle_end, end[c]);
#if SCALAR_IS_COMPLEX
                    const long diagonal = j + c - tile;
                    if (real_diagonal && diagonal >= begin[c] && diagonal < end[c]) column[c][diagonal].y = 0;
#endif
                }
                j += together;
            }
        }
    }
}

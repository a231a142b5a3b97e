// op(A) X = B with gbtrf's factors of each band matrix of a batch (LAPACK: xGBTRS). A team has a column of B. A pivot
// that is no row of its step is skipped. Where `guarded`, matrices whose info is not 0 have no solution: B stays.
#pragma once

#include "lapack/batched/band.cl"

// The factors of a matrix, and a column of B.
typedef struct {
    __global const scalar *a;
    long row_stride, column_stride;
    int n, kl, ku;
    __global const int *pivots;
    __global scalar *b;
    long b_stride;
    int conjugated;
} system_type;

// The diagonal's element of column j. Elements of rows around it are row_stride apart.
inline __global const scalar *diagonal_of(const system_type *s, int j)
{
    return s->a + (s->kl + s->ku) * s->row_stride + j * s->column_stride;
}

#define element(s, diagonal, i) conjugate_if((s)->conjugated, (diagonal)[(i) * (s)->row_stride])
#define rows_below(s, j) min((s)->kl, (s)->n - 1 - (j))
#define first_above(s, j) max(0, (j) - (s)->kl - (s)->ku)

// The row that was interchanged with row j.
inline int interchanged(const system_type *s, int j)
{
    const long row = (long)s->pivots[j] - 1;
    return row > j && row <= j + rows_below(s, j) ? (int)row : j;
}

// The matrix and the column of a team, counted through the batch.
#define SYSTEM_PARAMETERS                                                                                             \
    int n, int kl, int ku, long columns, int conjugated, __global const scalar *ab, long ab_offset, long row_stride,  \
        long column_stride, __global const int *pivots, long pivot_offset, long pivot_stride, __global scalar *b,     \
        long b_offset, long b_row_stride, long b_column_stride, int guarded, __global const int *info,                \
        long info_offset, BATCH_PARAMETERS, long ab_spacing, long b_spacing

#define SYSTEM_OF(matrix, column)                                                                                     \
    {ab + ab_offset + offset_in_batch(matrix, ab_spacing), row_stride, column_stride, n, kl, ku,                      \
     pivots + pivot_offset + (matrix) * pivot_stride,                                                                 \
     b + b_offset + offset_in_batch(matrix, b_spacing) + (column) * b_column_stride, b_row_stride, conjugated}

#define FENCE CLK_GLOBAL_MEM_FENCE

// L X = P B: an interchange and an elimination for each column, and then U X = B.
__kernel GROUP_SIZE void gbtrs_batched(SYSTEM_PARAMETERS)
{
    const int lane = get_local_id(0) % TEAM;
    const long team = get_group_id(0) * TEAMS + get_local_id(0) / TEAM;
    const int exists = team < count * columns;
    const long matrix = exists ? team / columns : 0;
    const int is_system = exists && !(guarded && info[info_offset + matrix] != 0);
    const system_type s = SYSTEM_OF(matrix, exists ? team % columns : 0);
    scalar x = SCALAR_ZERO;
    for (int j = 0; kl > 0 && j < n - 1; j++) {
        scalar own = SCALAR_ZERO;
        int row = j;
        if (is_system) {
            row = interchanged(&s, j);
            own = s.b[j * b_row_stride];
            x = s.b[row * b_row_stride];
        }
        team_barrier(FENCE);
        if (is_system) {
            __global const scalar *diagonal = diagonal_of(&s, j);
            for (int i = 1 + lane; i <= rows_below(&s, j); i += TEAM) {
                __global scalar *target = s.b + (j + i) * b_row_stride;
                *target = multiply_add(-x, element(&s, diagonal, i), j + i == row ? own : *target);
            }
            if (lane == 0) s.b[j * b_row_stride] = x;
        }
        team_barrier(FENCE);
    }
    for (int j = n - 1; j >= 0; j--) {
        if (is_system) {
            __global const scalar *diagonal = diagonal_of(&s, j);
            x = divide(s.b[j * b_row_stride], element(&s, diagonal, 0));
            for (int i = first_above(&s, j) + lane; i < j; i += TEAM) {
                __global scalar *target = s.b + i * b_row_stride;
                *target = multiply_add(-x, element(&s, diagonal, i - j), *target);
            }
        }
        team_barrier(FENCE);
        if (is_system && lane == 0) s.b[j * b_row_stride] = x;
    }
}

// U^T Y = B, and then X := P^T L^-T Y. A work-item has a column of B.
__kernel void gbtrs_batched_transposed(SYSTEM_PARAMETERS)
{
    const long item = get_global_id(0);
    if (item >= count * columns) return;
    const long matrix = item / columns;
    if (guarded && info[info_offset + matrix] != 0) return;
    const system_type s = SYSTEM_OF(matrix, item % columns);
    for (int j = 0; j < n; j++) {
        __global const scalar *diagonal = diagonal_of(&s, j);
        scalar x = s.b[j * b_row_stride];
        for (int i = first_above(&s, j); i < j; i++)
            x = multiply_add(-s.b[i * b_row_stride], element(&s, diagonal, i - j), x);
        s.b[j * b_row_stride] = divide(x, element(&s, diagonal, 0));
    }
    for (int j = n - 2; kl > 0 && j >= 0; j--) {
        __global const scalar *diagonal = diagonal_of(&s, j);
        scalar x = s.b[j * b_row_stride];
        for (int i = 1; i <= rows_below(&s, j); i++)
            x = multiply_add(-s.b[(j + i) * b_row_stride], element(&s, diagonal, i), x);
        const int row = interchanged(&s, j);
        s.b[j * b_row_stride] = s.b[row * b_row_stride];
        s.b[row * b_row_stride] = x;
    }
}

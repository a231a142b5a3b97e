// P A = L U with partial pivoting of each m x n band matrix of a batch (LAPACK: xGBTF2). A team has a matrix, and
// eliminates column after column in a window of the band:
//
//   columns      first ..  | first + block ..  | first + block + kl + ku ..
//                eliminated | change with them  | not loaded
//
// The window is a ring of columns in local memory, or, with WINDOW 0, the band itself. Every work-item searches the
// pivot by itself, and updates columns of its own. The info becomes the index of the first zero pivot, or 0.
#pragma once

// Elements of a group's windows in local memory; 0: the bands are in global memory alone.
#ifndef WINDOW
#define WINDOW 1024
#endif

#include "lapack/batched/band.cl"

#if WINDOW > 0
#define SPACE __local
#define FENCE CLK_LOCAL_MEM_FENCE
#else
#define SPACE __global
#define FENCE CLK_GLOBAL_MEM_FENCE
#endif

// A matrix. Column c of the window is in slot c % capacity, `column_stride` elements apart.
typedef struct {
    __global scalar *a;
    long row_stride, column_stride;
    int m, n, kl, ku;
    SPACE scalar *window;
    int height, capacity;
} band_type;

// The diagonal's element of row j in column c, of which column j is in slot `slot`. Elements below are `step` apart.
inline SPACE scalar *in_window(const band_type *s, int j, int slot, int c)
{
    const int row = s->kl + s->ku + j - c;
#if WINDOW > 0
    const int ahead = slot + c - j;
    return s->window + (ahead < s->capacity ? ahead : ahead - s->capacity) * s->height + row;
#else
    return s->window + row * s->row_stride + c * s->column_stride;
#endif
}

#if WINDOW > 0
#define row_step(s) 1
#else
#define row_step(s) (s)->row_stride
#endif

// Rows of column c in the band of A with U's further diagonals.
#define first_row(s, c) max(0, (c) - (s)->kl - (s)->ku)
#define last_row(s, c) (int)min((long)(s)->m - 1, (long)(c) + (s)->kl)

// Brings columns into the window, with zeros where U fills in.
inline void load_columns(const band_type *s, int lane, int from, int to)
{
    for (int c = from; c < to; c++) {
        __global scalar *column = s->a + c * s->column_stride + (s->kl + s->ku - c) * s->row_stride;
#if WINDOW > 0
        SPACE scalar *slot = s->window + (c % s->capacity) * s->height + s->kl + s->ku - c;
        for (int i = first_row(s, c) + lane; i <= last_row(s, c); i += TEAM)
            slot[i] = i < c - s->ku ? SCALAR_ZERO : column[i * s->row_stride];
#else
        const int end = min(s->m, c - s->ku);
        for (int i = first_row(s, c) + lane; i < end; i += TEAM) column[i * s->row_stride] = SCALAR_ZERO;
#endif
    }
}

inline void store_columns(const band_type *s, int lane, int from, int to)
{
#if WINDOW > 0
    for (int c = from; c < to; c++) {
        __global scalar *column = s->a + c * s->column_stride + (s->kl + s->ku - c) * s->row_stride;
        SPACE const scalar *slot = s->window + (c % s->capacity) * s->height + s->kl + s->ku - c;
        for (int i = first_row(s, c) + lane; i <= last_row(s, c); i += TEAM) column[i * s->row_stride] = slot[i];
    }
#endif
}

// The pivot of a step: its row below the diagonal, its value, and the diagonal's before.
typedef struct {
    int row;
    scalar value, top;
} pivot_type;

inline pivot_type find_pivot(const band_type *s, int j, int slot)
{
    SPACE const scalar *own = in_window(s, j, slot, j);
    pivot_type pivot = {0, own[0], own[0]};
    real largest = size_of(own[0]);
    for (int i = 1; i <= min(s->kl, s->m - 1 - j); i++) {
        const real size = size_of(own[i * row_step(s)]);
        if (size > largest) {
            largest = size;
            pivot.row = i;
        }
    }
    pivot.value = own[pivot.row * row_step(s)];
    return pivot;
}

// Column j: the pivot, and the multipliers below.
inline void scale_column(const band_type *s, int lane, int j, int slot, const pivot_type *pivot)
{
    SPACE scalar *own = in_window(s, j, slot, j);
    const scalar inverse = reciprocal_of(pivot->value);
    for (int i = 1 + lane; i <= min(s->kl, s->m - 1 - j); i += TEAM) {
        const scalar x = i == pivot->row ? pivot->top : own[i * row_step(s)];
        own[i * row_step(s)] = divided(x, pivot->value, inverse);
    }
    if (lane == 0) own[0] = pivot->value;
}

// Columns up to `reach`: interchanges rows, and eliminates.
inline void update_columns(const band_type *s, int lane, int j, int slot, int pivot, int reach)
{
    SPACE const scalar *own = in_window(s, j, slot, j);
    const int below = min(s->kl, s->m - 1 - j);
    for (int c = j + 1 + lane; c <= reach; c += TEAM) {
        SPACE scalar *column = in_window(s, j, slot, c);
        const scalar u = column[pivot * row_step(s)];
        if (pivot > 0) {
            column[pivot * row_step(s)] = column[0];
            column[0] = u;
        }
        for (int i = 1; i <= below; i++)
            column[i * row_step(s)] = multiply_add(-u, own[i * row_step(s)], column[i * row_step(s)]);
    }
}

__kernel GROUP_SIZE void gbtrf_batched(int m, int n, int kl, int ku, __global scalar *ab, long ab_offset,
                                       long row_stride, long column_stride, __global int *pivots, long pivot_offset,
                                       long pivot_stride, __global int *info, long info_offset, BATCH_PARAMETERS,
                                       long ab_spacing, int capacity)
{
    const int lane = get_local_id(0) % TEAM, order = min(m, n);
    const long matrix = get_group_id(0) * TEAMS + get_local_id(0) / TEAM;
    const int is_matrix = matrix < count;
    __global int *own_pivots = pivots + pivot_offset + (is_matrix ? matrix * pivot_stride : 0);
    band_type s = {ab + ab_offset + (is_matrix ? offset_in_batch(matrix, ab_spacing) : 0), row_stride, column_stride, m,
                   n, kl, ku, 0, (2 * kl + ku + 1) | 1, capacity};
#if WINDOW > 0
    __local scalar windows[WINDOW];
    s.window = windows + (get_local_id(0) / TEAM) * s.height * capacity;
#else
    s.window = s.a;
#endif
    // Columns behind have no element in the matrix. A window holds a block and the columns that change with it.
    const int columns = (int)min((long)n, (long)m + kl + ku), block = capacity - kl - ku;
    int loaded = 0, reach = 0, found = 0, slot = 0;
    for (long first = 0; first < columns; first += block) {
        const int end = (int)min((long)columns, first + capacity), done = (int)min((long)columns, first + block);
        if (is_matrix) load_columns(&s, lane, loaded, end);
        loaded = end;
        team_barrier(FENCE);
        for (int j = (int)first; j < min(done, order); j++) {
            pivot_type pivot = {0, SCALAR_ZERO, SCALAR_ZERO};
            if (is_matrix) pivot = find_pivot(&s, j, slot);
            const int is_zero_pivot = is_zero(pivot.value);
            team_barrier(FENCE);
            if (is_matrix) {
                if (is_zero_pivot && found == 0) found = j + 1;
                if (lane == 0) own_pivots[j] = j + pivot.row + 1;
                if (!is_zero_pivot) {
                    reach = (int)max((long)reach, min((long)n - 1, (long)j + ku + pivot.row));
                    scale_column(&s, lane, j, slot, &pivot);
                }
            }
            team_barrier(FENCE);
            if (is_matrix && !is_zero_pivot) update_columns(&s, lane, j, slot, pivot.row, reach);
            team_barrier(FENCE);
            slot = slot + 1 < capacity ? slot + 1 : 0;
        }
        if (is_matrix) store_columns(&s, lane, (int)first, done);
        team_barrier(FENCE);
    }
    if (is_matrix && lane == 0) info[info_offset + matrix] = found;
}

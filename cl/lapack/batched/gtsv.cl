// A X = B by LU with partial pivoting for each tridiagonal system of a batch (LAPACK: gtsv). A work-item has a system,
// a group SYSTEMS of them. Rows go through local memory in tiles of ROWS, whose elements of one system are read and
// written by neighbouring work-items.
//
//   rows r0 + 1 to r0 + ROWS of A     eliminate row i with row i + 1      rows r0 to r0 + ROWS - 1 of U and B
//      [dl(i) d(i+1) du(i+1) b(i+1)] ->  pivot: the larger of both   ->     [u''(i) u(i) u'(i) y(i)]
//
// The row that is not yet eliminated is in registers, so that a tile's rows of U are one above its rows of A. They
// take the places of dl, d and du: what is written begins where a line of the caches may begin. Substitution goes
// through the same tiles backwards, and begins with the last one, which is still in local memory.
#pragma once

// Systems of a group.
#ifndef SYSTEMS
#define SYSTEMS 64
#endif

// Rows of a tile.
#ifndef ROWS
#define ROWS 8
#endif

// Right-hand sides, if any.
#ifndef COLUMNS
#define COLUMNS 1
#endif

// The systems are those of a list.
#ifndef LISTED
#define LISTED 0
#endif

// An array has at least one element.
#define SLOTS (COLUMNS > 0 ? COLUMNS : 1)

#include "common/divide.cl"
#include "blas/level3/batched/offsets.cl"

// Work-items read and write each other's rows in local memory and in global memory: every barrier orders both.
#define BOTH (CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)

#if SCALAR_IS_COMPLEX
#define size_of(v) (fabs((v).x) + fabs((v).y))
#else
#define size_of(v) fabs(v)
#endif

// A system's rows in local memory. The padding spreads systems over the banks.
typedef struct {
    scalar dl[SYSTEMS][ROWS + 1], d[SYSTEMS][ROWS + 1], du[SYSTEMS][ROWS + 1], b[SLOTS][SYSTEMS][ROWS + 1];
} tile_type;

// The operands.
typedef struct {
    __global scalar *dl, *d, *du, *b;
    long dl_stride, d_stride, du_stride, row_stride, column_stride, b_spacing, count;
    __global const long *offsets;
    int by_offsets, n;
    // How many systems are solved, and their numbers from element 1 on where they are listed.
    long solved;
    __global const int *listed;
} systems_type;

// The number of a work-item's system, or of the last one.
inline long system_number(const systems_type *s, long i)
{
    const long k = min(i, s->solved - 1);
#if LISTED
    return s->listed[1 + k];
#else
    return k;
#endif
}

inline __global scalar *right_hand_side(const systems_type *s, long system)
{
    const long count = s->count;
    const int by_offsets = s->by_offsets;
    __global const long *offsets = s->offsets;
    return s->b + offset_in_batch(system, s->b_spacing);
}

// Elements of a tile that a work-item asks for before it waits for the first of them.
#define AHEAD (ROWS % 16 == 0 ? 16 : ROWS)

// Rows of the diagonals and of B in private memory, on their way to a tile.
typedef struct {
    scalar dl[AHEAD], d[AHEAD], du[AHEAD], b[SLOTS][AHEAD];
} rows_type;

// Reads rows from `first` on, with `shift` the rows of A and B behind those of U, 1 or 0. A row or a system behind the
// last one is the last one again, so that all elements are asked for at once.
inline void load(const systems_type *s, long group, int first, int shift, __local tile_type *tile)
{
    for (int k = 0; k < ROWS; k += AHEAD) {
        rows_type rows;
        #pragma unroll
        for (int j = 0; j < AHEAD; j++) {
            const int i = get_local_id(0) + (k + j) * SYSTEMS, row = min(first + i % ROWS + shift, s->n - 1);
            const long system = system_number(s, group * SYSTEMS + i / ROWS);
            rows.d[j] = s->d[system * s->d_stride + row];
            // Of A the element below the diagonal is with the row below it, of U the second one above with its own row.
            rows.dl[j] = s->dl[system * s->dl_stride + min(row - shift, s->n - 2)];
            rows.du[j] = s->du[system * s->du_stride + min(row, s->n - 2)];
            __global const scalar *b = right_hand_side(s, system) + row * s->row_stride;
            for (int c = 0; c < COLUMNS; c++) rows.b[c][j] = b[c * s->column_stride];
        }
        #pragma unroll
        for (int j = 0; j < AHEAD; j++) {
            const int i = get_local_id(0) + (k + j) * SYSTEMS, own = i / ROWS, r = i % ROWS, row = first + r + shift;
            tile->d[own][r] = rows.d[j];
            tile->dl[own][r] = shift > 0 || row < s->n - 2 ? rows.dl[j] : SCALAR_ZERO;
            tile->du[own][r] = row < s->n - 1 ? rows.du[j] : SCALAR_ZERO;
            for (int c = 0; c < COLUMNS; c++) tile->b[c][own][r] = rows.b[c][j];
        }
    }
}

inline void store_factors(const systems_type *s, long group, int first, __local const tile_type *tile)
{
    #pragma unroll 8
    for (int i = get_local_id(0); i < SYSTEMS * ROWS; i += SYSTEMS) {
        const int own = i / ROWS, r = i % ROWS, row = first + r;
        if (group * SYSTEMS + own >= s->solved || row >= s->n - 1) continue;
        const long system = system_number(s, group * SYSTEMS + own);
        s->d[system * s->d_stride + row] = tile->d[own][r];
        s->du[system * s->du_stride + row] = tile->du[own][r];
        if (row < s->n - 2) s->dl[system * s->dl_stride + row] = tile->dl[own][r];
    }
}

inline void store_right_hand_sides(const systems_type *s, long group, int first, __local const tile_type *tile)
{
    #pragma unroll 8
    for (int i = get_local_id(0); i < SYSTEMS * ROWS; i += SYSTEMS) {
        const int own = i / ROWS, r = i % ROWS, row = first + r;
        if (group * SYSTEMS + own >= s->solved || row >= s->n - 1) continue;
        const long system = system_number(s, group * SYSTEMS + own);
        __global scalar *b = right_hand_side(s, system) + row * s->row_stride;
        for (int c = 0; c < COLUMNS; c++) b[c * s->column_stride] = tile->b[c][own][r];
    }
}

// The row that is eliminated next: its diagonal element, the one right of it, and its right-hand sides.
typedef struct {
    scalar d, du, b[SLOTS];
    int info;
} row_type;

// Eliminates rows of A, whose rows of U take their places.
inline void eliminate(int n, int first, int own, row_type *row, __local tile_type *tile)
{
    for (int r = 0; r < ROWS && first + r < n - 1; r++) {
        const scalar below = tile->dl[own][r], d = tile->d[own][r], du = tile->du[own][r];
        const int stays = size_of(row->d) >= size_of(below);
        const scalar pivot = stays ? row->d : below;
        // Of two zeros there is nothing to eliminate.
        const scalar factor = is_zero(pivot) ? SCALAR_ZERO : -divide(stays ? below : row->d, pivot);
        if (is_zero(pivot) && row->info == 0) row->info = first + r + 1;
        tile->d[own][r] = pivot;
        tile->du[own][r] = stays ? row->du : d;
        tile->dl[own][r] = stays ? SCALAR_ZERO : du;
        row->d = stays ? multiply_add(factor, row->du, d) : multiply_add(factor, d, row->du);
        row->du = stays ? du : multiply(factor, du);
        for (int c = 0; c < COLUMNS; c++) {
            const scalar upper = row->b[c], lower = tile->b[c][own][r];
            tile->b[c][own][r] = stays ? upper : lower;
            row->b[c] = multiply_add(factor, stays ? upper : lower, stays ? lower : upper);
        }
    }
}

// Substitutes the rows of U in a tile, from the last one up. `next` and `second` are X's next two rows.
inline void substitute(int n, int first, int own, scalar *next, scalar *second, __local tile_type *tile)
{
    for (int r = ROWS - 1; r >= 0; r--) {
        if (first + r >= n - 1) continue;
        const scalar d = tile->d[own][r], du = -tile->du[own][r], du2 = -tile->dl[own][r];
        for (int c = 0; c < COLUMNS; c++) {
            scalar x = tile->b[c][own][r];
            if (first + r < n - 2) x = multiply_add(du2, second[c], x);
            x = divide(multiply_add(du, next[c], x), d);
            second[c] = next[c];
            next[c] = x;
            tile->b[c][own][r] = x;
        }
    }
}

// Solves the systems of a group.
inline void solve(const systems_type *s, long group, __global int *info, __local tile_type *tile)
{
    const int n = s->n, own = get_local_id(0), tiles = (n - 1 + ROWS - 1) / ROWS;
    const int is_system = group * SYSTEMS + own < s->solved;
    const long system = system_number(s, group * SYSTEMS + own);
    row_type row;
    row.info = 0;
    if (is_system) {
        row.d = s->d[system * s->d_stride];
        row.du = n > 1 ? s->du[system * s->du_stride] : SCALAR_ZERO;
        __global const scalar *first = right_hand_side(s, system);
        for (int c = 0; c < COLUMNS; c++) row.b[c] = first[c * s->column_stride];
    }
    for (int t = 0; t < tiles; t++) {
        load(s, group, t * ROWS, 1, tile);
        barrier(BOTH);
        if (is_system) eliminate(n, t * ROWS, own, &row, tile);
        barrier(BOTH);
        store_factors(s, group, t * ROWS, tile);
        if (t < tiles - 1) store_right_hand_sides(s, group, t * ROWS, tile);
        barrier(BOTH);
    }
    scalar next[SLOTS], second[SLOTS];
    // PoCL 5 forgets a work-item's condition that is joined with one of the whole group.
    if (is_system) {
        if (is_zero(row.d) && row.info == 0) row.info = n;
        info[system] = row.info;
        s->d[system * s->d_stride + n - 1] = row.d;
        __global scalar *last = right_hand_side(s, system) + (n - 1) * s->row_stride;
        for (int c = 0; c < COLUMNS; c++) {
            next[c] = last[c * s->column_stride] = divide(row.b[c], row.d);
            second[c] = SCALAR_ZERO;
        }
    }
    for (int t = tiles - 1; t >= 0; t--) {
        if (t < tiles - 1) load(s, group, t * ROWS, 0, tile);
        barrier(BOTH);
        if (is_system) substitute(n, t * ROWS, own, next, second, tile);
        barrier(BOTH);
        store_right_hand_sides(s, group, t * ROWS, tile);
        barrier(BOTH);
    }
}

// Groups take turns where the systems are those of a list, whose length only the device knows.
__kernel __attribute__((reqd_work_group_size(SYSTEMS, 1, 1))) void gtsv_batched(
    int n, __global scalar *dl, long dl_offset, long dl_stride, __global scalar *d, long d_offset, long d_stride,
    __global scalar *du, long du_offset, long du_stride, __global scalar *b, long b_offset, long row_stride,
    long column_stride, BATCH_PARAMETERS, long b_spacing, __global int *info, long info_offset,
    __global const int *listed)
{
    __local tile_type tile;
    const systems_type s = {dl + dl_offset, d + d_offset, du + du_offset, b + b_offset, dl_stride, d_stride, du_stride,
                            row_stride, column_stride, b_spacing, count, offsets, by_offsets, n,
                            LISTED ? (long)listed[0] : count, listed};
    if (n == 0) {
        const long system = get_global_id(0);
        if (system < count) info[info_offset + system] = 0;
        return;
    }
#if LISTED
    for (long group = get_group_id(0); group * SYSTEMS < s.solved; group += get_num_groups(0)) {
        solve(&s, group, info + info_offset, &tile);
    }
#else
    solve(&s, get_group_id(0), info + info_offset, &tile);
#endif
}

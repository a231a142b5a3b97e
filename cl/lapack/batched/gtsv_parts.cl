// A X = B for each tridiagonal system of a batch, in parts within local memory (Wang 1981; with pivots Klein and
// Strzodka 2021). A group has SYSTEMS systems, each of PARTS parts of up to ROWS rows, a work-item for each part.
//
//   n rows  --reduce-->  2 PARTS rows  --reduce-->  PARTS  ...  -->  2 rows
//                                                                      | substitute
//   X of n rows  <--------------  X of those  <-----------  ...  <-----
//
// Longer systems are cut in blocks of PARTS parts, a group each. The first and last rows of all parts are a batch of
// coarse systems in global memory, which is solved in the same way:
//
//   gtsv_reduce  coarse systems
//   gtsv_finish  X in workspace, and the largest elements of the residual
//   gtsv_judge   the list of systems that are not solved
//   gtsv_commit  X of the others overwrites B
//
// A part's pivots are among its own rows: it may be singular, or nearly so, where the matrix is not. So the residual of
// X decides. A system whose backward error is large stays as it is, and is listed for the routine of whole systems.
#pragma once

// Parts of a system, a power of two from 2 on.
#ifndef PARTS
#define PARTS 16
#endif

// Systems of a group.
#ifndef SYSTEMS
#define SYSTEMS 8
#endif

// Rows of a part, at most.
#ifndef ROWS
#define ROWS 16
#endif

// Right-hand sides.
#ifndef COLUMNS
#define COLUMNS 1
#endif

#include "lapack/tridiagonal/eliminate.cl"
#include "blas/level3/batched/offsets.cl"

#if SCALAR_IS_DOUBLE
#define SCALAR_EPSILON 0x1p-52
#else
#define SCALAR_EPSILON 0x1p-23f
#endif

// Largest backward error in units of the precision.
#define MAX_ERROR ((real)10)

#define ITEMS (PARTS * SYSTEMS)

// Elements of B that a work-item has read are written by another one.
#define BOTH (CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)

// Rows of local memory. One in sixteen is padding, so that rows at equal distances are in different banks.
#define PADDED(row) ((row) + (row) / 16)
#define PADDED_ROWS PADDED(PARTS * ROWS)

// Rows of all coarse systems: 2 PARTS, PARTS, ..., 2.
#define COARSE_ROWS (4 * PARTS)

// Rows that a work-item asks for before it waits for the first of them.
#define AHEAD (ROWS % 8 == 0 ? 8 : ROWS)

// Elements left of the diagonal, on it and right of it, and right-hand sides.
typedef struct {
    scalar left[PADDED_ROWS], own[PADDED_ROWS], right[PADDED_ROWS], b[COLUMNS][PADDED_ROWS];
} rows_type;

typedef struct {
    scalar left[COARSE_ROWS], own[COARSE_ROWS], right[COARSE_ROWS], b[COLUMNS][COARSE_ROWS];
} coarse_type;

// Largest elements in modulus: of the residual, X and B, and the largest sum of a row of A.
typedef struct {
    real rest[COLUMNS], x[COLUMNS], b[COLUMNS], a;
} maxima_type;

// Row k of the coarse systems, downwards or upwards.
inline row_type coarse_row(__local const coarse_type *s, int k, int downwards)
{
    row_type row;
    row.spike = downwards ? s->left[k] : s->right[k];
    row.own = s->own[k];
    row.ahead = downwards ? s->right[k] : s->left[k];
    for (int c = 0; c < COLUMNS; c++) row.b[c] = s->b[c][k];
    return row;
}

inline void store_coarse_row(const row_type *row, __local coarse_type *s, int k, int downwards)
{
    s->left[k] = downwards ? row->spike : row->ahead;
    s->own[k] = row->own;
    s->right[k] = downwards ? row->ahead : row->spike;
    for (int c = 0; c < COLUMNS; c++) s->b[c][k] = row->b[c];
}

// The solution of two rows, in the places of their right-hand sides.
inline void solve_pair(scalar own, scalar right, scalar left, scalar below, scalar *b, scalar *b_below)
{
    const int stays = size_of(own) >= size_of(left);
    const scalar pivot = stays ? own : left, ahead = stays ? right : below;
    const scalar inverse = quick_reciprocal(pivot), factor = -multiply(stays ? left : own, inverse);
    const scalar last = multiply_add(factor, ahead, stays ? below : right);
    const scalar last_inverse = quick_reciprocal(last);
    for (int c = 0; c < COLUMNS; c++) {
        const scalar upper = stays ? b[c] : b_below[c], lower = stays ? b_below[c] : b[c];
        const scalar x = multiply(multiply_add(factor, upper, lower), last_inverse);
        b_below[c] = x;
        b[c] = multiply(multiply_add(-ahead, x, upper), inverse);
    }
}

// A system: elements below, on and above the diagonal of its n rows, and right-hand sides.
typedef struct {
    __global const scalar *dl, *d, *du;
    __global scalar *b;
    long row_stride, column_stride;
    int n;
} system_type;

#define SYSTEM_PARAMETERS                                                                                              \
    int n, __global const scalar *dl, long dl_offset, long dl_stride, __global const scalar *d, long d_offset,         \
        long d_stride, __global const scalar *du, long du_offset, long du_stride, __global scalar *b, long b_offset,   \
        long row_stride, long column_stride, BATCH_PARAMETERS, long b_spacing

#define SYSTEM(k)                                                                                                      \
    {dl + dl_offset + (k) * dl_stride, d + d_offset + (k) * d_stride, du + du_offset + (k) * du_stride,                \
     b + b_offset + offset_in_batch(k, b_spacing), row_stride, column_stride, n}

// First row of one of `parts` parts that share n rows, or n for the part after the last one. All parts but the last
// have even numbers of rows: with the padding, odd distances would be in one bank.
inline int start_of(int n, int parts, int part)
{
    const int pairs = n / 2;
    return part == parts ? n : 2 * (part * (pairs / parts) + min(part, pairs % parts));
}

// Reads the rows of a block from `start` on, PARTS neighbouring ones at once.
inline void load(const system_type *a, int start, int part, __local rows_type *s)
{
    for (int k = 0; k < ROWS; k += AHEAD) {
        scalar left[AHEAD], own[AHEAD], right[AHEAD], f[COLUMNS][AHEAD];
        #pragma unroll
        for (int j = 0; j < AHEAD; j++) {
            // A row behind the last one is the last one again, so that all elements are asked for at once.
            const int row = min(start + part + (k + j) * PARTS, a->n - 1);
            own[j] = a->d[row];
            left[j] = a->dl[max(row - 1, 0)];
            right[j] = a->du[min(row, a->n - 2)];
            for (int c = 0; c < COLUMNS; c++) f[c][j] = a->b[row * a->row_stride + c * a->column_stride];
        }
        #pragma unroll
        for (int j = 0; j < AHEAD; j++) {
            const int row = part + (k + j) * PARTS, at = PADDED(row);
            s->own[at] = own[j];
            s->left[at] = start + row > 0 ? left[j] : SCALAR_ZERO;
            s->right[at] = start + row < a->n - 1 ? right[j] : SCALAR_ZERO;
            for (int c = 0; c < COLUMNS; c++) s->b[c][at] = f[c][j];
        }
    }
}

// Row of a system in local memory, downwards or upwards.
inline row_type row_of(__local const rows_type *s, int row, int downwards)
{
    const int at = PADDED(row);
    row_type found;
    found.spike = downwards ? s->left[at] : s->right[at];
    found.own = s->own[at];
    found.ahead = downwards ? s->right[at] : s->left[at];
    for (int c = 0; c < COLUMNS; c++) found.b[c] = s->b[c][at];
    return found;
}

// A part's equations for its first unknown (`up`) and its last one (`down`), without those between them.
inline void reduce(__local const rows_type *s, int first, int last, row_type *up, row_type *down)
{
    *down = row_of(s, first + 1, 1);
    *up = row_of(s, last - 1, 0);
    for (int i = 1; i < last - first; i++) {
        const row_type below = row_of(s, first + 1 + i, 1), above = row_of(s, last - 1 - i, 0);
        eliminate(down, below.spike, below.own, below.ahead, below.b);
        eliminate(up, above.spike, above.own, above.ahead, above.b);
    }
}

// All coarse systems, from the first one with 2 PARTS rows on: each gives the first and last row of four to the next
// one. Every work-item comes here; X is in the places of the right-hand sides.
inline void solve_coarse(int part, __local coarse_type *s)
{
    int level = 0;
    #pragma unroll
    for (int order = 2 * PARTS; order > 2; order /= 2) {
        if (part < order / 2) {
            const int first = level + 4 * (part / 2), downwards = part % 2, step = downwards ? 1 : -1;
            int k = downwards ? first + 1 : first + 2;
            row_type row = coarse_row(s, k, downwards);
            for (int i = 0; i < 2; i++) {
                k += step;
                const row_type next = coarse_row(s, k, downwards);
                eliminate(&row, next.spike, next.own, next.ahead, next.b);
            }
            store_coarse_row(&row, s, level + order + part, downwards);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        level += order;
    }
    if (part == 0) {
        scalar b[COLUMNS], below[COLUMNS];
        for (int c = 0; c < COLUMNS; c++) {
            b[c] = s->b[c][level];
            below[c] = s->b[c][level + 1];
        }
        solve_pair(s->own[level], s->right[level], s->left[level + 1], s->own[level + 1], b, below);
        for (int c = 0; c < COLUMNS; c++) {
            s->b[c][level] = b[c];
            s->b[c][level + 1] = below[c];
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    #pragma unroll
    for (int order = 4; order <= 2 * PARTS; order *= 2) {
        level -= order;
        if (part < order / 4) {
            const int k = level + 4 * part, known = level + order + 2 * part;
            scalar b[COLUMNS], below[COLUMNS];
            for (int c = 0; c < COLUMNS; c++) {
                const scalar first = s->b[c][known], last = s->b[c][known + 1];
                b[c] = multiply_add(-s->left[k + 1], first, s->b[c][k + 1]);
                below[c] = multiply_add(-s->right[k + 2], last, s->b[c][k + 2]);
                s->b[c][k] = first;
                s->b[c][k + 3] = last;
            }
            solve_pair(s->own[k + 1], s->right[k + 1], s->left[k + 2], s->own[k + 2], b, below);
            for (int c = 0; c < COLUMNS; c++) {
                s->b[c][k + 1] = b[c];
                s->b[c][k + 2] = below[c];
            }
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}

#define INNER (ROWS - 2)

// Row between a part's first and last one, where the last unknown is known.
inline row_type inner_row(__local const rows_type *s, int row, int last, const scalar *after)
{
    row_type found = row_of(s, row, 1);
    if (row == last - 1) {
        for (int c = 0; c < COLUMNS; c++) found.b[c] = multiply_add(-found.ahead, after[c], found.b[c]);
        found.ahead = SCALAR_ZERO;
    }
    return found;
}

// The unknowns between a part's first and last one: LU with partial pivoting of their rows.
inline void substitute(
    __local const rows_type *s, int first, int last, const scalar *before, const scalar *after,
    scalar x[COLUMNS][INNER])
{
    scalar inverses[INNER], above[INNER], second_above[INNER];
    row_type row = inner_row(s, min(first + 1, last), last, after);
    for (int c = 0; c < COLUMNS; c++) row.b[c] = multiply_add(-row.spike, before[c], row.b[c]);
    const int inner = last - first - 1;
    #pragma unroll
    for (int r = 0; r < INNER; r++) {
        if (r >= inner) continue;
        row_type next = inner_row(s, min(first + 2 + r, last), last, after);
        // Behind the last inner row there is none to eliminate.
        if (r == inner - 1) next.spike = SCALAR_ZERO;
        const int stays = size_of(row.own) >= size_of(next.spike);
        const scalar pivot = stays ? row.own : next.spike;
        const scalar inverse = quick_reciprocal(pivot), factor = -multiply(stays ? next.spike : row.own, inverse);
        inverses[r] = inverse;
        above[r] = stays ? row.ahead : next.own;
        second_above[r] = stays ? SCALAR_ZERO : next.ahead;
        for (int c = 0; c < COLUMNS; c++) {
            const scalar upper = row.b[c], lower = next.b[c];
            x[c][r] = stays ? upper : lower;
            row.b[c] = multiply_add(factor, stays ? upper : lower, stays ? lower : upper);
        }
        row.own = stays ? multiply_add(factor, row.ahead, next.own) : multiply_add(factor, next.own, row.ahead);
        row.ahead = stays ? next.ahead : multiply(factor, next.ahead);
    }
    scalar next[COLUMNS], second[COLUMNS];
    for (int c = 0; c < COLUMNS; c++) next[c] = second[c] = SCALAR_ZERO;
    #pragma unroll
    for (int r = INNER - 1; r >= 0; r--) {
        if (r >= inner) continue;
        for (int c = 0; c < COLUMNS; c++) {
            const scalar y = multiply_add(-second_above[r], second[c], multiply_add(-above[r], next[c], x[c][r]));
            second[c] = next[c];
            next[c] = x[c][r] = multiply(y, inverses[r]);
        }
    }
}

// Takes a row of the residual into the maxima. `before`, `here` and `after` are X above, at and below the row.
inline void measure(
    __local const rows_type *s, int row, int c, scalar before, scalar here, scalar after, maxima_type *most)
{
    const int at = PADDED(row);
    const scalar left = s->left[at], own = s->own[at], right = s->right[at], f = s->b[c][at];
    const scalar rest = multiply_add(-right, after, multiply_add(-left, before, multiply_add(-own, here, f)));
    // A NaN among the others makes this one NaN.
    most->rest[c] = larger(most->rest[c], size_of(rest));
    most->x[c] = fmax(most->x[c], size_of(here));
    most->b[c] = fmax(most->b[c], size_of(f));
    most->a = fmax(most->a, size_of(left) + size_of(own) + size_of(right));
}

// True if the maxima are those of a solution. The residual tells nothing where the bound is not finite.
inline int is_solution(const maxima_type *most)
{
    int right = 1;
    for (int c = 0; c < COLUMNS; c++) {
        const real bound = MAX_ERROR * SCALAR_EPSILON * (most->a * most->x[c] + most->b[c]);
        right = right && isfinite(bound) && most->rest[c] <= bound;
    }
    return right;
}

// Known unknowns of a part: its first and last one, and their neighbours in other parts.
typedef struct {
    scalar before[COLUMNS], first[COLUMNS], last[COLUMNS], after[COLUMNS];
} known_type;

// Substitutes a part: X is in B's place in local memory, and the maxima of its rows are taken.
inline maxima_type finish(__local rows_type *s, int first, int last, const known_type *known)
{
    scalar x[COLUMNS][INNER];
    substitute(s, first, last, known->first, known->last, x);
    const int inner = last - first - 1;
    maxima_type most;
    most.a = 0;
    for (int c = 0; c < COLUMNS; c++) {
        most.rest[c] = most.x[c] = most.b[c] = 0;
        scalar previous = known->first[c], here = inner > 0 ? x[c][0] : known->last[c];
        measure(s, first, c, known->before[c], previous, here, &most);
        #pragma unroll
        for (int r = 0; r < INNER; r++) {
            if (r >= inner) continue;
            const scalar next = r + 1 < INNER && r + 1 < inner ? x[c][r + 1 < INNER ? r + 1 : r] : known->last[c];
            measure(s, first + 1 + r, c, previous, here, next, &most);
            previous = here;
            here = next;
        }
        measure(s, last, c, previous, here, known->after[c], &most);
        s->b[c][PADDED(first)] = known->first[c];
        s->b[c][PADDED(last)] = known->last[c];
        #pragma unroll
        for (int r = 0; r < INNER; r++) {
            if (r < inner) s->b[c][PADDED(first + 1 + r)] = x[c][r];
        }
    }
    return most;
}

inline maxima_type larger_of(maxima_type first, maxima_type second)
{
    first.a = fmax(first.a, second.a);
    for (int c = 0; c < COLUMNS; c++) {
        first.rest[c] = fmax(first.rest[c], second.rest[c]);
        first.x[c] = fmax(first.x[c], second.x[c]);
        first.b[c] = fmax(first.b[c], second.b[c]);
    }
    return first;
}

// The maxima of a system's work-items, in the first one's. Every work-item comes here.
inline void largest_of(int part, __local maxima_type *maxima)
{
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int reach = PARTS / 2; reach > 0; reach /= 2) {
        if (part < reach) maxima[part] = larger_of(maxima[part], maxima[part + reach]);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}

// The number of systems in the list, and their numbers from element 1 on.
inline void list_unsolved(__global int *unsolved, long system) { unsolved[1 + atomic_inc(unsolved)] = (int)system; }

__kernel void gtsv_begin(__global int *unsolved) { unsolved[0] = 0; }

// Systems of up to PARTS * ROWS rows.
__kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1))) void gtsv_whole(
    SYSTEM_PARAMETERS, __global int *info, long info_offset, __global int *unsolved)
{
    __local rows_type rows[SYSTEMS];
    __local coarse_type coarse[SYSTEMS];
    __local maxima_type maxima[SYSTEMS][PARTS];
    const int own = get_local_id(0) / PARTS, part = get_local_id(0) % PARTS;
    const long wanted = get_group_id(0) * (long)SYSTEMS + own, system = min(wanted, count - 1);
    const system_type a = SYSTEM(system);
    load(&a, 0, part, &rows[own]);
    barrier(BOTH);
    const int first = start_of(n, PARTS, part), last = start_of(n, PARTS, part + 1) - 1;
    row_type up, down;
    reduce(&rows[own], first, last, &up, &down);
    store_coarse_row(&up, &coarse[own], 2 * part, 0);
    store_coarse_row(&down, &coarse[own], 2 * part + 1, 1);
    barrier(CLK_LOCAL_MEM_FENCE);
    solve_coarse(part, &coarse[own]);
    known_type known;
    for (int c = 0; c < COLUMNS; c++) {
        known.before[c] = part > 0 ? coarse[own].b[c][2 * part - 1] : SCALAR_ZERO;
        known.first[c] = coarse[own].b[c][2 * part];
        known.last[c] = coarse[own].b[c][2 * part + 1];
        known.after[c] = part < PARTS - 1 ? coarse[own].b[c][2 * part + 2] : SCALAR_ZERO;
    }
    maxima[own][part] = finish(&rows[own], first, last, &known);
    largest_of(part, maxima[own]);
    if (wanted >= count) return;
    const maxima_type most = maxima[own][0];
    const int solved = is_solution(&most);
    if (part == 0) {
        if (solved) info[info_offset + system] = 0;
        else list_unsolved(unsolved, system);
    }
    if (!solved) return;
    #pragma unroll
    for (int k = 0; k < ROWS; k++) {
        const int row = part + k * PARTS;
        if (row >= n) continue;
        for (int c = 0; c < COLUMNS; c++) a.b[row * row_stride + c * column_stride] = rows[own].b[c][PADDED(row)];
    }
}

// A group's block of a longer system, and a work-item's part.
#define BLOCK_OF_GROUP                                                                                                 \
    const int block = get_group_id(0) % blocks, part = get_local_id(0), start = start_of(n, blocks, block);            \
    const int rows_of_block = start_of(n, blocks, block + 1) - start, order = 2 * PARTS * blocks;                      \
    const int first = start_of(rows_of_block, PARTS, part), last = start_of(rows_of_block, PARTS, part + 1) - 1;       \
    const int row_of_coarse = 2 * (block * PARTS + part);                                                              \
    const long system = get_group_id(0) / blocks

#if SYSTEMS == 1
// The coarse systems of a batch.
__kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1))) void gtsv_reduce(
    SYSTEM_PARAMETERS, int blocks, __global scalar *coarse_dl, __global scalar *coarse_d, __global scalar *coarse_du,
    __global scalar *coarse_b)
{
    __local rows_type rows;
    BLOCK_OF_GROUP;
    const system_type a = SYSTEM(system);
    load(&a, start, part, &rows);
    barrier(BOTH);
    row_type up, down;
    reduce(&rows, first, last, &up, &down);
    const long k = system * order + row_of_coarse;
    coarse_d[k] = up.own;
    coarse_du[k] = up.spike;
    coarse_d[k + 1] = down.own;
    coarse_dl[k] = down.spike;
    if (row_of_coarse > 0) coarse_dl[k - 1] = up.ahead;
    if (row_of_coarse + 2 < order) coarse_du[k + 1] = down.ahead;
    for (int c = 0; c < COLUMNS; c++) {
        coarse_b[(system * COLUMNS + c) * order + row_of_coarse] = up.b[c];
        coarse_b[(system * COLUMNS + c) * order + row_of_coarse + 1] = down.b[c];
    }
}

// X of a batch from X of its coarse systems, and the maxima of each block.
__kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1))) void gtsv_finish(
    SYSTEM_PARAMETERS, int blocks, __global const scalar *coarse_x, __global scalar *x, __global maxima_type *found)
{
    __local rows_type rows;
    __local maxima_type maxima[PARTS];
    BLOCK_OF_GROUP;
    const system_type a = SYSTEM(system);
    load(&a, start, part, &rows);
    barrier(BOTH);
    known_type known;
    for (int c = 0; c < COLUMNS; c++) {
        __global const scalar *own = coarse_x + (system * COLUMNS + c) * order + row_of_coarse;
        known.before[c] = row_of_coarse > 0 ? own[-1] : SCALAR_ZERO;
        known.first[c] = own[0];
        known.last[c] = own[1];
        known.after[c] = row_of_coarse + 2 < order ? own[2] : SCALAR_ZERO;
    }
    maxima[part] = finish(&rows, first, last, &known);
    largest_of(part, maxima);
    if (part == 0) found[system * blocks + block] = maxima[0];
    #pragma unroll
    for (int k = 0; k < ROWS; k++) {
        const int row = part + k * PARTS;
        if (row >= rows_of_block) continue;
        for (int c = 0; c < COLUMNS; c++) x[(system * COLUMNS + c) * n + start + row] = rows.b[c][PADDED(row)];
    }
}

// Infos of systems that are solved are 0, those of the others -1.
__kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1))) void gtsv_judge(
    int blocks, __global const maxima_type *found, __global int *info, long info_offset, __global int *unsolved)
{
    __local maxima_type maxima[PARTS];
    const long system = get_group_id(0);
    const int item = get_local_id(0);
    maxima_type most = found[system * blocks];
    for (int k = item; k < blocks; k += PARTS) most = larger_of(most, found[system * blocks + k]);
    maxima[item] = most;
    largest_of(item, maxima);
    most = maxima[0];
    if (item > 0) return;
    const int solved = is_solution(&most);
    info[info_offset + system] = solved ? 0 : -1;
    if (!solved) list_unsolved(unsolved, system);
}

// B := X for the systems that are solved.
__kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1))) void gtsv_commit(
    SYSTEM_PARAMETERS, int blocks, __global const scalar *x, __global const int *info, long info_offset)
{
    BLOCK_OF_GROUP;
    const system_type a = SYSTEM(system);
    if (info[info_offset + system] != 0) return;
    for (int row = part; row < rows_of_block; row += PARTS) {
        for (int c = 0; c < COLUMNS; c++)
            a.b[(start + row) * row_stride + c * column_stride] = x[(system * COLUMNS + c) * n + start + row];
    }
}
#endif

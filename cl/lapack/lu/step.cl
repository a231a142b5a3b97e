// One step of the blocked LU factorisation P A = L U (LAPACK getrf), right-looking, panel by panel, with look-ahead:
// one launch for each panel, in which no work-group waits for another. The launch applies the previous panel to all
// columns right of it, and factorises the next panel.
//
//                   left             previous       next panel       right
//             (`left` columns)  (`previous` cols)  (`width` cols)  (`right` columns)
//            +----------------+------------------+--------------+-----------------+
//  previous  |                |    L11 \ U11     |     U12      |       U12       |  laswp, trsm with L11
//  rows      |                |                  |              |                 |
//            |  laswp alone   +------------------+--------------+-----------------+
//  `rows`    |                |       L21        |  A22 update, |   A22 update    |  laswp, gemm: A22 -= L21 U12
//  rows      |                |                  |    getf2     |                 |
//            |                |                  |              |                 |
//            +----------------+------------------+--------------+-----------------+
//  groups:      the last ones         none           group 0       groups 1, 2, ...: WIDTH columns each
//
// A work-item holds ROWS rows, THREADS apart, with all of its group's columns, in registers. Rows count from the next
// panel's first one.
//
// Pivots count from 1 + `base`. The info becomes the index of the first zero pivot, if it was 0.
#pragma once

// Work-items of a group.
#ifndef THREADS
#define THREADS 256
#endif

// Rows of a work-item.
#ifndef ROWS
#define ROWS 4
#endif

// Columns of a panel, at most: WIDTH * WIDTH is THREADS at most. A panel has at least as many rows as columns.
#ifndef WIDTH
#define WIDTH 8
#endif

#include "common/divide.cl"
#include "lapack/lu/pivot_search.cl"

// gemm is pipelined: a batch of L21, BATCH_ROWS rows of BATCH_COLUMNS columns, is loaded while the one before is
// multiplied. BATCHES of them cover a work-item's rows; an iteration takes PIPELINE batches.
#define BATCH (SCALAR_IS_DOUBLE && SCALAR_IS_COMPLEX ? 4 : 8)
#define BATCH_ROWS (ROWS < BATCH ? ROWS : BATCH)
#define BATCH_COLUMNS (BATCH / BATCH_ROWS < WIDTH ? BATCH / BATCH_ROWS : WIDTH)
#define BATCHES (ROWS / BATCH_ROWS)
#define PIPELINE (BATCHES > 1 ? BATCHES : 2)
#define PIPELINE_COLUMNS (PIPELINE / BATCHES * BATCH_COLUMNS)
// laswp: rows that change for a panel, and columns that a group interchanges.
#define SWAP_ROWS (2 * WIDTH)
#define SWAP_COLUMNS (THREADS / SWAP_ROWS)
#if WIDTH * WIDTH > THREADS
#error A work-item has an element of a panel's triangle.
#endif
// Independent chains of comparisons in a work-item's pivot search.
#define CHAINS (ROWS < 16 ? 1 : 4)

// The widest vector, of 16 bytes at most, that divides a panel's row in local memory.
#if SCALAR_IS_DOUBLE && (SCALAR_IS_COMPLEX || WIDTH % 2 == 0)
typedef double2 panel_vector;
#elif !SCALAR_IS_DOUBLE && (SCALAR_IS_COMPLEX ? WIDTH % 2 == 0 : WIDTH % 4 == 0)
typedef float4 panel_vector;
#else
typedef scalar panel_vector;
#endif
#define PANEL_VECTORS (WIDTH * sizeof(scalar) / sizeof(panel_vector))

typedef union {
    panel_vector vectors[PANEL_VECTORS];
    scalar elements[WIDTH];
} panel_row;

inline panel_row load_row(__local const scalar *from)
{
    panel_row row;
    #pragma unroll
    for (int w = 0; w < PANEL_VECTORS; w++) row.vectors[w] = ((__local const panel_vector *)from)[w];
    return row;
}

inline void store_row(__local scalar *to, panel_row row)
{
    #pragma unroll
    for (int w = 0; w < PANEL_VECTORS; w++) ((__local panel_vector *)to)[w] = row.vectors[w];
}

// Loads batch t of L21. Columns from `count` on are zeros.
inline void load_batch(scalar l[BATCH_COLUMNS][BATCH_ROWS], int t, __global const scalar *columns, long column_stride,
                       int count, int rows)
{
    const int first_column = t / BATCHES * BATCH_COLUMNS, first_row = t % BATCHES * BATCH_ROWS;
    #pragma unroll
    for (int n = 0; n < BATCH_COLUMNS; n++) {
        #pragma unroll
        for (int r = 0; r < BATCH_ROWS; r++) {
            const int row = get_local_id(0) + (first_row + r) * THREADS, column = first_column + n;
            l[n][r] = row < rows && column < count ? columns[row + column * column_stride] : SCALAR_ZERO;
        }
    }
}

// x -= L21 U12 for batch t.
inline void subtract_batch(scalar x[ROWS][WIDTH], int t, scalar l[BATCH_COLUMNS][BATCH_ROWS], __local const scalar *u12)
{
    const int first_column = t / BATCHES * BATCH_COLUMNS, first_row = t % BATCHES * BATCH_ROWS;
    #pragma unroll
    for (int n = 0; n < BATCH_COLUMNS; n++) {
        const panel_row u = load_row(u12 + (first_column + n) * WIDTH);
        #pragma unroll
        for (int c = 0; c < WIDTH; c++) {
            #pragma unroll
            for (int r = 0; r < BATCH_ROWS; r++)
                x[first_row + r][c] = multiply_add(-l[n][r], u.elements[c], x[first_row + r][c]);
        }
    }
}

// laswp: the s-th row that the previous panel's interchanges change, and the row whose elements it gets. The first
// WIDTH are U12's rows; the others are their partners, or -1 for a partner that is a row of U12 or came before. A row
// without an interchange is its own partner.
inline void laswp_origin(const int partners[WIDTH], int previous, int s, __local int *targets, __local int *origins)
{
    int row = s < previous ? s : -1;
    #pragma unroll
    for (int i = 0; i < WIDTH; i++) {
        if (s == WIDTH + i && i < previous) row = partners[i];
    }
    if (s >= WIDTH && row < previous) row = -1;
    #pragma unroll
    for (int i = 0; i < WIDTH; i++) {
        if (i < s - WIDTH && row == partners[i]) row = -1;
    }
    targets[s] = row;
    #pragma unroll
    for (int i = WIDTH - 1; i >= 0; i--) row = row == i ? partners[i] : row == partners[i] ? i : row;
    origins[s] = row;
}

// laswp: puts the rows that the interchanges move down in the places of those that they replace.
inline void replace_moved_rows(scalar x[ROWS][WIDTH], int previous, __local const int *targets,
                               __local const scalar *moved_rows)
{
    const int item = get_local_id(0);
    for (int s = 0; s < previous; s++) {
        const int row = targets[WIDTH + s] - previous;
        if (row >= 0 && row % THREADS == item) {
            #pragma unroll
            for (int r = 0; r < ROWS; r++) {
                if (row == item + r * THREADS) {
                    keep_branch_apart(ROWS + r);
                    const panel_row other = load_row(moved_rows + s * WIDTH);
                    #pragma unroll
                    for (int c = 0; c < WIDTH; c++) x[r][c] = other.elements[c];
                }
            }
        }
    }
}

// trsm: U12 := L11^-1 U12, a column for each work-item, in local memory and in A.
inline void trsm_u12(__local const scalar *l11, __local scalar *u12, int previous, int columns, __global scalar *own,
                     long column_stride)
{
    const int item = get_local_id(0);
    if (item >= columns) return;
    scalar u[WIDTH];
    #pragma unroll
    for (int i = 0; i < WIDTH; i++) u[i] = u12[i * WIDTH + item];
    #pragma unroll
    for (int k = 0; k < WIDTH - 1; k++) {
        #pragma unroll
        for (int i = 0; i < WIDTH; i++)
            if (i > k) u[i] = multiply_add(-l11[k * WIDTH + i], u[k], u[i]);
    }
    #pragma unroll
    for (int i = 0; i < WIDTH; i++) {
        if (i < previous) {
            u12[i * WIDTH + item] = u[i];
            own[i - previous + item * column_stride] = u[i];
        }
    }
}

// A work-item's candidate for the pivot of column c. Rows beyond the last are zeros, or the results of updates on
// zeros, NaN included: the row on the diagonal always beats them. A NaN beats no number.
inline candidate own_candidate(scalar x[ROWS][WIDTH], int c)
{
    const int item = get_local_id(0);
    candidate found[CHAINS];
    found[0].key = item < c ? (real)-2 : pivot_key(x[0][c], item == c);
    found[0].row = item;
    #pragma unroll
    for (int r = 1; r < ROWS; r++) {
        const int s = r % CHAINS;
        const real size = sum_of_moduli(x[r][c]), largest = r < CHAINS ? (real)-1 : found[s].key;
        const bool is_better = size > largest;
        found[s].key = is_better ? size : largest;
        found[s].row = is_better || r < CHAINS ? item + r * THREADS : found[s].row;
    }
    candidate best = found[0];
    #pragma unroll
    for (int s = 1; s < CHAINS; s++) best = better_of(best, found[s]);
    return best;
}

// Copies the candidate row and the row on the diagonal to local memory, from the work-items that hold them.
inline void store_candidate_rows(scalar x[ROWS][WIDTH], int c, int row, __local scalar *to, __local scalar *diagonal)
{
    const int item = get_local_id(0);
    #pragma unroll
    for (int r = 0; r < ROWS; r++) {
        if (row == item + r * THREADS) {
            keep_branch_apart(r);
            panel_row own_row;
            #pragma unroll
            for (int d = 0; d < WIDTH; d++) own_row.elements[d] = x[r][d];
            store_row(to, own_row);
        }
    }
    if (item == c) {
        panel_row own_row;
        #pragma unroll
        for (int d = 0; d < WIDTH; d++) own_row.elements[d] = x[0][d];
        store_row(diagonal, own_row);
    }
}

// Replaces one of the work-item's rows by one in local memory.
inline void replace_row(scalar x[ROWS][WIDTH], int row, __local const scalar *from)
{
    #pragma unroll
    for (int r = 0; r < ROWS; r++) {
        if (row == (int)get_local_id(0) + r * THREADS) {
            keep_branch_apart(r);
            const panel_row other = load_row(from);
            #pragma unroll
            for (int d = 0; d < WIDTH; d++) x[r][d] = other.elements[d];
        }
    }
}

// getf2 of the next panel, in registers. Columns from `width` on are zeros and stay so.
inline void getf2_panel(scalar x[ROWS][WIDTH], int width, __local search_workspace *search,
                        __local scalar (*candidate_rows)[CANDIDATE_SLOTS * WIDTH],
                        __local scalar (*diagonal_rows)[WIDTH], int base, __global int *pivots, __global int *info)
{
    const int item = get_local_id(0);
    #pragma unroll
    for (int c = 0; c < WIDTH; c++) {
        const bool is_column = c < width;
        __local scalar *staged_rows = candidate_rows[c & 1], *diagonal = diagonal_rows[c & 1];
        const int own_row = reduce_candidates(own_candidate(x, c), search, c);
        store_candidate_rows(x, c, own_row, staged_rows + candidate_slot(own_row) * WIDTH, diagonal);
        barrier(CLK_LOCAL_MEM_FENCE);
        const int row = pivot_row_of(own_row, search, c);
        const panel_row pivot_row = load_row(staged_rows + candidate_slot(row) * WIDTH);
        const scalar pivot = pivot_row.elements[c];
        const bool is_singular = is_zero(pivot);
        scalar inverse = is_singular ? SCALAR_ONE : reciprocal_of(pivot);
        const bool is_extreme = !is_usable(inverse);
        // swap: the pivot's row and the row on the diagonal change places.
        if (is_column && row != c) {
            if ((uint)row % THREADS == item) replace_row(x, row, diagonal);
            if (item == c) {
                #pragma unroll
                for (int d = 0; d < WIDTH; d++) x[0][d] = pivot_row.elements[d];
            }
        }
        if (is_column && item == 0) {
            pivots[c] = base + row + 1;
            if (is_singular && *info == 0) *info = base + c + 1;
        }
        // scal. Rows on and above the diagonal are the first ones of the first work-items.
        const scalar above = x[0][c];
        if (is_extreme) {
            // No row below is larger than the pivot: where that is huge, elements that scaling flushes have quotient 0.
            keep_branch_apart(-1);
            const real scale = largest_part(pivot) < 1 ? RAISE : 1 / RAISE;
            inverse = reciprocal_of(pivot * scale);
            #pragma unroll
            for (int r = 0; r < ROWS; r++) x[r][c] *= scale;
        }
        #pragma unroll
        for (int r = 0; r < ROWS; r++) {
            const scalar quotient = multiply(x[r][c], inverse);
            x[r][c] = r == 0 && item <= c ? above : quotient;
        }
        // ger. The loop is from 0 on: those of constant length are unrolled.
        #pragma unroll
        for (int d = 0; d < WIDTH; d++) {
            #pragma unroll
            for (int r = 0; r < ROWS; r++) {
                if (d > c && (r > 0 || item > c)) x[r][d] = multiply_add(-x[r][c], pivot_row.elements[d], x[r][d]);
            }
        }
    }
}

__kernel __attribute__((reqd_work_group_size(THREADS, 1, 1))) void getrf_step(
    int rows, int previous, int width, int right, int left, __global scalar *a, long a_offset, long column_stride,
    int base, __global int *pivots, long pivot_offset, __global int *info, long info_index)
{
    __local search_workspace search;
    __local scalar l11[WIDTH * WIDTH];
    __local scalar u12[WIDTH * WIDTH] __attribute__((aligned(16))),
        moved_rows[WIDTH * WIDTH] __attribute__((aligned(16)));
    __local scalar candidate_rows[2][CANDIDATE_SLOTS * WIDTH] __attribute__((aligned(16)));
    __local scalar diagonal_rows[2][WIDTH] __attribute__((aligned(16)));
    __local int targets[SWAP_ROWS], origins[SWAP_ROWS];
    const int item = get_local_id(0), group = get_group_id(0), right_groups = (right + WIDTH - 1) / WIDTH;
    a += a_offset;
    pivots += pivot_offset;
    // From the previous panel's diagonal on.
    __global scalar *previous_panel = a - previous - previous * column_stride;
    // The interchanges and L11 are loaded first: most of what follows waits for them.
    int partners[WIDTH];
    if (item < SWAP_ROWS) {
        #pragma unroll
        for (int s = 0; s < WIDTH; s++) partners[s] = s < previous ? pivots[s - previous] - 1 - (base - previous) : s;
    }
    const int l11_row = item % WIDTH, l11_column = item / WIDTH;
    const bool has_l11 = item < WIDTH * WIDTH && l11_row < previous && l11_column < previous;
    const scalar l11_element = has_l11 ? previous_panel[l11_row + l11_column * column_stride] : SCALAR_ZERO;
    // All rows are loaded where they stand. Those that laswp moves are loaded again from where they come.
    const int first = group == 0 ? 0 : width + (group - 1) * WIDTH;
    const int columns = group == 0 ? width : group > right_groups ? 0 : min(WIDTH, width + right - first);
    __global scalar *own = a + first * column_stride;
    scalar x[ROWS][WIDTH];
    #pragma unroll
    for (int r = 0; r < ROWS; r++) {
        const int row = item + r * THREADS;
        #pragma unroll
        for (int c = 0; c < WIDTH; c++)
            x[r][c] = row < rows && c < columns ? own[row + c * column_stride] : SCALAR_ZERO;
    }
    if (item < SWAP_ROWS) laswp_origin(partners, previous, item, targets, origins);
    barrier(CLK_LOCAL_MEM_FENCE);

    const bool is_left = group > right_groups;
    // laswp on the left: all elements are read before any is written.
    const int s = item % SWAP_ROWS, left_column = (group - 1 - right_groups) * SWAP_COLUMNS + item / SWAP_ROWS;
    const bool is_moved = is_left && item / SWAP_ROWS < SWAP_COLUMNS && left_column < left && targets[s] >= 0;
    __global scalar *column =
        is_left ? previous_panel - (left_column + 1) * column_stride : own - previous + l11_column * column_stride;
    scalar element = SCALAR_ZERO;
    if (is_moved) element = column[origins[s]];
    // laswp of U12's rows, and of the rows that move down. L11 and both are padded with zeros.
    if (!is_left && item < WIDTH * WIDTH) {
        const bool is_there = l11_row < previous && l11_column < columns;
        const bool moves = is_there && targets[WIDTH + l11_row] >= 0;
        const int e = l11_row * WIDTH + l11_column;
        l11[item] = l11_element;
        u12[e] = is_there ? column[origins[l11_row]] : SCALAR_ZERO;
        moved_rows[e] = moves ? column[origins[WIDTH + l11_row]] : SCALAR_ZERO;
    }
    scalar even[BATCH_COLUMNS][BATCH_ROWS], odd[BATCH_COLUMNS][BATCH_ROWS];
    __global const scalar *l21 = a - previous * column_stride;
    load_batch(even, 0, l21, column_stride, is_left ? 0 : previous, rows);
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    if (is_left) {
        if (is_moved) column[targets[s]] = element;
        return;
    }

    replace_moved_rows(x, previous, targets, moved_rows);
    trsm_u12(l11, u12, previous, columns, own, column_stride);
    barrier(CLK_LOCAL_MEM_FENCE);
    // gemm: A22 -= L21 U12.
    if (WIDTH < PIPELINE_COLUMNS) {
        subtract_batch(x, 0, even, u12);
    } else {
        for (int k = 0; k < previous; k += PIPELINE_COLUMNS, l21 += PIPELINE_COLUMNS * column_stride) {
            #pragma unroll
            for (int t = 0; t < PIPELINE; t += 2) {
                load_batch(odd, t + 1, l21, column_stride, previous - k, rows);
                subtract_batch(x, t, even, u12 + k * WIDTH);
                load_batch(even, t + 2, l21, column_stride, previous - k, rows);
                subtract_batch(x, t + 1, odd, u12 + k * WIDTH);
            }
        }
    }

    if (group == 0 && width > 0)
        getf2_panel(x, width, &search, candidate_rows, diagonal_rows, base, pivots, info + info_index);
    #pragma unroll
    for (int r = 0; r < ROWS; r++) {
        const int row = item + r * THREADS;
        #pragma unroll
        for (int c = 0; c < WIDTH; c++)
            if (row < rows && c < columns) own[row + c * column_stride] = x[r][c];
    }
}

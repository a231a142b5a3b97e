// A panel of L D L^T or L D L^H with Bunch and Kaufman's pivots (LAPACK: xLASYF, xLAHEF). Four launches for column k:
//
//   update      W(k:, k) := A(k:, k) - A(k:, :k) W(k, :k)^T          the largest element below the diagonal: row r
//   candidate   W(k:, k+1) := A(k:, r) - A(k:, :k) W(r, :k)^T        the largest element off the diagonal
//   choose      a pivot of order 1 in row k or r, or of order 2      interchanges earlier columns' rows
//   store       interchanges rows and columns of A behind; L's columns
//
// W is L D, of a Hermitian matrix its conjugate. The launches of the second column of a pivot of order 2 do nothing.
#pragma once

// Work-items of a group: a power of two.
#ifndef GROUP
#define GROUP 64
#endif

#include "lapack/indefinite/elements.cl"

#define GROUP_SIZE __attribute__((reqd_work_group_size(GROUP, 1, 1)))

// (1 + sqrt(17)) / 8: growth is the same with pivots of order 1 and 2.
#define ALPHA ((real)0.640388203202208)

// The panel's state: the next column; of the last pivot the column, the order and the row; the first zero pivot counted
// from 1; and the pivots, counted from 1, negative for those of order 2.
enum { NEXT, COLUMN, ORDER, ROW, ZERO, PIVOTS };

#define MATRIX_PARAMETERS                                                                                             \
    int k, int n, __global scalar *a, long a_offset, long a_row, long a_column, __global scalar *w, long w_offset,    \
        long w_row, long w_column, __global int *state, __global scalar *block

// Uniform: `choose` alone writes the next column, behind what reads it.
#define is_done(k) ((k) > 0 && state[NEXT] != (k))

// The largest element in modulus, and its row. Of equal ones it is the first.
typedef struct {
    real size;
    int row;
} largest_type;

inline largest_type larger_of(largest_type a, largest_type b)
{
    return b.size > a.size || (b.size == a.size && b.row < a.row) ? b : a;
}

// Rows of a column that `row` is the diagonal's of, without what earlier columns of the panel subtract.
#define subtract_earlier(x, i, row)                                                                                   \
    for (int j = 0; j < k; j++) x = multiply_add(-at(w, row, j), at(a, i, j), x)

// The largest element of each group.
inline void store_largest(largest_type own, __local real *sizes, __local int *rows, __global real *group_sizes,
                          __global int *group_rows)
{
    const int item = get_local_id(0);
    sizes[item] = own.size;
    rows[item] = own.row;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int reach = GROUP / 2; reach > 0; reach /= 2) {
        if (item < reach) {
            const largest_type first = {sizes[item], rows[item]}, second = {sizes[item + reach], rows[item + reach]};
            const largest_type both = larger_of(first, second);
            sizes[item] = both.size;
            rows[item] = both.row;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (item == 0) {
        group_sizes[get_group_id(0)] = sizes[0];
        group_rows[get_group_id(0)] = rows[0];
    }
}

inline largest_type largest_of(int groups, __global const real *sizes, __global const int *rows, int none)
{
    largest_type most = {0, none};
    for (int g = 0; g < groups; g++) {
        const largest_type other = {sizes[g], rows[g]};
        most = larger_of(most, other);
    }
    return most;
}

__kernel GROUP_SIZE void update(MATRIX_PARAMETERS, __global real *sizes, __global int *rows)
{
    __local real local_sizes[GROUP];
    __local int local_rows[GROUP];
    a += a_offset;
    w += w_offset;
    largest_type most = {0, n};
    // Every work-item comes to the barriers.
    const int end = is_done(k) ? 0 : n;
    for (int i = k + get_global_id(0); i < end; i += get_global_size(0)) {
        scalar x = at(a, i, k);
        if (i == k) x = on_diagonal(x);
        subtract_earlier(x, i, k);
        if (i == k) x = on_diagonal(x);
        at(w, i, k) = x;
        const largest_type own = {size_of(x), i};
        if (i > k && own.size > most.size) most = own;
    }
    store_largest(most, local_sizes, local_rows, sizes, rows);
}

__kernel GROUP_SIZE void candidate(MATRIX_PARAMETERS, __global real *sizes, __global int *rows, int groups,
                                   __global const real *below_sizes, __global const int *below_rows)
{
    __local real local_sizes[GROUP];
    __local int local_rows[GROUP];
    a += a_offset;
    w += w_offset;
    const largest_type below = largest_of(groups, below_sizes, below_rows, n);
    const real own = size_of(at(w, k, k));
    const int is_needed = !isnan(own) && below.row < n && own < ALPHA * below.size, end = is_needed ? n : 0;
    largest_type most = {0, n};
    for (int i = k + get_global_id(0); i < (is_done(k) ? 0 : end); i += get_global_size(0)) {
        scalar x = i < below.row ? mirrored(at(a, below.row, i)) : at(a, i, below.row);
        if (i == below.row) x = on_diagonal(x);
        subtract_earlier(x, i, below.row);
        if (i == below.row) x = on_diagonal(x);
        at(w, i, k + 1) = x;
        const largest_type other = {size_of(x), i};
        if (i != below.row && other.size > most.size) most = other;
    }
    store_largest(most, local_sizes, local_rows, sizes, rows);
}

inline void swap_elements(__global scalar *x, __global scalar *y)
{
    const scalar value = *x;
    *x = *y;
    *y = value;
}

// Stores a pivot for the next launches: the state, and its elements.
inline void record(int k, int order, int row, int zero, __global const scalar *w, long w_row, long w_column,
                   __global int *state, __global scalar *block)
{
    if (zero > 0 && state[ZERO] == 0) state[ZERO] = zero;
    state[NEXT] = k + order;
    state[COLUMN] = k;
    state[ORDER] = order;
    state[ROW] = row;
    state[PIVOTS + k] = order == 1 ? row + 1 : -(row + 1);
    block[0] = order == 2 || row == k ? at(w, k, k) : at(w, row, k + 1);
    if (order == 2) {
        state[PIVOTS + k + 1] = -(row + 1);
        block[1] = at(w, row, k);
        block[2] = at(w, row, k + 1);
    }
}

// One group. `first` is the panel's first column in the matrix.
__kernel GROUP_SIZE void choose(MATRIX_PARAMETERS, int first, int groups, __global const real *below_sizes,
                                __global const int *below_rows, __global const real *candidate_sizes,
                                __global const int *candidate_rows)
{
    a += a_offset;
    w += w_offset;
    const int is_idle = is_done(k);
    const largest_type below = largest_of(groups, below_sizes, below_rows, n);
    const real own = size_of(at(w, k, k));
    const int is_zero_pivot = isnan(own) || (own == 0 && below.size == 0);
    int order = 1, row = k;
    if (!is_zero_pivot && below.row < n && own < ALPHA * below.size) {
        const real off_diagonal = largest_of(groups, candidate_sizes, candidate_rows, n).size;
        if (!(own >= ALPHA * below.size * (below.size / off_diagonal))) {
            row = below.row;
            order = size_of(at(w, row, k + 1)) >= ALPHA * off_diagonal ? 1 : 2;
        }
    }
    const int from = k + order - 1, end = is_idle || from == row ? 0 : k;
    // Every work-item has read the state.
    barrier(CLK_GLOBAL_MEM_FENCE);
    for (int j = get_local_id(0); j < end; j += GROUP) {
        swap_elements(&at(a, from, j), &at(a, row, j));
        swap_elements(&at(w, from, j), &at(w, row, j));
    }
    // PoCL 5 forgets a work-item's condition that is joined with one of the whole group.
    if (get_local_id(0) == 0) {
        if (!is_idle) record(k, order, row, is_zero_pivot ? first + k + 1 : 0, w, w_row, w_column, state, block);
    }
}

// L's columns of a pivot, in a row below it or of it.
typedef struct {
    int k, order;
    // L's element is the first times W's, less the second times W's of the other column.
    scalar pivot, inverse, first, second, factor;
} pivot_type;

inline pivot_type pivot_of(int k, int order, __global const scalar *block)
{
    pivot_type pivot = {k, order, block[0], SCALAR_ZERO, SCALAR_ZERO, SCALAR_ZERO, SCALAR_ZERO};
    if (order == 1) {
        pivot.inverse = reciprocal_of(pivot.pivot);
        return pivot;
    }
    const scalar off = block[1];
    pivot.first = divide(block[2], off);
    pivot.second = divide(block[0], mirrored(off));
    const scalar determinant = on_diagonal(multiply(pivot.first, pivot.second)) - SCALAR_ONE;
    pivot.factor = divide(reciprocal_of(determinant), off);
    return pivot;
}

// Row i, of which x and y are W's elements in the pivot's columns.
inline void store_row(const pivot_type *p, int i, scalar x, scalar y, __global scalar *a, long a_row, long a_column,
                      __global scalar *w, long w_row, long w_column)
{
    const int k = p->k;
    if (i < k + p->order) {
        at(a, i, k) = x;
        at(w, i, k) = i == k ? x : mirrored(x);
        if (i > k) at(a, i, k + 1) = at(w, i, k + 1) = y;
        return;
    }
    at(w, i, k) = mirrored(x);
    if (p->order == 1) {
        // Below a zero there are only zeros.
        at(a, i, k) = is_zero(p->pivot) ? x : divided(x, p->pivot, p->inverse);
        return;
    }
    at(w, i, k + 1) = mirrored(y);
    at(a, i, k) = multiply(mirrored(p->factor), multiply_add(p->first, x, -y));
    at(a, i, k + 1) = multiply(p->factor, multiply_add(p->second, y, -x));
}

__kernel GROUP_SIZE void store(MATRIX_PARAMETERS)
{
    if (state[COLUMN] != k) return;
    a += a_offset;
    w += w_offset;
    const int order = state[ORDER], to = state[ROW], from = k + order - 1;
    const pivot_type pivot = pivot_of(k, order, block);
    // A pivot of order 1 from below has its column where the candidate's is.
    const int column = order == 1 && to != k ? k + 1 : k;
    for (int i = k + get_global_id(0); i < n; i += get_global_size(0)) {
        // The other row of an interchange is that of `from`.
        if (i == to && from != to) continue;
        const scalar x = at(w, i, column), y = order == 2 ? at(w, i, k + 1) : SCALAR_ZERO;
        if (i == from && from != to) {
            const scalar other_x = at(w, to, column), other_y = order == 2 ? at(w, to, k + 1) : SCALAR_ZERO;
            at(a, to, to) = on_diagonal(at(a, from, from));
            store_row(&pivot, from, other_x, other_y, a, a_row, a_column, w, w_row, w_column);
            store_row(&pivot, to, x, y, a, a_row, a_column, w, w_row, w_column);
            continue;
        }
        if (from != to && i > from) {
            if (i > to) at(a, i, to) = at(a, i, from);
            else at(a, to, i) = mirrored(at(a, i, from));
        }
        store_row(&pivot, i, x, y, a, a_row, a_column, w, w_row, w_column);
    }
}

// Puts multipliers of the panel's `k` columns back where they eliminated: LAPACK's are not interchanged. One group.
__kernel GROUP_SIZE void undo_interchanges(MATRIX_PARAMETERS)
{
    a += a_offset;
    for (int j = get_local_id(0); j < k; j += GROUP) {
        int column = k;
        while (column > 0) {
            const int pivot = state[PIVOTS + column - 1], row = column - 1, to = abs(pivot) - 1;
            column -= pivot > 0 ? 1 : 2;
            if (j >= column) break;
            if (to != row) swap_elements(&at(a, row, j), &at(a, to, j));
        }
    }
}

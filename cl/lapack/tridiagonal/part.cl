// Parts of one tridiagonal system (Wang 1981; Klein and Strzodka 2021): a part has PART rows or some fewer, a work-item
// one part and COLUMNS right-hand sides.
//
//   part i      first  * . . .      The rows between the first and the last one are eliminated inside a part. Its two
//               inner    . . .      other rows are then rows of a coarse tridiagonal system: row 2i of the first
//               last   . . . *      unknown, row 2i + 1 of the last one.
//
// Rows of U keep within a part, so that pivots are chosen among its rows alone.
#pragma once

// Rows of a part, at most.
#ifndef PART
#define PART 32
#endif

#include "common/divide.cl"
#include "lapack/tridiagonal/eliminate.cl"

// The matrix: n elements on the diagonal, n - 1 below and above it.
typedef struct {
    __global const scalar *dl, *d, *du;
    long n;
} matrix_type;

// The element left of the diagonal in a row, and right of it.
inline scalar left_of(const matrix_type *a, long row) { return row > 0 ? a->dl[row - 1] : SCALAR_ZERO; }
inline scalar right_of(const matrix_type *a, long row) { return row < a->n - 1 ? a->du[row] : SCALAR_ZERO; }

// Columns from `first` on, of which there are `columns` in all; a work-item has the last ones again.
inline long own_column(long first, int c, long columns) { return min(first + c, columns - 1); }

// The first row of a part: the first parts have a row more.
inline long first_row(long n, long parts, long part) { return part * (n / parts) + min(part, n % parts); }

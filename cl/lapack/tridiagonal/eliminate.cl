// A row of a tridiagonal matrix goes with the next one: the rows of a part are eliminated one after the other, in one
// direction or the other.
//
//   row k       [s . . p q | y]      s: the part's first unknown (upwards: its last one)
//   row k + 1   [      l d u | f]  ->  [s' . . p' q' | y'] without the unknown of p and l
#pragma once

// Right-hand sides of a work-item.
#ifndef COLUMNS
#define COLUMNS 1
#endif

#include "common/scalar.cl"

// 1/v where the square of |v| neither overflows nor underflows. Elsewhere no solution comes of it: the residual shows
// that.
#if SCALAR_IS_COMPLEX
#define size_of(v) (fabs((v).x) + fabs((v).y))
inline scalar quick_reciprocal(scalar v)
{
    return (scalar)(v.x, -v.y) * (1 / real_multiply_add(v.x, v.x, v.y * v.y));
}
#else
#define size_of(v) fabs(v)
#define quick_reciprocal(v) (1 / (v))
#endif

// The larger of two moduli. A NaN becomes infinite, so that it is not lost.
inline real larger(real most, real v) { return isnan(v) ? (real)INFINITY : fmax(most, v); }

// A row of which all but three elements are eliminated.
typedef struct {
    scalar spike, own, ahead, b[COLUMNS];
} row_type;

// Eliminates the unknown that is own to `row` with the next row: pivot is the larger element.
inline void eliminate(row_type *row, scalar below, scalar d, scalar ahead, const scalar *b)
{
    const int stays = size_of(row->own) >= size_of(below);
    const scalar pivot = stays ? row->own : below;
    // Of two zeros there is nothing to eliminate; the residual shows an equation that is lost.
    const scalar factor =
        is_zero(pivot) ? SCALAR_ZERO : -multiply(stays ? below : row->own, quick_reciprocal(pivot));
    row->own = stays ? multiply_add(factor, row->ahead, d) : multiply_add(factor, d, row->ahead);
    row->ahead = stays ? ahead : multiply(factor, ahead);
    row->spike = stays ? multiply(factor, row->spike) : row->spike;
    for (int c = 0; c < COLUMNS; c++)
        row->b[c] = stays ? multiply_add(factor, row->b[c], b[c]) : multiply_add(factor, b[c], row->b[c]);
}

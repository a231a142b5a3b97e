// Products of level 2 on CPUs: one work-item per chunk of work, wide vectors along the columns. STEP columns at a time
// over the rows that all of them have stored, and element by element where only some have.
#pragma once

// Columns at a time.
#ifndef STEP
#define STEP 4
#endif

#include "common/vectors.cl"
#include "blas/level2/product.cl"

// Elements in a vector.
#define WIDTH (VECTOR_WIDTH / PARTS)

// The chunk of a work-group: from both ends inwards, so that the chunks of a triangle, which grow, meet evenly when
// consecutive groups go to one processor.
#define evened_out(id, count) ((id) % 2 == 0 ? (id) / 2 : (count) - 1 - (id) / 2)

// The rows, within [first, last), in which column j is stored, and those in which columns j to j + steps - 1 all are.
// The second range lies in the first, and is empty at its end where there are none.
#define DECLARE_OWN_ROWS(begin, end, j, first, last) const long begin = max(first, (j) - above), \
    end = min(last, (j) + below + 1)
#define DECLARE_COMMON_ROWS(begin, end, j, steps, first, last) \
    const long begin = max(first, (j) + (steps) - 1 - above);  \
    const long end = max(begin, min(last, (j) + below + 1))

// A product of each element of a vector with one number, in the form of vectors: v * straight + swap_parts(v) *
// crossed.
#if SCALAR_IS_COMPLEX
inline vector straight_factor(scalar factor, int conjugated)
{
    const scalar pair = (scalar)(factor.x, conjugated ? -factor.x : factor.x);
    return every_element(pair);
}

// With its parts already swapped: swap_parts(v * crossed) is what is added.
inline vector crossed_factor(scalar factor, int conjugated)
{
    const scalar pair = (scalar)(factor.y, conjugated ? factor.y : -factor.y);
    return every_element(pair);
}
#endif

// The sums of the even and of the odd elements of a vector.
inline real2 sums_of_places(vector v)
{
#if VECTOR_WIDTH == 16
    const real8 eight = v.lo + v.hi;
    const real4 four = eight.lo + eight.hi;
#elif VECTOR_WIDTH == 8
    const real4 four = v.lo + v.hi;
#else
    const real4 four = v;
#endif
    return four.lo + four.hi;
}

// The sum of products c(a)*x from the vectors of products a*x and, for complex numbers, a*swap_parts(x).
#if SCALAR_IS_COMPLEX
inline scalar sum_of_products(vector straight, vector crossed, int conjugated)
{
    const real2 s = sums_of_places(straight), c = sums_of_places(crossed);
    return conjugated ? (scalar)(s.x + s.y, c.x - c.y) : (scalar)(s.x - s.y, c.x + c.y);
}
#else
#define sum_of_products(straight, crossed, conjugated) (sums_of_places(straight).x + sums_of_places(straight).y)
#endif

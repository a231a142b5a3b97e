// Structured operands and targets: operands of which only a triangle is stored, and targets of which only a triangle is
// computed. An element (i, j) lies i - j - diagonal below its matrix's diagonal: on it with 0, above it with less.
#pragma once

// A's structure: GENERAL, SYMMETRIC ..., by its number below.
#ifndef A_STRUCTURE
#define A_STRUCTURE 0
#endif

// B's structure.
#ifndef B_STRUCTURE
#define B_STRUCTURE 0
#endif

// 0: all of C. 1: a triangle. 2: a Hermitian triangle.
#ifndef TARGET
#define TARGET 0
#endif

#include "common/scalar.cl"

#define GENERAL 0
#define SYMMETRIC 1
#define HERMITIAN 2
#define TRIANGULAR 3
#define UNIT_TRIANGULAR 4
#define is_mirrored(structure) ((structure) == SYMMETRIC || (structure) == HERMITIAN)
#define is_triangular(structure) ((structure) >= TRIANGULAR)

// The arguments of an operand. It has one index along C (i: a row of A, a column of B) and one along k (p). A mirrored
// operand's stored triangle is below the diagonal. A triangular one's is above it if `upper`.
#define OPERAND(name)                                                                                         \
    __global const scalar *restrict name, long name##_offset, long name##_along_stride, long name##_k_stride, \
        int name##_conjugate, int name##_upper, long name##_diagonal

// The element (i, p) of an operand.
inline scalar structured_element(const int structure, __global const scalar *x, long i, long p, long along_stride,
                                 long k_stride, int conjugate, int upper, long diagonal)
{
    const long below = i - p - diagonal;
    if (is_triangular(structure)) {
        if (upper ? below > 0 : below < 0) return SCALAR_ZERO;
        if (structure == UNIT_TRIANGULAR && below == 0) return SCALAR_ONE;
    }
    const bool mirror = is_mirrored(structure) && below < 0;
    scalar value = mirror ? x[(p + diagonal) * along_stride + (i - diagonal) * k_stride]
                          : x[i * along_stride + p * k_stride];
#if SCALAR_IS_COMPLEX
    if (structure == HERMITIAN && below == 0) value.y = 0;
    if (conjugate != (structure == HERMITIAN && mirror)) value.y = -value.y;
#endif
    return value;
}

// The range of k in which the elements [first, last) along C of an operand are not all zero begins here ...
inline long k_from(const int structure, int upper, long diagonal, long first)
{
    return is_triangular(structure) && upper ? max(0L, first - diagonal) : 0;
}

// ... and ends here.
inline long k_to(const int structure, int upper, long diagonal, long last, long k)
{
    return is_triangular(structure) && !upper ? min(k, last - diagonal) : k;
}

#if TARGET
// An element (i, j) of C is computed.
#define is_wanted(i, j) (c_upper ? (i) - (j) <= c_diagonal : (i) - (j) >= c_diagonal)
// Any of the elements [i, i + rows) x [j, j + columns) is computed.
#define is_any_wanted(i, j, rows, columns) \
    (c_upper ? (i) - ((j) + (columns) - 1) <= c_diagonal : (i) + (rows) - 1 - (j) >= c_diagonal)
// All of them are, and none is on the diagonal.
#define are_all_wanted(i, j, rows, columns) \
    (c_upper ? (i) + (rows) - 1 - (j) < c_diagonal : (i) - ((j) + (columns) - 1) > c_diagonal)
#else
#define is_wanted(i, j) true
#define is_any_wanted(i, j, rows, columns) true
#define are_all_wanted(i, j, rows, columns) true
#endif

// alpha*sum + beta*before for an element of C. The diagonal of a Hermitian C is real.
inline scalar target_sum(scalar sum, scalar alpha, scalar beta, scalar before, bool on_diagonal)
{
    const scalar product = scale_by(alpha, sum);
#if SCALAR_IS_COMPLEX && TARGET == 2
    if (on_diagonal) return (scalar)(product.x + beta.x * before.x, 0);
#endif
    return scale_and_add(beta, before, product);
}

// The same for an element in memory. With beta = 0 it is not read.
inline scalar target_value(scalar sum, scalar alpha, scalar beta, __global const scalar *c, bool on_diagonal)
{
    return target_sum(sum, alpha, beta, is_zero(beta) ? SCALAR_ZERO : *c, on_diagonal);
}

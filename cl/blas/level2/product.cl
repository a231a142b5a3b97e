// Products y := alpha*op(A)*x + beta*y of level 2: arguments and elements of A.
//
// A is stored by columns (common/stored.cl). Each kernel writes every element of the result that its work-groups own:
// y[y_first + i*y_step + part*part_stride], where `part` is the piece of the sums that a group computes. With one part
// this is y itself. Else it is workspace, alpha is 1 and beta 0, and product_finish adds the parts in order.
// `chunk` is the number of elements of the result that a group computes, `part_length` that of a part's terms, where
// the kernel does not know them itself.
//
// In a symmetric product (product_symmetric) `above` and `below` leave out the diagonal: one of them is -1.
#pragma once

#include "common/scalar.cl"
#include "common/stored.cl"

#define PRODUCT_PARAMETERS                                                                                       \
    long rows, long columns, STORED_PARAMETERS, int conjugate, int hermitian, __global const scalar *restrict a, \
        long a_offset, __global const scalar *restrict x, long x_first, long x_step, scalar alpha, scalar beta,  \
        __global scalar *restrict y, long y_first, long y_step, long chunk, long part_length, long part_stride

// The distance of a column's start to the next one's. It grows by `quadratic` with each column.
#define column_step(j) ((linear + quadratic * (2 * (j) + 1)) / 2)

// The value of a stored element, and that of its mirror image.
#define direct_value(v) conjugate_if(conjugate, v)
#define mirrored_value(v) conjugate_if(hermitian && !conjugate, v)

// The value of an element of the diagonal: that of a Hermitian matrix is real.
#if SCALAR_IS_COMPLEX
#define diagonal_value(v) (hermitian ? (scalar)((v).x, 0) : (v))
#else
#define diagonal_value(v) (v)
#endif

// Stores an element of the result.
#define store_result(i, sum)                                                                         \
    do {                                                                                             \
        __global scalar *const element = y + get_group_id(1) * part_stride + y_first + (i) * y_step; \
        *element = accumulate(scale_by(alpha, sum), beta, element);                                  \
    } while (0)

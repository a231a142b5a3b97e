// Columns with elements near the overflow threshold, whose products with Householder vectors would overflow. A power
// of two scales them before the factorisation, and its reciprocal scales R's columns afterwards: A D = Q (R D).
#pragma once

#include "common/divide.cl"

// No sum of 2^31 products with a vector's elements overflows for elements up to this bound.
#if SCALAR_IS_DOUBLE
#define MAX_ELEMENT 0x1p960
#define SCALE_COLUMN 0x1p-200
#else
#define MAX_ELEMENT 0x1p90f
#define SCALE_COLUMN 0x1p-60f
#endif

// Bit 0: an element is above the bound. Bit 1: an element is infinite. Looks at rows `first`, `first` + `step`, ...
inline int excess_of(__global const scalar *column, long first, long step, long rows, long stride)
{
    int excess = 0;
    for (long i = first; i < rows; i += step) {
        const real size = largest_part(column[i * stride]);
        excess |= (size > MAX_ELEMENT ? 1 : 0) | (isinf(size) ? 2 : 0);
    }
    return excess;
}

inline void scale_column(__global scalar *column, long first, long step, long rows, long stride, real factor)
{
    for (long i = first; i < rows; i += step) column[i * stride] *= factor;
}

// Columns with elements near the largest number, whose products with the vectors of reflections would overflow: they are scaled by
// a power of two before a matrix is factorised, and R's afterwards by its reciprocal. A D = Q (R D).

// No sum of 2^31 products with a vector's elements overflows for elements up to this.
#if SCALAR_IS_DOUBLE
#define LARGEST_ELEMENT 0x1p960
#define SCALE_COLUMN 0x1p-200
#else
#define LARGEST_ELEMENT 0x1p90f
#define SCALE_COLUMN 0x1p-60f
#endif

// Of elements from `first` on, `step` apart in number: 0, or 1 where one is larger, and 2 more where one is infinite.
inline int excess_of(__global const scalar *column, long first, long step, long rows, long stride)
{
    int excess = 0;
    for (long i = first; i < rows; i += step) {
        const real size = largest_part(column[i * stride]);
        excess |= (size > LARGEST_ELEMENT ? 1 : 0) | (isinf(size) ? 2 : 0);
    }
    return excess;
}

inline void scale_column(__global scalar *column, long first, long step, long rows, long stride, real factor)
{
    for (long i = first; i < rows; i += step) column[i * stride] *= factor;
}

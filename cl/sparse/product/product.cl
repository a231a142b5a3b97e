// What the products y := alpha A x + beta y have in common.
// Parameters: CONJUGATED (it is conj(A)), ADJACENT (the elements of x and of y lie next to each other).

#define PRODUCT_PARAMETERS                                                                                      \
    MATRIX_PARAMETERS, scalar alpha, __global const scalar *restrict x, long x_first, long x_step, scalar beta, \
        __global scalar *restrict y, long y_first, long y_step
#define PRODUCT_BEGIN \
    MATRIX_BEGIN;     \
    x += x_first;     \
    y += y_first

#if ADJACENT
#define x_element(j) x[j]
#define y_element(i) y[i]
#else
#define x_element(j) x[(j) * x_step]
#define y_element(i) y[(i) * y_step]
#endif

#define matrix_value(entry) conjugate_if(CONJUGATED, values[entry])
#define store_result(row, sum)                                  \
    do {                                                        \
        __global scalar *const place = &y_element(row);         \
        *place = accumulate(scale_by(alpha, sum), beta, place); \
    } while (0)

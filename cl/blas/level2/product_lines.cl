// Products of level 2, a work-item per element of the result, which walks along its row, its column or both: narrow
// bands, and devices without groups of work-items that could share more.

// The element's sum has terms along A's row. Symmetric products have both.
#ifndef ALONG_ROW
#define ALONG_ROW 1
#endif

// The element's sum has terms along A's column.
#ifndef ALONG_COLUMN
#define ALONG_COLUMN 0
#endif

#include "common/blocks.cl"
#include "blas/level2/product.cl"

__kernel void product_lines(PRODUCT_PARAMETERS)
{
    const long n = ALONG_ROW ? rows : columns, block = chunk;
    a += a_offset;
    x += x_first;
    FOR_EACH_ELEMENT(i) {
        scalar sum = SCALAR_ZERO;
#if ALONG_ROW
        const long last_column = min(columns, i + above + 1);
        for (long j = max(0L, i - below); j < last_column; j++) {
            const scalar value = a[column_start(j) + i];
            sum = multiply_add(direct_value(value), x[j * x_step], sum);
        }
#endif
#if ALONG_ROW && ALONG_COLUMN
        const scalar value = a[column_start(i) + i];
        sum = multiply_add(diagonal_value(value), x[i * x_step], sum);
#define column_value mirrored_value
#else
#define column_value direct_value
#endif
#if ALONG_COLUMN
        __global const scalar *column = a + column_start(i);
        const long last_row = min(rows, i + below + 1);
        for (long p = max(0L, i - above); p < last_row; p++) {
            const scalar value = column[p];
            sum = multiply_add(column_value(value), x[p * x_step], sum);
        }
#endif
        store_result(i, sum);
    }
}

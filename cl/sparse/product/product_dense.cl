// C := alpha A B + beta C for dense B and C: a work-item for each row and COLUMNS columns of C.
//
// Parameters: CONJUGATED (it is conj(A)), COLUMNS, ROWS_FIRST (neighbouring work-items have neighbouring rows, and not columns).

__kernel void product_dense(MATRIX_PARAMETERS, long columns, scalar alpha, __global const scalar *restrict b, long b_first,
                            long b_row_stride, long b_column_stride, scalar beta, __global scalar *restrict c, long c_first,
                            long c_row_stride, long c_column_stride)
{
    MATRIX_BEGIN;
    const long row = get_global_id(ROWS_FIRST ? 0 : 1), first = (long)get_global_id(ROWS_FIRST ? 1 : 0) * COLUMNS;
    if (row >= rows || first >= columns) return;
    b += b_first + first * b_column_stride;
    c += c_first + row * c_row_stride + first * c_column_stride;
    const int count = (int)min((long)COLUMNS, columns - first);
    const long end = is_zero(alpha) ? pointers[row] : pointers[row + 1];
    scalar sum[COLUMNS];
    for (int j = 0; j < COLUMNS; j++) sum[j] = SCALAR_ZERO;
    if (count == COLUMNS) {
        for (long entry = pointers[row]; entry < end; entry++) {
            const scalar value = conjugate_if(CONJUGATED, values[entry]);
            __global const scalar *b_row = b + indices[entry] * b_row_stride;
            #pragma unroll
            for (int j = 0; j < COLUMNS; j++) sum[j] = multiply_add(value, b_row[j * b_column_stride], sum[j]);
        }
    } else {
        for (long entry = pointers[row]; entry < end; entry++) {
            const scalar value = conjugate_if(CONJUGATED, values[entry]);
            __global const scalar *b_row = b + indices[entry] * b_row_stride;
            for (int j = 0; j < count; j++) sum[j] = multiply_add(value, b_row[j * b_column_stride], sum[j]);
        }
    }
    for (int j = 0; j < count; j++) {
        __global scalar *place = c + j * c_column_stride;
        *place = accumulate(is_zero(alpha) ? SCALAR_ZERO : multiply(alpha, sum[j]), beta, place);
    }
}

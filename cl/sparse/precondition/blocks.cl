// y := op(B) x for a matrix B of square blocks on its diagonal, each of size x size elements, with zeros where the last one has no rows and columns.
//
// Parameters: ALONG (the elements that a row of y needs are adjacent; else those that neighbouring rows need), CONJUGATED.

__kernel void block_product(long n, long size, long chunk, __global const scalar *restrict blocks, __global const scalar *restrict x,
                            long x_first, long x_step, __global scalar *restrict y, long y_first, long y_step)
{
    const long end = min(n, ((long)get_global_id(0) + 1) * chunk);
    for (long row = (long)get_global_id(0) * chunk; row < end; row++) {
        const long i = row % size, first = row - i, columns = min(size, n - first);
        __global const scalar *own = blocks + first * size + (ALONG ? i * size : i);
        scalar sum = SCALAR_ZERO;
        for (long j = 0; j < columns; j++)
            sum = multiply_add(conjugate_if(CONJUGATED, own[ALONG ? j : j * size]), x[x_first + (first + j) * x_step], sum);
        y[y_first + row * y_step] = sum;
    }
}

// B := B L⁻ᴴ for the rows below a block on the diagonal and the inverse of its factor. A work-group has TILE rows, all of whose
// columns it reads before it writes any. It has TILE times TILE / 16 work-items, each with 4 x 4 elements of the result.
// Parameters: WIDTH (columns, at most: the inverse's elements from row to row), TILE.

#define ACROSS (WIDTH / 4)
#define THREADS (TILE / 4 * ACROSS)
// Columns that are taken at once: all of them in single precision, and as many bytes in the others.
#define DEPTHS (WIDTH >> (SCALAR_IS_DOUBLE + SCALAR_IS_COMPLEX))
#define DEPTH (DEPTHS < 16 ? WIDTH : DEPTHS)

__kernel __attribute__((reqd_work_group_size(THREADS, 1, 1))) void cholesky_below(
    long rows, int width, __global scalar *b, long b_offset, long row_stride, long column_stride,
    __global const scalar *restrict inverse)
{
    // A place more, so that what is written down the columns lies in different banks.
    __local scalar left[DEPTH][TILE + 1], right[DEPTH][WIDTH + 1];
    const int item = get_local_id(0), top = item % (TILE / 4), side = item / (TILE / 4);
    const long first = (long)get_group_id(0) * TILE;
    const bool along_rows = column_stride < row_stride;
    b += b_offset;
    scalar sums[4][4];
    #pragma unroll
    for (int r = 0; r < 4; r++) {
        #pragma unroll
        for (int c = 0; c < 4; c++) sums[r][c] = SCALAR_ZERO;
    }
    for (int depth = 0; depth < WIDTH; depth += DEPTH) {
        for (int e = item; e < DEPTH * TILE; e += THREADS) {
            const int r = along_rows ? e / DEPTH : e % TILE, k = along_rows ? e % DEPTH : e / TILE;
            const bool is_there = first + r < rows && depth + k < width;
            left[k][r] = is_there ? b[(first + r) * row_stride + (depth + k) * column_stride] : SCALAR_ZERO;
        }
        for (int e = item; e < DEPTH * WIDTH; e += THREADS)
            right[e % DEPTH][e / DEPTH] = conjugate_if(1, inverse[e / DEPTH * WIDTH + depth + e % DEPTH]);
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; k < DEPTH; k++) {
            scalar column[4], row[4];
            #pragma unroll
            for (int r = 0; r < 4; r++) column[r] = left[k][top + r * (TILE / 4)];
            #pragma unroll
            for (int c = 0; c < 4; c++) row[c] = right[k][side + c * ACROSS];
            #pragma unroll
            for (int r = 0; r < 4; r++) {
                #pragma unroll
                for (int c = 0; c < 4; c++) sums[r][c] = multiply_add(column[r], row[c], sums[r][c]);
            }
        }
        barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    }
    #pragma unroll
    for (int r = 0; r < 4; r++) {
        const long i = first + top + r * (TILE / 4);
        #pragma unroll
        for (int c = 0; c < 4; c++) {
            const int j = side + c * ACROSS;
            if (i < rows && j < width) b[i * row_stride + j * column_stride] = sums[r][c];
        }
    }
}

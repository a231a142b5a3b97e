// A = Q R for each of the parts that a panel's rows are cut into, by a work-group each, with all of a part's columns in registers.
// A work-item has ROWS rows, THREADS apart. One sum over the group tells the norm of a column's rest and its products with all others.
//
// A is read only. A part's vectors are columns of a matrix of their own, with ones on the diagonal and zeros above it, and the
// parts' triangles R, without gaps, lie one below the other. With Vᴴ V above the diagonal and the factors of the reflections on it,
// the WIDTH x WIDTH matrix `links` says how a part's reflections belong together.
// Parameters: THREADS, ROWS, WIDTH (columns, of which a part has as many rows at least).

__kernel __attribute__((reqd_work_group_size(THREADS, 1, 1))) void qr_leaf(
    int rows, int part_rows, __global const scalar *restrict a, long a_offset, long row_stride, long column_stride,
    __global scalar *restrict vectors, long vectors_stride, __global scalar *restrict links,
    __global scalar *restrict triangles, long triangles_stride)
{
    __local sum_room room;
    __local scalar tops[2][WIDTH], weights[WIDTH], products[WIDTH * WIDTH];
    __local real scales[WIDTH];
    const int item = get_local_id(0), part = get_group_id(0), begin = part * part_rows;
    rows = min(part_rows, rows - begin);
    a += a_offset + begin * row_stride;
    vectors += begin;
    links += part * WIDTH * WIDTH;
    triangles += part * WIDTH;

    scalar x[ROWS][WIDTH], own[WIDTH];
    #pragma unroll
    for (int r = 0; r < ROWS; r++) {
        const int row = item + r * THREADS;
        #pragma unroll
        for (int c = 0; c < WIDTH; c++) x[r][c] = row < rows ? a[row * row_stride + c * column_stride] : SCALAR_ZERO;
    }
    #pragma unroll
    for (int c = 0; c < WIDTH; c++) {
        real sum = 0;
        #pragma unroll
        for (int r = 0; r < ROWS; r++) sum += capped_modulus(x[r][c]);
        own[c] = from_real(sum);
    }
    group_sums sums = sum_in_group(own, &room, 0);
    if (item < WIDTH) {
        const int exponent = clamp(ilogb(real_part(own_sum(sums))), SMALLEST_EXPONENT, LARGEST_EXPONENT);
        scales[item] = ldexp((real)1, -exponent);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    #pragma unroll
    for (int c = 0; c < WIDTH; c++) {
        const real scale = scales[c];
        #pragma unroll
        for (int r = 0; r < ROWS; r++) x[r][c] *= scale;
    }

    // Columns go round, so that each stands in the first place when it is reflected, and one code does for all: then those that are
    // done are the last ones.
    for (int c = 0; c < WIDTH; c++) {
        __local scalar *top = tops[c & 1];
        #pragma unroll
        for (int p = 0; p < WIDTH; p++) own[p] = SCALAR_ZERO;
        #pragma unroll
        for (int r = 0; r < ROWS; r++) {
            const int row = item + r * THREADS;
            const scalar element = row > c ? conjugate_if(1, x[r][0]) : SCALAR_ZERO;
            #pragma unroll
            for (int p = 0; p < WIDTH; p++) own[p] = multiply_add(element, x[r][p], own[p]);
            if (row == c) {
                #pragma unroll
                for (int p = 0; p < WIDTH; p++) top[p] = x[r][p];
            }
        }
        sums = sum_in_group(own, &room, 1 + c);
        const reflection h = reflection_of(top[0], real_part(sum_of(sums, 0)));
        if (item < WIDTH) {
            const int column = (c + item) % WIDTH;
            const scalar product = multiply_add(conjugate_if(1, h.inverse), own_sum(sums), top[item]);
            weights[item] = column > c ? -multiply(conjugate_if(1, h.tau), product) : SCALAR_ZERO;
            if (column <= c) products[column + c * WIDTH] = column == c ? h.tau : conjugate_if(1, product);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        scalar v[ROWS], done[ROWS];
        #pragma unroll
        for (int r = 0; r < ROWS; r++) {
            const int row = item + r * THREADS;
            v[r] = row > c ? multiply(x[r][0], h.inverse) : row == c ? SCALAR_ONE : SCALAR_ZERO;
            done[r] = row > c ? v[r] : row == c ? from_real(h.beta) : x[r][0];
        }
        #pragma unroll
        for (int p = 1; p < WIDTH; p++) {
            const scalar weight = weights[p];
            #pragma unroll
            for (int r = 0; r < ROWS; r++) x[r][p - 1] = multiply_add(weight, v[r], x[r][p]);
        }
        #pragma unroll
        for (int r = 0; r < ROWS; r++) x[r][WIDTH - 1] = done[r];
    }

    #pragma unroll
    for (int r = 0; r < ROWS; r++) {
        const int row = item + r * THREADS;
        #pragma unroll
        for (int c = 0; c < WIDTH; c++) {
            if (row < rows) vectors[row + c * vectors_stride] = row > c ? x[r][c] : row == c ? SCALAR_ONE : SCALAR_ZERO;
            // R in its own size.
            if (row < WIDTH) triangles[row + c * triangles_stride] = row > c ? SCALAR_ZERO : x[r][c] * (1 / scales[c]);
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int e = item; e < WIDTH * WIDTH; e += THREADS)
        links[e] = e % WIDTH <= e / WIDTH ? products[e] : SCALAR_ZERO;
}

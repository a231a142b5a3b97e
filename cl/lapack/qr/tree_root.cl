// The reflections of a panel from those of its parts and of the parts' triangles (G. Ballard, J. Demmel, L. Grigori, M. Jacquelin, N.
// Knight, H. Nguyen, J. Parallel Distrib. Comput. 85, 2015): Q's first columns are [S; 0] + V U for a V with a unit lower triangle
// on its top, an upper triangle U, and signs S that make the pivots of this elimination one at least. Then R is S times the
// last triangle, and T is -U S times the inverse of the adjoint of V's top.
//
// They are written below the diagonal of A, and as columns of a matrix `whole`, with the ones on the diagonal, the zeros above it,
// and as many rows of zeros above those as `above` says.
//
// A work-group has THREADS rows of a part at most. What all of them need, they all compute; what they read, none of them writes.
// Parameters: THREADS, WIDTH (columns).

#define COLUMN(j) ((j) * WIDTH)
#define SIZE (WIDTH * WIDTH)

// Y := T Y for `count` matrices, from Vᴴ V above the diagonal and the factors on it. Rows get their factors at the end.
inline void multiply_by_triangle(
    int count, __global const scalar *restrict first_links, __global const scalar *restrict own_links, __local scalar *y)
{
    for (int k = WIDTH - 1; k > 0; k--) {
        for (int e = get_local_id(0); e < count * SIZE; e += THREADS) {
            const int i = e % WIDTH, row_k = e - i + k;
            __global const scalar *links = (e < SIZE ? first_links : own_links) + COLUMN(k);
            if (i < k) y[e] = multiply_add(-multiply(links[i], links[k]), y[row_k], y[e]);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    for (int e = get_local_id(0); e < count * SIZE; e += THREADS) {
        const int i = e % WIDTH;
        y[e] = multiply((e < SIZE ? first_links : own_links)[i + COLUMN(i)], y[e]);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
}

__kernel __attribute__((reqd_work_group_size(THREADS, 1, 1))) void qr_root(
    int rows, int part_rows, int groups_of_part, __global scalar *restrict a, long a_offset, long row_stride,
    long column_stride, __global const scalar *restrict vectors, long vectors_stride, __global const scalar *restrict links,
    __global const scalar *restrict root_vectors, long root_stride, __global const scalar *restrict root_links,
    __global const scalar *restrict triangle, long triangle_stride, __global scalar *restrict tau, long tau_offset,
    __global scalar *restrict t, long t_offset, long t_stride, int above, __global scalar *restrict whole,
    long whole_offset, long whole_stride)
{
    // The top of all of Q and that of the part, and T Vᴴ times something for both; at last U and V's top, what is added on the
    // part's top, T, and what the part's vectors are multiplied with.
    __local scalar q[2 * SIZE], y[2 * SIZE], inverses[WIDTH];
    __local real signs[WIDTH];
    const int item = get_local_id(0), part = get_group_id(0) / groups_of_part;
    const int begin = part * part_rows, count = min(part_rows, rows - begin);
    const bool is_first = get_group_id(0) == 0;
    __global const scalar *own_links = links + part * SIZE;

    // Of the triangles' Q, which is that of the parts' tops.
    for (int e = item; e < SIZE; e += THREADS) y[e] = conjugate_if(1, root_vectors[e / WIDTH + e % WIDTH * root_stride]);
    barrier(CLK_LOCAL_MEM_FENCE);
    multiply_by_triangle(1, root_links, root_links, y);
    for (int e = item; e < 2 * SIZE; e += THREADS) {
        const int i = e % WIDTH, j = e / WIDTH % WIDTH, its = e < SIZE ? 0 : part;
        scalar sum = its == 0 && i == j ? SCALAR_ONE : SCALAR_ZERO;
        for (int k = 0; k < WIDTH; k++)
            sum = multiply_add(-root_vectors[its * WIDTH + i + k * root_stride], y[k + COLUMN(j)], sum);
        q[e] = sum;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    // The parts' own reflections.
    for (int e = item; e < 2 * SIZE; e += THREADS) {
        const int i = e % WIDTH;
        __global const scalar *vector = vectors + (e < SIZE ? 0 : begin) + i * vectors_stride;
        scalar sum = SCALAR_ZERO;
        for (int k = 0; k < WIDTH; k++) sum = multiply_add(conjugate_if(1, vector[k]), q[e - i + k], sum);
        y[e] = sum;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    multiply_by_triangle(2, links, own_links, y);
    for (int e = item; e < SIZE; e += THREADS) {
        const int i = e % WIDTH;
        scalar sum = q[e];
        for (int k = 0; k < WIDTH; k++) sum = multiply_add(-vectors[i + k * vectors_stride], y[e - i + k], sum);
        q[e] = sum;
    }
    barrier(CLK_LOCAL_MEM_FENCE);

    // Elimination. What is below a pivot is divided by it at the end.
    for (int k = 0; k < WIDTH; k++) {
        const scalar element = q[k + COLUMN(k)];
        const real sign = real_part(element) < 0 ? (real)1 : (real)-1;
        const scalar inverse = divide(SCALAR_ONE, element - from_real(sign));
        if (item == 0) {
            signs[k] = sign;
            inverses[k] = inverse;
        }
        for (int e = item; e < SIZE; e += THREADS) {
            const int i = e % WIDTH, j = e / WIDTH;
            if (i > k && j > k)
                q[e] = multiply_add(-multiply(q[i + COLUMN(k)], inverse), q[k + COLUMN(j)], q[e]);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    for (int e = item; e < SIZE; e += THREADS) {
        const int i = e % WIDTH, j = e / WIDTH;
        if (i > j) q[e] = multiply(q[e], inverses[j]);
        if (i == j) q[e] = q[e] - from_real(signs[i]);
        y[e] = i > j ? SCALAR_ZERO : q[e] * -signs[j];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    // T times the adjoint of V's top is what is there now, and U is divided by.
    for (int k = 0; k < WIDTH - 1; k++) {
        for (int e = item; e < SIZE; e += THREADS) {
            const int i = e % WIDTH, j = e / WIDTH;
            if (j <= k) continue;
            const scalar factor = -multiply(inverses[k], q[k + COLUMN(j)]);
            y[SIZE + e] = multiply_add(y[SIZE + i + COLUMN(k)], factor, y[SIZE + e]);
            q[SIZE + e] = multiply_add(q[SIZE + i + COLUMN(k)], factor, q[SIZE + e]);
            if (is_first) y[e] = multiply_add(-y[i + COLUMN(k)], conjugate_if(1, q[j + COLUMN(k)]), y[e]);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    for (int e = item; e < SIZE; e += THREADS) {
        const int i = e % WIDTH, j = e / WIDTH;
        y[SIZE + e] = multiply(y[SIZE + e], inverses[j]);
        q[SIZE + e] = multiply(q[SIZE + e], inverses[j]);
        if (is_first && i <= j) t[t_offset + i + j * t_stride] = y[e];
        if (is_first && i == j) tau[tau_offset + j] = y[e];
    }
    barrier(CLK_LOCAL_MEM_FENCE);

    const int row = get_group_id(0) % groups_of_part * THREADS + item;
    if (is_first) {
        for (int e = item; e < above * WIDTH; e += THREADS)
            whole[whole_offset + e % above + e / above * whole_stride] = SCALAR_ZERO;
    }
    if (row >= count) return;
    a += a_offset + (begin + row) * row_stride;
    whole += whole_offset + above + begin + row;
    if (part == 0 && row < WIDTH) {
        for (int j = 0; j < WIDTH; j++) {
            const scalar below = q[row + COLUMN(j)];
            a[j * column_stride] = row > j ? below : triangle[row + j * triangle_stride] * signs[row];
            whole[j * whole_stride] = row > j ? below : row == j ? SCALAR_ONE : SCALAR_ZERO;
        }
        return;
    }
    vectors += begin + row;
    scalar v[WIDTH];
    #pragma unroll
    for (int k = 0; k < WIDTH; k++) v[k] = -vectors[k * vectors_stride];
    for (int j = 0; j < WIDTH; j++) {
        scalar sum = row < WIDTH ? q[SIZE + row + COLUMN(j)] : SCALAR_ZERO;
        #pragma unroll
        for (int k = 0; k < WIDTH; k++) sum = multiply_add(v[k], y[SIZE + k + COLUMN(j)], sum);
        a[j * column_stride] = sum;
        whole[j * whole_stride] = sum;
    }
}

// A = Q R for a panel of columns, by one work-group: R and the reflections' vectors in its place, their factors, and the upper
// triangle T with which their product is I - V T Vᴴ. A work-item has ROWS rows, THREADS apart.
//
// WIDTH columns at a time stand in registers. The reflections before them are applied to them one by one, and then each of
// them is reflected. One sum over the group tells the norm of a column's rest and its products with the others.
// Parameters: THREADS, ROWS, WIDTH, PANEL (columns, at most).

__kernel __attribute__((reqd_work_group_size(THREADS, 1, 1))) void qr_panel(
    int rows, int width, __global scalar *a, long a_offset, long column_stride, __global scalar *tau, long tau_offset,
    __global scalar *t, long t_offset, long t_stride)
{
    __local sum_room room;
    // The products of each vector, conjugated, with those before it: the upper triangle, by columns.
    __local scalar products[PANEL * PANEL], tops[2][WIDTH], taus[PANEL];
    const int item = get_local_id(0);
    const int steps = min(rows, width);
    int turn = 0;
    a += a_offset;
    t += t_offset;
    for (int first = 0; first < width; first += WIDTH) {
        const int done = min(first, steps);
        scalar x[ROWS][WIDTH], v[ROWS], own[WIDTH];
        #pragma unroll
        for (int r = 0; r < ROWS; r++) {
            const int row = item + r * THREADS;
            #pragma unroll
            for (int c = 0; c < WIDTH; c++)
                x[r][c] = row < rows && first + c < width ? a[row + (first + c) * column_stride] : SCALAR_ZERO;
        }
        real scale[WIDTH];
        #pragma unroll
        for (int c = 0; c < WIDTH; c++) {
            real sum = 0;
            #pragma unroll
            for (int r = 0; r < ROWS; r++) sum += capped_modulus(x[r][c]);
            own[c] = from_real(sum);
        }
        group_sums sums = sum_in_group(own, &room, turn++);
        #pragma unroll
        for (int c = 0; c < WIDTH; c++) {
            const int exponent = clamp(ilogb(real_part(sum_of(sums, c))), SMALLEST_EXPONENT, LARGEST_EXPONENT);
            scale[c] = ldexp((real)1, -exponent);
            #pragma unroll
            for (int r = 0; r < ROWS; r++) x[r][c] *= scale[c];
        }
        // Once at least, even if there is nothing to do: PoCL 3.1 goes through a loop with a barrier once in any case.
        for (int k = 0; k < max(done, 1); k++) {
            #pragma unroll
            for (int c = 0; c < WIDTH; c++) own[c] = SCALAR_ZERO;
            #pragma unroll
            for (int r = 0; r < ROWS; r++) {
                const int row = item + r * THREADS;
                v[r] = row > k && row < rows && k < done ? a[row + k * column_stride] : row == k ? SCALAR_ONE : SCALAR_ZERO;
                #pragma unroll
                for (int c = 0; c < WIDTH; c++) own[c] = multiply_add(conjugate_if(1, v[r]), x[r][c], own[c]);
            }
            sums = sum_in_group(own, &room, turn++);
            const scalar factor = k < done ? -conjugate_if(1, taus[k]) : SCALAR_ZERO;
            if (!is_zero(factor)) {
                #pragma unroll
                for (int c = 0; c < WIDTH; c++) {
                    const scalar w = multiply(factor, sum_of(sums, c));
                    #pragma unroll
                    for (int r = 0; r < ROWS; r++) x[r][c] = multiply_add(w, v[r], x[r][c]);
                }
            }
        }

        #pragma unroll
        for (int c = 0; c < WIDTH; c++) {
            const int j = first + c;
            const bool is_step = j < steps;
            __local scalar *top = tops[c & 1];
            #pragma unroll
            for (int d = 0; d < WIDTH; d++) own[d] = SCALAR_ZERO;
            #pragma unroll
            for (int r = 0; r < ROWS; r++) {
                const int row = item + r * THREADS;
                const scalar element = row > j ? conjugate_if(1, x[r][c]) : SCALAR_ZERO;
                #pragma unroll
                for (int d = 0; d < WIDTH; d++) own[d] = multiply_add(element, x[r][d], own[d]);
                if (row == j) {
                    #pragma unroll
                    for (int d = 0; d < WIDTH; d++) top[d] = x[r][d];
                }
            }
            sums = sum_in_group(own, &room, turn++);
            const reflection h = reflection_of(is_step ? top[c] : SCALAR_ZERO, real_part(sum_of(sums, c)));
            const scalar inverse = conjugate_if(1, h.inverse);
            if (is_step && item < c) products[first + item + j * PANEL] = multiply_add(inverse, own_sum(sums), top[item]);
            if (item == 0 && is_step) {
                taus[j] = h.tau;
                tau[tau_offset + j] = h.tau;
            }
            #pragma unroll
            for (int r = 0; r < ROWS; r++)
                v[r] = item + r * THREADS > j ? multiply(x[r][c], h.inverse) : SCALAR_ZERO;
            const scalar factor = -conjugate_if(1, h.tau);
            if (is_step) {
                #pragma unroll
                for (int r = 0; r < ROWS; r++) {
                    const int row = item + r * THREADS;
                    x[r][c] = row > j ? v[r] : row == j ? from_real(h.beta) : x[r][c];
                    v[r] = row == j ? SCALAR_ONE : v[r];
                }
            }
            if (is_step && !is_zero(factor)) {
                #pragma unroll
                for (int d = c + 1; d < WIDTH; d++) {
                    const scalar w = multiply(factor, multiply_add(inverse, sum_of(sums, d), top[d]));
                    #pragma unroll
                    for (int r = 0; r < ROWS; r++) x[r][d] = multiply_add(w, v[r], x[r][d]);
                }
            }
        }

        // The columns are stored, R in its own size, and then only what is in them of the vectors counts.
        #pragma unroll
        for (int r = 0; r < ROWS; r++) {
            const int row = item + r * THREADS;
            #pragma unroll
            for (int c = 0; c < WIDTH; c++) {
                if (row < rows && first + c < width)
                    a[row + (first + c) * column_stride] = row > first + c ? x[r][c] : x[r][c] * (1 / scale[c]);
                x[r][c] = row > first + c ? x[r][c] : row == first + c ? SCALAR_ONE : SCALAR_ZERO;
            }
        }
        for (int k = 0; k < max(done, 1); k++) {
            #pragma unroll
            for (int c = 0; c < WIDTH; c++) own[c] = SCALAR_ZERO;
            #pragma unroll
            for (int r = 0; r < ROWS; r++) {
                const int row = item + r * THREADS;
                const scalar element = row >= first && row < rows && k < done ? a[row + k * column_stride] : SCALAR_ZERO;
                #pragma unroll
                for (int c = 0; c < WIDTH; c++) own[c] = multiply_add(conjugate_if(1, element), x[r][c], own[c]);
            }
            sums = sum_in_group(own, &room, turn++);
            if (k < done && item < WIDTH && first + item < width)
                products[k + (first + item) * PANEL] = conjugate_if(1, own_sum(sums));
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }

    // A row of T is one work-item's, with the sums for the elements that it has not yet come to.
    for (int i = item; i < steps; i += THREADS) {
        scalar row[PANEL];
        #pragma unroll
        for (int j = 0; j < PANEL; j++) row[j] = SCALAR_ZERO;
        #pragma unroll
        for (int j = 0; j < PANEL; j++) {
            if (j < i || j >= steps) continue;
            const scalar element = i == j ? taus[j] : -multiply(taus[j], row[j]);
            t[i + j * t_stride] = element;
            #pragma unroll
            for (int k = j + 1; k < PANEL; k++)
                row[k] = multiply_add(element, conjugate_if(1, products[j + k * PANEL]), row[k]);
        }
    }
}

// A = Q R for a panel of columns by one work-group, or for each of the parts that a panel's rows are cut into, or for the upper
// triangles at the parts' tops: R and the reflections' vectors in its place, their factors, and the upper triangle T with which
// their product is I - V T V^H, with zeros below its diagonal. The vectors also are columns of the matrix `whole`, with the ones
// on the diagonal, the zeros above it, and as many rows of zeros above those as `above` says.
//
// WIDTH columns at a time are reflected one by one, with one sum over the group for each: it tells the norm of a column's rest
// and its products with the others. Then their vectors' products with all columns beside them are found together. From those
// with later columns come the reflections of these, and from those with the vectors before, T.
//
// A work-item has ROWS rows, THREADS apart, with all columns in registers if they are RESIDENT. Otherwise only those being
// reflected are, and the others in `whole`. All columns are scaled; R is stored in its own size.
// Parameters: THREADS, ROWS, WIDTH, PANEL (columns, at most: more than WIDTH, and a multiple of it and of WIDTH times BATCH),
// RESIDENT, STACKED (whether A is triangles, each PANEL high, as far apart as `part_rows`).

#define BESIDE (PANEL - WIDTH)
#if RESIDENT
#define HELD PANEL
#else
#define HELD WIDTH
#endif
#if STACKED
#define place(row) ((row) / PANEL * part_rows + (row) % PANEL)
#define is_stored(row, column) ((row) % PANEL <= (column))
#else
#define place(row) (row)
#define is_stored(row, column) true
#endif

inline scalar element_if(bool is_there, scalar element)
{
    return is_there ? element : SCALAR_ZERO;
}

// An element of a column that is not in registers. Who has any rows loads one of its own in any case, so that loads do not wait
// for each other's conditions.
#define ELEMENT(row, column)                                                                                          \
    (has_rows ? element_if((row) < rows && (column) < width && (!is_new || is_stored(row, column)),                   \
                           source[(is_new ? place(own_row(row)) : own_row(row)) * row_step +                          \
                                  min(column, width - 1) * column_step] *                                             \
                               (is_new ? scales[column] : (real)1))                                                   \
              : SCALAR_ZERO)
#define own_row(row) ((row) < rows ? (row) : item)

// There are as many rows as columns, at least.
__kernel __attribute__((reqd_work_group_size(THREADS, 1, 1))) void qr_panel(
    int rows, int part_rows, int width, __global scalar *a, long a_offset, long row_stride, long column_stride,
    __global scalar *tau, long tau_offset, __global scalar *t, long t_offset, long t_stride, int above,
    __global scalar *whole, long whole_offset, long whole_stride)
{
    __local sum_room room;
    __local beside_room beside;
    // The products of each vector, conjugated, with those before it; T V^H A, and T.
    __local scalar tops[2][WIDTH], products[WIDTH * WIDTH], taus[WIDTH], weights[PANEL * WIDTH], triangle[PANEL * PANEL];
    __local real scales[PANEL];
    const int item = get_local_id(0), part = get_group_id(0), begin = part * part_rows;
    if (!STACKED) rows = min(part_rows, rows - begin);
    a += a_offset + begin * row_stride;
    tau += tau_offset + part * PANEL;
    t += t_offset + part * PANEL * t_stride;
    whole += whole_offset + begin;
    for (int e = item; e < above * width; e += THREADS) whole[e % above + e / above * whole_stride] = SCALAR_ZERO;
    whole += above;

    scalar x[ROWS][HELD], own[WIDTH], products_beside[BATCH * WIDTH];
    UNROLL_BESIDE
    for (int first = 0; first < PANEL; first += BATCH * WIDTH) {
        #pragma unroll
        for (int c = 0; c < BATCH * WIDTH; c++) {
            const int column = first + c;
            real sum = 0;
            #pragma unroll
            for (int r = 0; r < ROWS; r++) {
                const int row = item + r * THREADS;
                const bool is_there = row < rows && column < width && is_stored(row, column);
                const scalar element = is_there ? a[place(row) * row_stride + column * column_stride] : SCALAR_ZERO;
                sum += capped_modulus(element);
#if RESIDENT
                x[r][column] = element;
#endif
            }
            products_beside[c] = from_real(sum);
        }
        SUM_BESIDE(products_beside, first / WIDTH)
    }
    join_sums(&beside, PANEL);
    for (int c = item; c < PANEL; c += THREADS) {
        const int exponent = clamp(ilogb(real_part(beside.totals[c])), SMALLEST_EXPONENT, LARGEST_EXPONENT);
        scales[c] = ldexp((real)1, -exponent);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
#if RESIDENT
    #pragma unroll
    for (int c = 0; c < PANEL; c++) {
        const real scale = scales[c];
        #pragma unroll
        for (int r = 0; r < ROWS; r++) x[r][c] *= scale;
    }
#endif

    // Columns beyond the last are zeros. PoCL 3.1 gets loops with barriers wrong that might have no turn.
    int turn = 0;
    #pragma unroll 1
    for (int first = 0; first < PANEL; first += WIDTH) {
#if !RESIDENT
        // Columns are read from A, and from the second time on from where they stand scaled.
        __global const scalar *source = first > 0 ? whole : a;
        const bool is_new = first == 0, has_rows = item < rows;
        const long row_step = is_new ? row_stride : 1, column_step = is_new ? column_stride : whole_stride;
        #pragma unroll
        for (int c = 0; c < WIDTH; c++) {
            #pragma unroll
            for (int r = 0; r < ROWS; r++) {
                const int row = item + r * THREADS, column = first + c;
                x[r][c] = ELEMENT(row, column);
            }
        }
#endif
        // Columns go round, so that each stands in the first place when it is reflected, and one code does for all, which is to stay
        // in the cache of instructions. Those that are done are the last ones.
        #pragma unroll 1
        for (int c = 0; c < WIDTH; c++) {
            const int j = first + c, later = WIDTH - c;
            __local scalar *top = tops[c & 1];
            #pragma unroll
            for (int p = 0; p < WIDTH; p++) own[p] = SCALAR_ZERO;
            #pragma unroll
            for (int r = 0; r < ROWS; r++) {
                const int row = item + r * THREADS;
                const scalar element = row > j ? conjugate_if(1, x[r][0]) : SCALAR_ZERO;
                #pragma unroll
                for (int p = 0; p < WIDTH; p++) own[p] = multiply_add(element, x[r][p], own[p]);
                if (row == j) {
                    #pragma unroll
                    for (int p = 0; p < WIDTH; p++) top[p] = x[r][p];
                }
            }
            const group_sums sums = sum_in_group(own, &room, turn++);
            // There need be no row for columns beyond the last.
            const reflection h = reflection_of(j < width ? top[0] : SCALAR_ZERO, real_part(sum_of(sums, 0)));
            const scalar inverse = conjugate_if(1, h.inverse), factor = -conjugate_if(1, h.tau);
            if (item >= later && item < WIDTH)
                products[item - later + c * WIDTH] =
                    j < width ? multiply_add(inverse, own_sum(sums), top[item]) : SCALAR_ZERO;
            if (item == 0) taus[c] = h.tau;
            scalar v[ROWS], done[ROWS];
            #pragma unroll
            for (int r = 0; r < ROWS; r++) {
                const int row = item + r * THREADS;
                v[r] = row > j ? multiply(x[r][0], h.inverse) : row == j ? SCALAR_ONE : SCALAR_ZERO;
                done[r] = row > j ? v[r] : row == j ? from_real(h.beta) : x[r][0];
            }
            #pragma unroll
            for (int p = 1; p < WIDTH; p++) {
                const scalar w = multiply(factor, multiply_add(inverse, sum_of(sums, p), top[p]));
                const bool is_reflected = p < later && !is_zero(factor);
                #pragma unroll
                for (int r = 0; r < ROWS; r++)
                    x[r][p - 1] = is_reflected ? multiply_add(w, v[r], x[r][p]) : x[r][p];
            }
            #pragma unroll
            for (int r = 0; r < ROWS; r++) x[r][WIDTH - 1] = done[r];
        }

        // The columns are stored, and then only what is in them of the vectors counts.
        #pragma unroll
        for (int c = 0; c < WIDTH; c++) {
            const int j = first + c;
            const real unscaled = 1 / scales[j];
            #pragma unroll
            for (int r = 0; r < ROWS; r++) {
                const int row = item + r * THREADS;
                const scalar element = x[r][c];
                x[r][c] = row > j ? element : row == j ? SCALAR_ONE : SCALAR_ZERO;
                if (row < rows && j < width) {
                    a[place(row) * row_stride + j * column_stride] = row > j ? element : element * unscaled;
                    whole[row + j * whole_stride] = x[r][c];
                }
            }
        }

        UNROLL_BESIDE
        for (int i = 0; i < BESIDE; i += BATCH) {
            const int column = (first + WIDTH + i) % PANEL;
            #pragma unroll
            for (int b = 0; b < BATCH; b++) {
                #pragma unroll
                for (int c = 0; c < WIDTH; c++) products_beside[b * WIDTH + c] = SCALAR_ZERO;
                #pragma unroll
                for (int r = 0; r < ROWS; r++) {
#if RESIDENT
                    const scalar element = x[r][WIDTH + i + b];
#else
                    const scalar element = ELEMENT(item + r * THREADS, column + b);
#endif
                    #pragma unroll
                    for (int c = 0; c < WIDTH; c++) {
                        const scalar sum = products_beside[b * WIDTH + c];
                        products_beside[b * WIDTH + c] = multiply_add(conjugate_if(1, x[r][c]), element, sum);
                    }
                }
            }
            SUM_BESIDE(products_beside, column)
        }
        join_sums(&beside, PANEL * WIDTH);
        // The triangle's adjoint times the products; and times the unit matrix, for the triangle itself.
        for (int column = item; column < PANEL; column += THREADS) {
            const bool is_own = column >= first && column < first + WIDTH;
            scalar w[WIDTH];
            #pragma unroll
            for (int c = 0; c < WIDTH; c++)
                w[c] = !is_own ? beside.totals[column * WIDTH + c] : column == first + c ? SCALAR_ONE : SCALAR_ZERO;
            #pragma unroll
            for (int c = 0; c < WIDTH; c++) {
                w[c] = multiply(conjugate_if(1, taus[c]), w[c]);
                weights[column * WIDTH + c] = w[c];
                #pragma unroll
                for (int d = c + 1; d < WIDTH; d++) w[d] = multiply_add(-products[c + d * WIDTH], w[c], w[d]);
            }
        }
        if (item < WIDTH && first + item < width) tau[first + item] = taus[item];
        barrier(CLK_LOCAL_MEM_FENCE);

        UNROLL_BESIDE
        for (int i = 0; i < BESIDE; i++) {
            const int column = first + WIDTH + i;
            if (column >= width) continue;
            scalar w[WIDTH];
            #pragma unroll
            for (int c = 0; c < WIDTH; c++) w[c] = -weights[column * WIDTH + c];
            #pragma unroll
            for (int r = 0; r < ROWS; r++) {
#if RESIDENT
                scalar element = x[r][WIDTH + i];
#else
                scalar element = ELEMENT(item + r * THREADS, column);
#endif
                #pragma unroll
                for (int c = 0; c < WIDTH; c++) element = multiply_add(w[c], x[r][c], element);
#if RESIDENT
                x[r][WIDTH + i] = element;
#else
                if (item + r * THREADS < rows) whole[item + r * THREADS + column * whole_stride] = element;
#endif
            }
        }
        // Beside the triangle are those before times what their products have become.
        for (int e = item; e < PANEL * WIDTH; e += THREADS) {
            const int i = e % PANEL, c = e / PANEL, j = first + c;
            scalar sum = i >= first && i < first + WIDTH ? conjugate_if(1, weights[i * WIDTH + c]) : SCALAR_ZERO;
            if (i < first) {
                for (int k = 0; k < first; k++)
                    sum = multiply_add(-triangle[i + k * PANEL], conjugate_if(1, weights[k * WIDTH + c]), sum);
            }
            triangle[i + j * PANEL] = sum;
            if (i < width && j < width) t[i + j * t_stride] = sum;
        }
#if RESIDENT
        // The columns go round, so that those to be reflected stand in the first places.
        #pragma unroll
        for (int r = 0; r < ROWS; r++) {
            scalar done[WIDTH];
            #pragma unroll
            for (int c = 0; c < WIDTH; c++) done[c] = x[r][c];
            #pragma unroll
            for (int c = 0; c < BESIDE; c++) x[r][c] = x[r][c + WIDTH];
            #pragma unroll
            for (int c = 0; c < WIDTH; c++) x[r][c + BESIDE] = done[c];
        }
#endif
    }
}

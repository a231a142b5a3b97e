// A := A + alpha x yᵀ, or with RANK 2 A := A + alpha x yᵀ + beta y xᵀ, on the stored elements of A, on a CPU: wide vectors
// down the columns. Either the factors that belong to rows or those that belong to columns may be conjugated, and the
// imaginary part of the diagonal may be set to 0.
//
// Parameters: RANK, VECTOR_WIDTH (reals in a vector), TILE (rows whose factors are gathered at a time: they stay in the
// first-level cache).

// Elements in a vector.
#define WIDTH (VECTOR_WIDTH / PARTS)

#if SCALAR_IS_COMPLEX
#define add_product(factor, v, sum)                                                                              \
    real_multiply_add((vector)((factor).x), v,                                                                   \
                      real_multiply_add(every_element((scalar)(-(factor).y, (factor).y)), swap_parts(v), sum))
#else
#define add_product(factor, v, sum) real_multiply_add((vector)(factor), v, sum)
#endif

// column[i] += factor[0] of_row[0][i] (+ factor[1] of_row[1][i]) for i from begin to end.
inline void update_column(__global scalar *column, scalar of_row[RANK][TILE], const scalar *factor, int begin, int end)
{
    int i = begin;
    for (; i + WIDTH <= end; i += WIDTH) {
        __global real *place = (__global real *)(column + i);
        vector sum = load_vector(place);
        #pragma unroll
        for (int t = 0; t < RANK; t++) {
            const vector v = load_vector((const real *)(of_row[t] + i));
            sum = add_product(factor[t], v, sum);
        }
        store_vector(sum, place);
    }
    for (; i < end; i++) {
        scalar sum = column[i];
        for (int t = 0; t < RANK; t++) sum = multiply_add(of_row[t][i], factor[t], sum);
        column[i] = sum;
    }
}

// Work-item (g, p) takes run g of the columns and, counted from the last one, run g again, so that in a triangle all
// work-items have as much to do; and part p of the rows.
__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void update(
    long rows, long columns, STORED_PARAMETERS, __global scalar *restrict a, long a_offset,
    scalar alpha, scalar beta,
    __global const scalar *restrict x, long x_first, long x_step,
    __global const scalar *restrict y, long y_first, long y_step,
    int conjugate_rows, int conjugate_columns, int real_diagonal, long run, long part_rows)
{
    const long part_begin = get_group_id(1) * part_rows, part_end = min(rows, part_begin + part_rows);
    scalar of_row[RANK][TILE];
    a += a_offset;
    x += x_first;
    y += y_first;
    for (int half_index = 0; half_index < 2; half_index++) {
        const long g = half_index == 0 ? (long)get_group_id(0) : 2 * (long)get_num_groups(0) - 1 - (long)get_group_id(0);
        const long column_begin = g * run, column_end = min(columns, column_begin + run);
        // The rows in which some of these columns are stored.
        const long row_begin = max(part_begin, column_begin - above), row_end = min(part_end, column_end + below);
        if (column_begin >= column_end) continue;
        for (long tile = row_begin; tile < row_end; tile += TILE) {
            const long tile_end = min(row_end, tile + TILE);
            for (long i = tile; i < tile_end; i++) {
                of_row[0][i - tile] = conjugate_if(conjugate_rows, x[i * x_step]);
#if RANK == 2
                of_row[1][i - tile] = conjugate_if(conjugate_rows, y[i * y_step]);
#endif
            }
            for (long j = column_begin; j < column_end; j++) {
                const long begin = max(tile, j - above), end = min(tile_end, j + below + 1);
                __global scalar *column = a + column_start(j);
                scalar factor[RANK];
                factor[0] = multiply(alpha, conjugate_if(conjugate_columns, y[j * y_step]));
#if RANK == 2
                factor[1] = multiply(beta, conjugate_if(conjugate_columns, x[j * x_step]));
#endif
                update_column(column + tile, of_row, factor, (int)(begin - tile), (int)(end - tile));
#if SCALAR_IS_COMPLEX
                if (real_diagonal && j >= begin && j < end) column[j].y = 0;
#endif
            }
        }
    }
}

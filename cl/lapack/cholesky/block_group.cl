// The Cholesky factor L of a block of at most WIDTH rows, in its lower triangle's place, and its inverse: by one work-group, of
// which a work-item has a tile of SIDE x SIDE elements in registers.
//
// SIDE columns are done at a time, between two barriers: each work-item factorises the tile on the diagonal for itself, and divides
// by that factor what it needs of the columns below. What is left of the columns that are done holds the inverse's rows so far,
// so that rows lose the same multiples of the pivots' rows in both.
//
// Where a pivot is not positive, the info becomes its number, counted from 1 + `base`, and no later column is written. Where the
// info is not 0 before, nothing is. The inverse, WIDTH elements from row to row, is then zero, which makes what is computed
// from it harmless.
// Parameters: WIDTH (a multiple of SIDE), SIDE.

#define ACROSS (WIDTH / SIDE)

// X := L⁻¹ X for the factor L of a tile, of which the diagonal's reciprocals are given.
inline __attribute__((always_inline)) void divide_tile(scalar l[SIDE][SIDE], const real *inverse_roots, scalar x[SIDE][SIDE])
{
    #pragma unroll
    for (int k = 0; k < SIDE; k++) {
        #pragma unroll
        for (int c = 0; c < SIDE; c++) {
            #pragma unroll
            for (int m = 0; m < SIDE; m++) {
                if (m < k) x[k][c] = multiply_add(-l[k][m], x[m][c], x[k][c]);
            }
            x[k][c] = x[k][c] * inverse_roots[k];
        }
    }
}

__kernel __attribute__((reqd_work_group_size(ACROSS * ACROSS, 1, 1))) void cholesky_block(
    int order, __global scalar *a, long a_offset, long row_stride, long column_stride, __global scalar *inverse, int base,
    __global int *info, long info_place)
{
    // What a step takes from the others: the columns from the diagonal on, and the inverse's rows before it.
    __local scalar columns[2][SIDE][WIDTH], rows[2][SIDE][WIDTH];
    __local int has_failed;
    const int item = get_local_id(0), across = item % ACROSS, down = item / ACROSS;
    const int left = across * SIDE, top = down * SIDE;
    bool failed = info[info_place] != 0;
    if (item == 0) has_failed = failed;
    a += a_offset;

    scalar x[SIDE][SIDE];
    #pragma unroll
    for (int r = 0; r < SIDE; r++) {
        #pragma unroll
        for (int c = 0; c < SIDE; c++) {
            const int i = top + r, j = left + c;
            x[r][c] = i < order && j <= i ? a[i * row_stride + j * column_stride] : SCALAR_ZERO;
        }
    }
    for (int step = 0; step < ACROSS; step++) {
        __local scalar (*column)[WIDTH] = columns[step & 1], (*row)[WIDTH] = rows[step & 1];
        const int first = step * SIDE;
        #pragma unroll
        for (int r = 0; r < SIDE; r++) {
            #pragma unroll
            for (int c = 0; c < SIDE; c++) {
                if (across == step && down >= step) column[c][top + r] = x[r][c];
                if (down == step && across < step) row[r][left + c] = x[r][c];
            }
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        // Rows above are done, and tiles above the diagonal do not count.
        if (down >= step && across <= down) {
            scalar l[SIDE][SIDE], z[SIDE][SIDE], y[SIDE][SIDE];
            real inverse_roots[SIDE], pivot = 1;
            #pragma unroll
            for (int r = 0; r < SIDE; r++) {
                #pragma unroll
                for (int c = 0; c < SIDE; c++) l[r][c] = column[c][first + r];
            }
            // Columns of the tile that have a factor.
            int right = failed ? 0 : SIDE;
            const bool was_right = !failed;
            #pragma unroll
            for (int c = 0; c < SIDE; c++) {
                const bool is_there = first + c < order;
                if (is_there && !failed) {
                    pivot = real_part(l[c][c]);
                    failed = !(pivot > 0);
                    if (failed) right = c;
                }
                const real root = root_of(is_there && !failed ? real_part(l[c][c]) : (real)1, &inverse_roots[c]);
                l[c][c] = from_real(root);
                #pragma unroll
                for (int r = 0; r < SIDE; r++) {
                    if (r > c) l[r][c] = l[r][c] * inverse_roots[c];
                }
                #pragma unroll
                for (int e = 0; e < SIDE * SIDE; e++) {
                    const int r = e / SIDE, d = e % SIDE;
                    if (d > c && r >= d) l[r][d] = multiply_add(-l[r][c], conjugate_if(1, l[d][c]), l[r][d]);
                }
            }
            // The adjoint of the factor's rows here, and what is multiplied with them: the adjoint of its rows there, or the
            // inverse's rows.
            #pragma unroll
            for (int k = 0; k < SIDE; k++) {
                #pragma unroll
                for (int c = 0; c < SIDE; c++) {
                    y[k][c] = conjugate_if(1, column[k][top + c]);
                    const scalar unit = k == c ? SCALAR_ONE : SCALAR_ZERO;
                    z[k][c] = across > step ? conjugate_if(1, column[k][left + c]) : across == step ? unit : row[k][left + c];
                }
            }
            divide_tile(l, inverse_roots, y);
            divide_tile(l, inverse_roots, z);
            if (across == step) {
                #pragma unroll
                for (int r = 0; r < SIDE; r++) {
                    #pragma unroll
                    for (int c = 0; c < SIDE; c++) {
                        const bool is_stored = top + r < order && (down == step ? c <= r && c < right : !failed);
                        const scalar element = down == step ? l[r][c] : conjugate_if(1, y[c][r]);
                        if (is_stored) a[(top + r) * row_stride + (left + c) * column_stride] = element;
                    }
                }
                if (down == step && was_right && failed) {
                    has_failed = 1;
                    info[info_place] = base + first + right + 1;
                    a[(first + right) * (row_stride + column_stride)] = from_real(pivot);
                }
            }
            #pragma unroll
            for (int r = 0; r < SIDE; r++) {
                #pragma unroll
                for (int c = 0; c < SIDE; c++) {
                    scalar sum = across == step ? SCALAR_ZERO : x[r][c];
                    #pragma unroll
                    for (int k = 0; k < SIDE; k++) sum = multiply_add(-conjugate_if(1, y[k][r]), z[k][c], sum);
                    // Of the step's own rows, those of the inverse are done.
                    x[r][c] = down == step ? z[r][c] : sum;
                }
            }
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    failed = has_failed;
    #pragma unroll
    for (int r = 0; r < SIDE; r++) {
        #pragma unroll
        for (int c = 0; c < SIDE; c++) {
            const int i = top + r, j = left + c;
            inverse[i * WIDTH + j] = failed || i >= order || j > i ? SCALAR_ZERO : x[r][c];
        }
    }
}

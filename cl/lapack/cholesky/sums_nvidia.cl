// As sums.cl, of real numbers, by NVIDIA's tensor cores, which have them in fragments: a warp has 16 x 32 of the 64 x 64 sums, and a
// work-item of it two adjacent ones in each of two rows of four fragments. Floats are split as gemm/tensor_halves.cl has it.

inline int sum_row(int item, int n)
{
    return item / 32 % 4 * 16 + item % 32 / 4 + n / 2 * 8;
}

inline int sum_column(int item, int fragment, int n)
{
    return item / 128 * 32 + fragment * 8 + item % 4 * 2 + n % 2;
}

#if SCALAR_IS_DOUBLE
// sums += A B for a fragment of 16 x 8 elements of A, of 8 x 8 of B, and of 16 x 8 of the sums.
inline void multiply_fragments(const double a[4], const double b[2], scalar sums[4])
{
    __asm__ volatile("mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                     : "+d"(sums[0]), "+d"(sums[1]), "+d"(sums[2]), "+d"(sums[3])
                     : "d"(a[0]), "d"(a[1]), "d"(a[2]), "d"(a[3]), "d"(b[0]), "d"(b[1]));
}
#else
// The same of numbers of 11 bits.
inline void multiply_halves(const uint a[4], const uint b[2], scalar sums[4])
{
    __asm__ volatile("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                     : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])
                     : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
#endif

// Whether these work-items' sums, and those of all of their warp, are above the diagonal.
inline bool is_above(int item)
{
    return sum_column(item, 0, 0) / 32 * 32 > sum_row(item, 0) / 16 * 16 + 15;
}

// The last of the columns that a warp has sums of, and one.
inline int columns_end(int item)
{
    return item / 128 * 32 + 32;
}

// sums += A Bᴴ for so many columns of both, a multiple of 16. Floats are split in halves where they are ordinary: the sums of 16 products,
// which tensor cores truncate, are added in rounded floats. Others are multiplied one by one.
inline void multiply_columns(
    __local const scalar (*a)[PITCH], __local const scalar (*b)[PITCH], int depth, bool is_ordinary, scalar sums[SIDE][SIDE])
{
    const int item = get_local_id(0), down = sum_row(item, 0), across = item / 128 * 32 + item % 32 / 4, place = item % 4;
#if SCALAR_IS_DOUBLE
    #pragma unroll 2
    for (int k = 0; k < depth; k += 8) {
        __local const scalar (*upper)[PITCH] = a + k + place, (*left)[PITCH] = b + k + place;
        const double part[4] = {upper[0][down], upper[0][down + 8], upper[4][down], upper[4][down + 8]};
        #pragma unroll
        for (int f = 0; f < SIDE; f++) {
            const double row[2] = {left[0][across + f * 8], left[4][across + f * 8]};
            multiply_fragments(part, row, sums[f]);
        }
    }
#else
    if (!is_ordinary) {
        #pragma unroll 1
        for (int k = 0; k < depth; k++) {
            #pragma unroll
            for (int f = 0; f < SIDE; f++) {
                #pragma unroll
                for (int n = 0; n < SIDE; n++)
                    sums[f][n] = multiply_add(a[k][sum_row(item, n)], b[k][sum_column(item, f, n)], sums[f][n]);
            }
        }
        return;
    }
    #pragma unroll 1
    for (int first = 0; first < depth; first += 16) {
        scalar some[SIDE][SIDE];
        clear(some);
        #pragma unroll
        for (int k = first; k < first + 16; k += 8) {
            __local const scalar (*upper)[PITCH] = a + k + place, (*left)[PITCH] = b + k + place;
            const scalar part[4] = {upper[0][down], upper[0][down + 8], upper[4][down], upper[4][down + 8]};
            uint high[4], low[4];
            #pragma unroll
            for (int n = 0; n < 4; n++) {
                const halves both = split(part[n]);
                high[n] = both.high;
                low[n] = both.low;
            }
            #pragma unroll
            for (int f = 0; f < SIDE; f++) {
                const halves upper_half = split(left[0][across + f * 8]), lower_half = split(left[4][across + f * 8]);
                const uint row_high[2] = {upper_half.high, lower_half.high}, row_low[2] = {upper_half.low, lower_half.low};
                multiply_halves(low, row_high, some[f]);
                multiply_halves(high, row_low, some[f]);
                multiply_halves(high, row_high, some[f]);
            }
        }
        #pragma unroll
        for (int f = 0; f < SIDE; f++) {
            #pragma unroll
            for (int n = 0; n < SIDE; n++) sums[f][n] += some[f][n];
        }
    }
#endif
}

// `count` columns of a block from `first` on, transposed.
inline void lay_out(__local scalar (*to)[PITCH], scalar from[SIDE][SIDE], int first, int count)
{
    const int item = get_local_id(0);
    #pragma unroll
    for (int f = 0; f < SIDE; f++) {
        #pragma unroll
        for (int n = 0; n < SIDE; n++) {
            const int column = sum_column(item, f, n) - first;
            if (column >= 0 && column < count) to[column][sum_row(item, n)] = from[f][n];
        }
    }
}

// x -= sums, for elements that work-items have SIDE x SIDE of in any case.
inline void subtract_sums(__local scalar (*room)[PITCH], scalar sums[SIDE][SIDE], scalar x[SIDE][SIDE])
{
    const int item = get_local_id(0), top = side_down(item) * SIDE, left = side_across(item) * SIDE;
    barrier(CLK_LOCAL_MEM_FENCE);
    lay_out(room, sums, 0, WIDTH);
    barrier(CLK_LOCAL_MEM_FENCE);
    #pragma unroll
    for (int c = 0; c < SIDE; c++) {
        #pragma unroll
        for (int r = 0; r < SIDE; r++) x[r][c] = x[r][c] - room[left + c][top + r];
    }
}

// x := op(A)⁻¹ x for a triangle A, full, band or packed: on any device, laid out for GPUs.
//
// Unknowns are counted in the order in which they are found: unknown q is element q of x, or when they are found from the
// last to the first, element n-1-q; so op(A) is always a lower triangle here, and element (q, p) of it is stored when
// 0 <= q - p <= reach. Launch `first` finds block `first` of BLOCK unknowns. Its group g takes block first + g, from which
// it subtracts what the block found by the launch before has to do with it; group 0 then solves. A launch with a single
// group may do `count` blocks one after the other: those of a narrow band.
//
// Parameters: TRANSPOSED (op(A) is stored by rows), THREADS (of a group), BLOCK (unknowns; THREADS is a multiple), STEP
// (unknowns that are found between two barriers).

#define row_of(q) (forward ? (q) : n - 1 - (q))

#if TRANSPOSED
#define place(i, j) (column_start(i) + (j))
#else
#define place(i, j) (column_start(j) + (i))
#endif

// Work-items that share a sum where op(A) is stored by rows.
#define LANES 8
#define PARTS (THREADS / BLOCK)
#define PARTIALS (TRANSPOSED ? BLOCK * (LANES + 1) : THREADS)

// 1/a where a quotient can be had from it; else NaN.
inline scalar reciprocal(scalar a)
{
    const real smallest = (real)7.888609052210118e-31, largest = (real)1.2676506002282294e30; // 2^-100 and 2^100
#if SCALAR_IS_COMPLEX
    const real size = fmax(fabs(a.x), fabs(a.y));
#else
    const real size = fabs(a);
#endif
    return size >= smallest && size <= largest ? divide(SCALAR_ONE, a) : (scalar)(NAN);
}

// b/a: a product with 1/a and one correction are much faster than a division, and as exact (Markstein, 1990).
inline scalar quotient(scalar b, scalar a, scalar inverse)
{
    scalar ratio = multiply(b, inverse);
    ratio = multiply_add(multiply_add(-ratio, a, b), inverse, ratio);
    return is_finite(ratio) ? ratio : divide(b, a);
}

__kernel __attribute__((reqd_work_group_size(THREADS, 1, 1))) void solve(
    long n, STORED_PARAMETERS, int forward, int conjugate, int unit,
    __global const scalar *restrict a, long a_offset, __global scalar *x, long x_first, long x_step, long first, long count)
{
    __local scalar known[BLOCK], partial[PARTIALS];
    // The triangles on the diagonal, STEP wide: element (r, r - r % STEP + d) of the block is corner[d * BLOCK + r].
    __local scalar corner[STEP * BLOCK], inverse[BLOCK], exchange[2 * STEP];
    const int item = get_local_id(0), direction = forward ? 1 : -1;
    const long reach = above + below;
    a += a_offset;
    x += x_first;

    for (long block = first; block < first + count; block++) {
        const long panel = (block - 1) * BLOCK, base = (block + (long)get_group_id(0)) * BLOCK, q = base + item;
        const int rows = (int)min((long)BLOCK, n - base);
        scalar value = SCALAR_ZERO;
        if (item < rows) value = x[row_of(q) * x_step];

        if (block > 0) {
            for (int c = item; c < BLOCK; c += THREADS) known[c] = x[row_of(panel + c) * x_step];
            barrier(CLK_LOCAL_MEM_FENCE);
#if TRANSPOSED
            const int lane = item % LANES;
            for (int r = item / LANES; r < rows; r += THREADS / LANES) {
                const long begin = base + r - reach - panel;
                __global const scalar *row = a + column_start(row_of(base + r));
                scalar sum = SCALAR_ZERO;
                #pragma unroll
                for (int c = lane; c < BLOCK; c += LANES)
                    if (c >= begin) sum = multiply_add(conjugate_if(conjugate, row[row_of(panel + c)]), known[c], sum);
                partial[r * (LANES + 1) + lane] = sum;
            }
            barrier(CLK_LOCAL_MEM_FENCE);
            if (item < rows)
                for (int l = 0; l < LANES; l++) value -= partial[item * (LANES + 1) + l];
#else
            const int r = item % BLOCK, part = item / BLOCK, end = (part + 1) * (BLOCK / PARTS);
            scalar sum = SCALAR_ZERO;
            if (r < rows) {
                int c = (int)max((long)(part * (BLOCK / PARTS)), base + r - reach - panel);
                const long j = row_of(panel + c);
                long at = place(row_of(base + r), j), delta = direction * (linear + quadratic * (2 * j + direction)) / 2;
                #pragma unroll 16
                for (; c < end; c++) {
                    sum = multiply_add(conjugate_if(conjugate, a[at]), known[c], sum);
                    at += delta;
                    delta += quadratic;
                }
            }
            partial[item] = sum;
            barrier(CLK_LOCAL_MEM_FENCE);
            if (item < rows)
                for (int p = 0; p < PARTS; p++) value -= partial[p * BLOCK + item];
#endif
        }

        if (get_group_id(0) == 0) {
            for (int k = item; k < BLOCK * STEP; k += THREADS) {
                const int r = k % BLOCK, p = r / STEP * STEP + k / BLOCK;
                scalar element = r < rows && !unit ? SCALAR_ZERO : SCALAR_ONE;
                if (r < rows && (p == r ? !unit : p < r && r - p <= reach))
                    element = conjugate_if(conjugate, a[place(row_of(base + r), row_of(base + p))]);
                corner[k] = element;
                if (p == r) inverse[r] = reciprocal(element);
            }
            // The elements of this work-item's row in the columns of the next step, loaded one step ahead.
            const long j = row_of(base);
            long at = place(row_of(q), j);
#if TRANSPOSED
            long delta = direction;
#else
            long delta = direction * (linear + quadratic * (2 * j + direction)) / 2;
#endif
            const int steps = (rows + STEP - 1) / STEP, own_step = item / STEP;
            scalar ahead[STEP];
            for (int s = -1; s < steps; s++) {
                scalar element[STEP];
                #pragma unroll
                for (int d = 0; d < STEP; d++) {
                    const int p = (s + 1) * STEP + d;
                    element[d] = ahead[d];
                    ahead[d] = SCALAR_ZERO;
                    if (own_step > s + 1 && item < rows && item - p <= reach) ahead[d] = conjugate_if(conjugate, a[at]);
                    at += delta;
#if !TRANSPOSED
                    delta += quadratic;
#endif
                }
                if (s < 0) continue;
                // The places alternate, so that one barrier is enough.
                __local scalar *place_of_step = exchange + (s & 1) * STEP;
                if (own_step == s) place_of_step[item % STEP] = value;
                barrier(CLK_LOCAL_MEM_FENCE);
                // Everybody who needs these unknowns computes them: that is faster than to wait for them.
                if (own_step >= s && item < BLOCK) {
                    scalar found[STEP];
                    #pragma unroll
                    for (int d = 0; d < STEP; d++) {
                        const int r = s * STEP + d;
                        scalar sum = place_of_step[d];
                        #pragma unroll
                        for (int e = 0; e < d; e++)
                            if (d - e <= reach) sum = multiply_add(-corner[e * BLOCK + r], found[e], sum);
                        found[d] = unit ? sum : quotient(sum, corner[d * BLOCK + r], inverse[r]);
                    }
                    #pragma unroll
                    for (int d = 0; d < STEP; d++) {
                        if (own_step == s && item % STEP == d) value = found[d];
                        if (own_step > s && item - (s * STEP + d) <= reach)
                            value = multiply_add(-element[d], found[d], value);
                    }
                }
            }
        }
        if (item < rows) x[row_of(q) * x_step] = value;
        barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    }
}

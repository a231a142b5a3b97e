// x := inv(op(A)) x for a triangle A, full, band or packed: on any device, laid out for GPUs.
//
// Unknowns have numbers in the order of substitution: unknown q is element q of x, or backward element n-1-q. So op(A)
// is always a lower triangle here, and its element (q, p) is stored when 0 <= q - p <= reach. Launch `first` solves for
// block `first` of BLOCK unknowns. Group g takes block first + g and subtracts the product of A with the block of the
// launch before. Then group 0 solves. A launch with a single group may do `count` blocks one after the other: those of
// a narrow band.

// op(A) is stored by rows.
#ifndef TRANSPOSED
#define TRANSPOSED 0
#endif

// Unknowns of a block.
#ifndef BLOCK
#define BLOCK 64
#endif

// Work-items of a group, a multiple of BLOCK.
#ifndef THREADS
#define THREADS 256
#endif

// Unknowns that are found between two barriers.
#ifndef STEP
#define STEP 8
#endif

#include "common/divide.cl"
#include "common/stored.cl"

#define row_of(q) (forward ? (q) : n - 1 - (q))

#if TRANSPOSED
#define element_index(i, j) (column_start(i) + (j))
#else
#define element_index(i, j) (column_start(j) + (i))
#endif

// Work-items that share a sum where op(A) is stored by rows.
#define LANES 8
#define PARTS (THREADS / BLOCK)
// Elements of a work-item that are on their way at a time where op(A) is stored by columns.
#define LOADS (SCALAR_IS_DOUBLE && SCALAR_IS_COMPLEX ? 8 : 16)
#define PARTIALS (TRANSPOSED ? BLOCK * (LANES + 1) : THREADS)

// 1/a where a quotient can be computed from it, else NaN.
inline scalar reciprocal(scalar a)
{
    const real smallest = (real)7.888609052210118e-31, largest = (real)1.2676506002282294e30; // 2^-100 and 2^100
#if SCALAR_IS_COMPLEX
    const real size = fmax(fabs(a.x), fabs(a.y));
#else
    const real size = fabs(a);
#endif
    return size >= smallest && size <= largest ? reciprocal_of(a) : (scalar)(NAN);
}

// b/a: a product with 1/a and one correction are much faster than a division, and as exact (Markstein, 1990).
inline scalar quotient(scalar b, scalar a, scalar inverse)
{
    scalar ratio = multiply(b, inverse);
    ratio = multiply_add(multiply_add(-ratio, a, b), inverse, ratio);
    // Zero is not divided, as in the reference.
    return is_finite(ratio) ? ratio : is_zero(b) ? SCALAR_ZERO : divide(b, a);
}

// The elements of this work-item's row in the columns of a step, needed once the steps before are done.
#define load_ahead(step)                                                         \
    for (int d = 0; d < STEP; d++) {                                             \
        const bool is_left = (step) < steps && own_step > (step) && item < rows; \
        const bool is_stored = is_left && item - ((step) * STEP + d) <= reach;   \
        ahead[d] = is_stored ? conjugate_if(conjugate, a[at]) : SCALAR_ZERO;     \
        at += delta;                                                             \
        delta += delta_growth;                                                   \
    }

__kernel __attribute__((reqd_work_group_size(THREADS, 1, 1))) void solve(
    long n, STORED_PARAMETERS, int forward, int conjugate, int unit,
    __global const scalar *restrict a, long a_offset, __global scalar *x, long x_first, long x_step, long first,
    long count)
{
    __local scalar known[BLOCK], partial[PARTIALS];
    // The triangles on the diagonal, STEP wide: element (r, r - r % STEP + d) of the block is corner[d * BLOCK + r].
    __local scalar corner[STEP * BLOCK], inverse[BLOCK], exchange[2 * STEP];
    const int item = get_local_id(0), direction = forward ? 1 : -1;
    const long reach = above + below;
    a += a_offset;
    x += x_first;

    // No barrier stands under a condition: some drivers make loops of work-items and fail at those.
    for (long block = first; block < first + count; block++) {
        const long panel = (block - 1) * BLOCK, base = (block + (long)get_group_id(0)) * BLOCK, q = base + item;
        const int rows = (int)min((long)BLOCK, n - base), columns = block > 0 ? BLOCK : 0;
        const int steps = get_group_id(0) == 0 ? (rows + STEP - 1) / STEP : 0, own_step = item / STEP;
        scalar value = SCALAR_ZERO;
        if (item < rows) value = x[row_of(q) * x_step];
        for (int c = item; c < columns; c += THREADS) known[c] = x[row_of(panel + c) * x_step];
        barrier(CLK_LOCAL_MEM_FENCE);

        // The product of A with the block before.
#if TRANSPOSED
        const int lane = item % LANES;
        for (int r = item / LANES; r < rows; r += THREADS / LANES) {
            const long begin = columns == 0 ? BLOCK : base + r - reach - panel;
            __global const scalar *row = a + column_start(row_of(base + r));
            scalar sum = SCALAR_ZERO, element[BLOCK / LANES], factor[BLOCK / LANES];
            #pragma unroll
            for (int c = 0; c < BLOCK / LANES; c++) {
                const int column = c * LANES + lane;
                const bool is_stored = column >= begin;
                element[c] = is_stored ? row[row_of(panel + column)] : SCALAR_ZERO;
                factor[c] = is_stored ? known[column] : SCALAR_ZERO;
            }
            #pragma unroll
            for (int c = 0; c < BLOCK / LANES; c++)
                sum = multiply_add(conjugate_if(conjugate, element[c]), factor[c], sum);
            partial[r * (LANES + 1) + lane] = sum;
        }
#else
        {
            const int r = item % BLOCK, part = item / BLOCK * (BLOCK / PARTS);
            const int end = r < rows ? min(columns, part + BLOCK / PARTS) : 0;
            int c = (int)max((long)part, base + r - reach - panel);
            const long j = row_of(panel + c);
            long at = element_index(row_of(base + r), j),
                delta = direction * (linear + quadratic * (2 * j + direction)) / 2;
            scalar sum = SCALAR_ZERO;
            for (; c + LOADS <= end; c += LOADS) {
                scalar element[LOADS];
                #pragma unroll
                for (int k = 0; k < LOADS; k++) {
                    element[k] = a[at];
                    at += delta;
                    delta += quadratic;
                }
                #pragma unroll
                for (int k = 0; k < LOADS; k++)
                    sum = multiply_add(conjugate_if(conjugate, element[k]), known[c + k], sum);
            }
            for (; c < end; c++) {
                sum = multiply_add(conjugate_if(conjugate, a[at]), known[c], sum);
                at += delta;
                delta += quadratic;
            }
            partial[item] = sum;
        }
#endif
        for (int k = item; k < (steps > 0 ? BLOCK * STEP : 0); k += THREADS) {
            const int r = k % BLOCK, p = r / STEP * STEP + k / BLOCK;
            scalar element = r < rows && !unit ? SCALAR_ZERO : SCALAR_ONE;
            if (r < rows && (p == r ? !unit : p < r && r - p <= reach))
                element = conjugate_if(conjugate, a[element_index(row_of(base + r), row_of(base + p))]);
            corner[k] = element;
            if (p == r) inverse[r] = reciprocal(element);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
#if TRANSPOSED
        if (item < rows)
            for (int l = 0; l < LANES; l++) value -= partial[item * (LANES + 1) + l];
#else
        if (item < rows)
            for (int p = 0; p < PARTS; p++) value -= partial[p * BLOCK + item];
#endif

        const long j = row_of(base);
        long at = element_index(row_of(q), j);
#if TRANSPOSED
        const long delta_growth = 0;
        long delta = direction;
#else
        const long delta_growth = quadratic;
        long delta = direction * (linear + quadratic * (2 * j + direction)) / 2;
#endif
        scalar ahead[STEP];
        load_ahead(0);
        for (int s = 0; s < steps; s++) {
            scalar element[STEP];
            #pragma unroll
            for (int d = 0; d < STEP; d++) element[d] = ahead[d];
            load_ahead(s + 1);
            // The slots alternate, so that one barrier is enough.
            __local scalar *slots = exchange + (s & 1) * STEP;
            if (own_step == s) slots[item % STEP] = value;
            barrier(CLK_LOCAL_MEM_FENCE);
            // Each work-item computes the unknowns that it needs: that is faster than to wait for them.
            if (own_step >= s && item < BLOCK) {
                scalar found[STEP];
                #pragma unroll
                for (int d = 0; d < STEP; d++) {
                    const int r = s * STEP + d;
                    scalar sum = slots[d];
                    #pragma unroll
                    for (int e = 0; e < STEP; e++)
                        if (e < d && d - e <= reach) sum = multiply_add(-corner[e * BLOCK + r], found[e], sum);
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
        if (item < rows) x[row_of(q) * x_step] = value;
        barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    }
}

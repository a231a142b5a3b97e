// A = Q R for each matrix of a batch, in its place in memory, by a work-group, whose teams of work-items take a column each at a time.
// Parameters: THREADS (a multiple of LANES and of SUMMERS), LANES (work-items of a team), SUMMERS.

#define TEAMS (THREADS / LANES)
#define GLOBAL_AND_LOCAL (CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE)

__kernel __attribute__((reqd_work_group_size(THREADS, 1, 1))) void qr_batched(
    int rows, int columns, __global scalar *a, long a_offset, long row_stride, long column_stride, __global scalar *tau,
    long tau_offset, long tau_stride, BATCH_PARAMETERS, long a_spacing)
{
    __local squares sums[THREADS], fewer[SUMMERS];
    __local scalar parts[2][THREADS];
    const int item = get_local_id(0), team = item / LANES, lane = item % LANES;
    const long matrix = get_group_id(0);
    const int steps = min(rows, columns);
    a += a_offset + place_in_batch(matrix, a_spacing);
    for (int j = 0; j < steps; j++) {
        __global scalar *v = a + j * column_stride;
        squares sum = no_squares();
        for (int i = j + 1 + item; i < rows; i += THREADS) sum = squares_of(sum, v[i * row_stride]);
        sum = squares_in_group(sum, sums, fewer);
        const reflector h = reflector_of(v[j * row_stride], sum);
        for (int i = j + 1 + item; i < rows; i += THREADS) v[i * row_stride] = divide(v[i * row_stride] * h.scale, h.divisor);
        barrier(GLOBAL_AND_LOCAL);
        if (item == 0) {
            v[j * row_stride] = from_real(h.beta);
            tau[tau_offset + matrix * tau_stride + j] = h.tau;
        }
        // Once at least, even if there is nothing to do: PoCL 3.1 goes through a loop with a barrier once in any case.
        const int turns = max((columns - j - 2 + TEAMS) / TEAMS, 1);
        for (int k = 0; k < turns; k++) {
            const int c = j + 1 + k * TEAMS + team;
            __global scalar *other = a + c * column_stride;
            scalar product = SCALAR_ZERO;
            if (c < columns) {
                if (lane == 0) product = other[j * row_stride];
                for (int i = j + 1 + lane; i < rows; i += LANES)
                    product = multiply_add(conjugate_if(1, v[i * row_stride]), other[i * row_stride], product);
            }
            __local scalar *own = parts[k & 1];
            own[item] = product;
            barrier(CLK_LOCAL_MEM_FENCE);
            if (c < columns) {
                product = own[team * LANES];
                for (int l = 1; l < LANES; l++) product += own[team * LANES + l];
                const scalar factor = -multiply(conjugate_if(1, h.tau), product);
                if (lane == 0) other[j * row_stride] += factor;
                for (int i = j + 1 + lane; i < rows; i += LANES)
                    other[i * row_stride] = multiply_add(factor, v[i * row_stride], other[i * row_stride]);
            }
        }
        barrier(GLOBAL_AND_LOCAL);
    }
}

// Iterative refinement: conversions between double precision, the type `scalar` of the program, and single precision, and the
// test whether a solution is good enough. A work-group takes a column.
//
// `status` is three numbers: whether a number is too large for single precision; another kernel's info; and 0 for solutions that
// are good enough, 1 for one that is to be refined, 2 for one that has overflowed.
// Parameter: THREADS.

#if SCALAR_IS_COMPLEX
typedef float2 single;
#define narrowed(v) convert_float2(v)
#define widened(v) convert_double2(v)
#else
typedef float single;
#define narrowed(v) convert_float(v)
#define widened(v) convert_double(v)
#endif

// |re| + |im|
#define size_of(v) (fabs(real_part(v)) + fabs(imaginary_part(v)))

__kernel void clear_status(__global int *status)
{
    status[0] = 0;
    status[1] = 0;
    status[2] = 0;
}

// To single precision: all rows of the columns, or (`part` 1) those from the diagonal on, or (2) those up to it.
__kernel __attribute__((reqd_work_group_size(THREADS, 1, 1))) void narrow(
    long rows, int part, __global const scalar *restrict from, long from_offset, long from_row_stride,
    long from_column_stride, __global single *restrict to, long to_offset, long to_row_stride, long to_column_stride,
    __global int *status)
{
    const long column = get_group_id(0);
    const long first = part == 1 ? column : 0, end = part == 2 ? min(rows, column + 1) : rows;
    from += from_offset + column * from_column_stride;
    to += to_offset + column * to_column_stride;
    int too_large = 0;
    for (long i = first + get_local_id(0); i < end; i += THREADS) {
        const scalar value = from[i * from_row_stride];
        too_large |= fabs(real_part(value)) > FLT_MAX || fabs(imaginary_part(value)) > FLT_MAX;
        to[i * to_row_stride] = narrowed(value);
    }
    if (too_large) atomic_max(&status[0], 1);
}

// To double precision, or (`add`) a sum with what is there.
__kernel __attribute__((reqd_work_group_size(THREADS, 1, 1))) void widen(
    long rows, int add, __global const single *restrict from, long from_offset, long from_row_stride,
    long from_column_stride, __global scalar *restrict to, long to_offset, long to_row_stride, long to_column_stride)
{
    const long column = get_group_id(0);
    from += from_offset + column * from_column_stride;
    to += to_offset + column * to_column_stride;
    for (long i = get_local_id(0); i < rows; i += THREADS) {
        const scalar value = widened(from[i * from_row_stride]);
        to[i * to_row_stride] = add ? to[i * to_row_stride] + value : value;
    }
}

// The largest component of a residual against that of the solution, times the matrix's norm and the real part of `tolerance`.
__kernel __attribute__((reqd_work_group_size(THREADS, 1, 1))) void judge(
    long rows, __global const scalar *restrict x, long x_offset, long x_row_stride, long x_column_stride,
    __global const scalar *restrict residual, long r_offset, long r_row_stride, long r_column_stride,
    __global const real *norm, scalar tolerance, __global int *status)
{
    __local real largest[2][THREADS];
    const long column = get_group_id(0);
    const int item = get_local_id(0);
    x += x_offset + column * x_column_stride;
    residual += r_offset + column * r_column_stride;
    real solution = 0, error = 0;
    for (long i = item; i < rows; i += THREADS) {
        const real here = size_of(residual[i * r_row_stride]);
        // A NaN is as bad as an infinity.
        error = fmax(error, here <= DBL_MAX ? here : INFINITY);
        solution = fmax(solution, size_of(x[i * x_row_stride]));
    }
    largest[0][item] = error;
    largest[1][item] = solution;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (item > 0) return;
    for (int i = 1; i < THREADS; i++) {
        error = fmax(error, largest[0][i]);
        solution = fmax(solution, largest[1][i]);
    }
    const int coarse = error > solution * (norm[0] * real_part(tolerance));
    atomic_max(&status[2], error <= DBL_MAX ? coarse : 2);
}

// One-sided Jacobi rotations of the columns of each matrix of a batch (Hestenes 1958), in the odd-even ordering of Luk
// and Park (1989): a sweep has as many rounds as columns.
//
// A team of PAIRS * LANES work-items has a matrix in registers: LANES work-items have two neighbouring columns, lane l
// the rows l, l + LANES, ... After a round one column of each pair goes to the next pair through local memory.
// VECTOR_ROWS more elements of a column are rotated, too, but do not count in products.
#pragma once

// Pairs of columns of a team, at most.
#ifndef PAIRS
#define PAIRS 4
#endif

// Work-items that share a pair of columns.
#ifndef LANES
#define LANES 2
#endif

// Teams of a work-group.
#ifndef TEAMS
#define TEAMS 4
#endif

// Elements of a column that a work-item has: a multiple of 2.
#ifndef ROWS
#define ROWS 4
#endif

// Elements of a column of V that it has: 0, or a multiple of 2.
#ifndef VECTOR_ROWS
#define VECTOR_ROWS 0
#endif

// Steps in which columns go through local memory: 1, or 2.
#ifndef PARTS
#define PARTS 1
#endif

#include "common/modulus.cl"
#include "blas/level3/batched/offsets.cl"

#define TEAM_ITEMS (PAIRS * LANES)
#define THREADS (TEAM_ITEMS * TEAMS)
#define COLUMN (ROWS + VECTOR_ROWS)
#define PART (COLUMN / PARTS)

// With one lane and one step there is one barrier in a round: columns have two buffers in turn.
#define BUFFERS (LANES == 1 && PARTS == 1 ? 2 : 1)

#define MAX_SWEEPS 30

#if SCALAR_IS_DOUBLE
#define REAL_EPSILON 0x1p-52
#define LARGEST_EXPONENT 1000
// Squared norm of a column that is not rotated, relative to the largest element's square.
#define NEGLIGIBLE 0x1p-900
#else
#define REAL_EPSILON 0x1p-23f
#define LARGEST_EXPONENT 120
#define NEGLIGIBLE 0x1p-90f
#endif

#if SCALAR_IS_COMPLEX
#define square_of(v) ((v).x * (v).x + (v).y * (v).y)
#define larger_part(v) larger(fabs((v).x), fabs((v).y))
#else
#define square_of(v) ((v) * (v))
#define larger_part(v) fabs(v)
#endif

typedef struct {
    // Columns on their way, and later workspace of the kernels.
    scalar moved[BUFFERS * PART * THREADS];
    // Sums of work-items.
    real sums[4][THREADS];
    // Rotations of a sweep, for even and odd sweeps.
    int rotated[2][TEAMS];
} jacobi_workspace;

// A work-item's part of the batch.
typedef struct {
    int item, team, own, pair, lane;
} jacobi_item;

inline jacobi_item find_item(void)
{
    jacobi_item p;
    p.item = get_local_id(0);
    p.team = p.item / TEAM_ITEMS;
    p.own = p.item % TEAM_ITEMS;
    p.pair = p.own / LANES;
    p.lane = p.own % LANES;
    return p;
}

// Sum over the lanes of a pair of `sums`, in the same order for each of them.
inline real sum_of_lanes(__local const real *sums, jacobi_item p)
{
    real sum = sums[p.item - p.lane];
    #pragma unroll
    for (int l = 1; l < LANES; l++) sum += sums[p.item - p.lane + l];
    return sum;
}

// Largest value of a team, or NaN.
inline real largest_of_team(real own, __local jacobi_workspace *work, jacobi_item p)
{
    work->sums[0][p.item] = own;
    barrier(CLK_LOCAL_MEM_FENCE);
    real largest = 0;
    for (int i = 0; i < TEAM_ITEMS; i++) {
        const real other = work->sums[0][p.item - p.own + i];
        largest = larger(largest, other);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    return largest;
}

// Squared norm of `count` elements of a column, from element `first` on.
inline real squared_norm(const scalar *x, int first, int count)
{
    real even = 0, odd = 0;
    #pragma unroll
    for (int i = 0; i < count; i += 2) {
        even += square_of(x[first + i]);
        odd += square_of(x[first + i + 1]);
    }
    return even + odd;
}

// Rotates two columns until they are orthogonal. Returns true if they were not.
inline bool rotate(scalar *x, scalar *y, bool active, real tolerance, __local jacobi_workspace *work, jacobi_item p)
{
    real of_x = squared_norm(x, 0, ROWS), of_y = squared_norm(y, 0, ROWS);
    scalar even = SCALAR_ZERO, odd = SCALAR_ZERO;
    #pragma unroll
    for (int i = 0; i < ROWS; i += 2) {
        even = multiply_add(conjugate_if(1, x[i]), y[i], even);
        odd = multiply_add(conjugate_if(1, x[i + 1]), y[i + 1], odd);
    }
    scalar product = even + odd;
#if LANES > 1
    work->sums[0][p.item] = of_x;
    work->sums[1][p.item] = of_y;
    work->sums[2][p.item] = real_part(product);
#if SCALAR_IS_COMPLEX
    work->sums[3][p.item] = imaginary_part(product);
#endif
    barrier(CLK_LOCAL_MEM_FENCE);
    of_x = sum_of_lanes(work->sums[0], p);
    of_y = sum_of_lanes(work->sums[1], p);
#if SCALAR_IS_COMPLEX
    product = from_parts(sum_of_lanes(work->sums[2], p), sum_of_lanes(work->sums[3], p));
#else
    product = sum_of_lanes(work->sums[2], p);
#endif
#endif
    if (!active || !(of_x >= NEGLIGIBLE) || !(of_y >= NEGLIGIBLE)) return false;
    const real inverse_x = rsqrt(of_x), inverse_y = rsqrt(of_y);
    const real size = modulus(product), inverse = fmin(inverse_x * inverse_x, inverse_y * inverse_y);
    if (!(size * inverse_x * inverse_y > tolerance)) return false;
    // Tangent, sine, and tangent of half the angle: Rutishauser's form changes little what is nearly orthogonal.
    const real difference = (of_y - of_x) * inverse, twice = 2 * size * inverse;
    const real root = sqrt(real_multiply_add(difference, difference, twice * twice));
    const real tangent = copysign(twice / (fabs(difference) + root), difference);
    const real cosine = rsqrt(real_multiply_add(tangent, tangent, (real)1));
    const real sine = tangent * cosine, half_tangent = sine / (1 + cosine);
#if SCALAR_IS_COMPLEX
    const scalar phase = product / size;
    const scalar of_second = sine * conjugate_if(1, phase), of_first = sine * phase;
    const real shrinks = sine * half_tangent;
    #pragma unroll
    for (int i = 0; i < COLUMN; i++) {
        const scalar first = x[i], second = y[i];
        x[i] = first - multiply_add(of_second, second, shrinks * first);
        y[i] = second + multiply_add(of_first, first, -shrinks * second);
    }
#else
    const real signed_sine = copysign((real)1, product) * sine;
    const real signed_half = copysign((real)1, product) * half_tangent;
    #pragma unroll
    for (int i = 0; i < COLUMN; i++) {
        const scalar first = x[i], second = y[i];
        x[i] = real_multiply_add(-signed_sine, real_multiply_add(signed_half, first, second), first);
        y[i] = real_multiply_add(signed_sine, real_multiply_add(-signed_half, second, first), second);
    }
#endif
    return true;
}

// Replaces a column by that of work-item `from`.
inline void exchange(scalar *x, int from, int buffer, __local jacobi_workspace *work, jacobi_item p)
{
    __local scalar *moved = work->moved + buffer % BUFFERS * (PART * THREADS);
    #pragma unroll
    for (int part = 0; part < PARTS; part++) {
        if (part > 0) barrier(CLK_LOCAL_MEM_FENCE);
        #pragma unroll
        for (int i = 0; i < PART; i++) moved[i * THREADS + p.item] = x[part * PART + i];
        barrier(CLK_LOCAL_MEM_FENCE);
        #pragma unroll
        for (int i = 0; i < PART; i++) x[part * PART + i] = moved[i * THREADS + from];
    }
#if LANES == 1 && PARTS > 1
    barrier(CLK_LOCAL_MEM_FENCE);
#endif
}

// Rotates the columns until all are orthogonal. Returns false if they are not after MAX_SWEEPS sweeps. All work-items
// of the group have the same number of pairs.
inline bool orthogonalise(
    scalar *x, scalar *y, int pairs, real tolerance, __local jacobi_workspace *work, jacobi_item p)
{
    const bool active = p.pair < pairs, last = p.pair == pairs - 1;
    const int first_item = p.item - p.own + p.lane;
    const int next = !active ? p.item : last ? first_item : p.item + LANES;
    const int previous = !active ? p.item : p.pair == 0 ? first_item + (pairs - 1) * LANES : p.item - LANES;
    if (p.own == 0) work->rotated[0][p.team] = work->rotated[1][p.team] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    bool own_converged = false;
    for (int sweep = 0; sweep < MAX_SWEEPS; sweep++) {
        bool rotated = false;
        for (int round = 0; round < pairs; round++) {
            // Columns (2p, 2p + 1), which are interchanged; the first one of the next pair comes.
            rotated |= rotate(x, y, active, tolerance, work, p);
            exchange(y, next, 0, work, p);
            // Columns (2p + 1, 2p + 2), which are interchanged; the last pair has the last column and the first one.
            rotated |= rotate(x, y, active && !last, tolerance, work, p);
            #pragma unroll
            for (int i = 0; i < COLUMN; i++) {
                const scalar sent = last ? y[i] : x[i];
                y[i] = last ? x[i] : y[i];
                x[i] = sent;
            }
            exchange(x, previous, 1, work, p);
        }
        if (rotated) atomic_or(&work->rotated[sweep & 1][p.team], 1);
        barrier(CLK_LOCAL_MEM_FENCE);
        int any = 0;
        for (int team = 0; team < TEAMS; team++) any |= work->rotated[sweep & 1][team];
        own_converged = work->rotated[sweep & 1][p.team] == 0;
        if (any == 0) break;
        if (p.own == 0) work->rotated[(sweep + 1) & 1][p.team] = 0;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    return own_converged;
}

// Exponent of a size, away from overflow and underflow of the power of two.
inline int exponent_of(real size) { return size > 0 ? clamp(ilogb(size), -LARGEST_EXPONENT, LARGEST_EXPONENT) : 0; }

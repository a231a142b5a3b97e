// Roots of secular equations, 1 + rho sum z_i^2 / (d_i - lambda) = 0 (Li, LAPACK Working Note 89; LAPACK: xLAED4). The
// poles d ascend, and the sum of the z_i^2 is at most 1.
#pragma once

#include "common/scalar.cl"

// Work-items of a group that has a root, a power of two.
#ifndef THREADS
#define THREADS 64
#endif

#if SCALAR_IS_DOUBLE
#define SCALAR_EPSILON 0x1p-52
#define SMALLEST_SCALAR 0x1p-1022
#else
#define SCALAR_EPSILON 0x1p-23f
#define SMALLEST_SCALAR 0x1p-126f
#endif

// Steps of a root at most; bisection ends before.
#define MAX_STEPS 200

// Sums over the poles up to one, and over those above it.
#define BELOW 0
#define BELOW_SLOPE 1
#define ABOVE 2
#define ABOVE_SLOPE 3
#define SUMS 4

// sums[k * THREADS] := the sums of z_i^2 / (d_i - pole - tau), and of their derivatives, in a fixed order. All items of
// the group come here.
static void secular_sums(__local scalar *sums, int count, int j, __global const scalar *d,
                         __global const scalar *z, scalar pole, scalar tau)
{
    const int item = get_local_id(0);
    scalar own[SUMS] = {0, 0, 0, 0};
    for (int i = item; i < count; i += THREADS) {
        const scalar inverse = 1 / ((d[i] - pole) - tau), size = z[i], term = size * size * inverse;
        const bool is_below = i <= j;
        own[BELOW] += is_below ? term : 0;
        own[BELOW_SLOPE] += is_below ? term * inverse : 0;
        own[ABOVE] += is_below ? 0 : term;
        own[ABOVE_SLOPE] += is_below ? 0 : term * inverse;
    }
    // The sums before have been read.
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 0; k < SUMS; k++) sums[k * THREADS + item] = own[k];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int width = THREADS / 2; width > 0; width /= 2) {
        if (item < width) {
            for (int k = 0; k < SUMS; k++) sums[k * THREADS + item] += sums[k * THREADS + item + width];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}

// First approximation of root j, relative to a pole, by two poles near it and the other terms' values halfway through
// the gap, where all of them make `value`. Without one it is not between `end` and `end + gap`.
static scalar secular_start(int count, int j, __global const scalar *d, __global const scalar *z,
                            scalar pole, scalar value, scalar gap)
{
    const int left = j + 1 == count ? j - 1 : j, right = left + 1;
    const scalar left_square = z[left] * z[left], right_square = z[right] * z[right];
    const scalar c = value - left_square / ((d[left] - d[j]) - gap / 2) - right_square / ((d[right] - d[j]) - gap / 2);
    // c + left_square / (a - tau) + right_square / (b - tau) = 0
    const scalar a = d[left] - pole, b = d[right] - pole;
    const scalar half_sum = (c * (a + b) + left_square + right_square) / 2;
    const scalar product = c * a * b + left_square * b + right_square * a;
    const scalar root = sqrt(fmax(half_sum * half_sum - c * product, (scalar)0));
    const scalar first = half_sum >= 0 ? product / (half_sum + root) : (half_sum - root) / c;
    const scalar second = half_sum >= 0 ? (half_sum + root) / c : product / (half_sum - root);
    const scalar end = d[j] - pole;
    return first > end && first < end + gap ? first : second;
}

// The step to the root of a rational function with the poles beside the root, at these distances (Li's middle way).
static scalar secular_step(scalar left, scalar right, scalar value, scalar below_slope, scalar above_slope)
{
    const scalar slope = below_slope + above_slope, c = value - left * below_slope - right * above_slope;
    const scalar a = (left + right) * value - left * right * slope, b = left * right * value;
    const scalar root = sqrt(fabs(a * a - 4 * b * c));
    const scalar step = a <= 0 ? (a - root) / (2 * c) : 2 * b / (a + root);
    // Newton's step goes the right way in any case.
    return value * step >= 0 ? -value / slope : step;
}

// A number between two bounds of one sign, of which one may be 0: the middle of their exponents where they are far from
// each other.
static scalar secular_between(scalar low, scalar high)
{
    const scalar large = fabs(low) < fabs(high) ? high : low;
    const scalar size = fmax(fmin(fabs(low), fabs(high)), SMALLEST_SCALAR), limit = fabs(large);
    return limit > 16 * size ? copysign(sqrt(size) * sqrt(limit), large) : low + (high - low) / 2;
}

// Root j of the merge at position p, above its pole j and below the next: d[origin] + tau, where the origin is the
// nearer pole, so that tau has full relative precision. Position p of the arrays belongs to the poles from firsts[2 p]
// on, of which there are firsts[2 p + 1]; origins count from there. Positions without a root have 0. A work-group has a
// root.
__kernel __attribute__((reqd_work_group_size(THREADS, 1, 1))) void stedc_roots(
    __global const int *restrict firsts, __global const scalar *restrict poles, __global const scalar *restrict z,
    __global const scalar *restrict rhos, __global int *restrict origins, __global scalar *restrict taus)
{
    __local scalar sums[SUMS * THREADS];
    const int p = get_group_id(0), first = firsts[2 * p], j = p - first;
    const bool is_root = j < firsts[2 * p + 1];
    // All groups come to the barriers.
    const int count = is_root ? firsts[2 * p + 1] : 0;
    __global const scalar *d = poles + first;
    __global const scalar *own_z = z + first;
    const scalar rho = rhos[p], inverse_rho = 1 / rho;
    const bool is_last = j + 1 >= count, is_single = count == 1;
    const scalar gap = is_last ? rho : d[j + 1] - d[j];
    secular_sums(sums, count, j, d, own_z, d[j], gap / 2);
    scalar value = inverse_rho + sums[BELOW * THREADS] + sums[ABOVE * THREADS];
    const bool is_right = !is_last && value < 0;
    const int origin = is_right ? j + 1 : j;
    const scalar pole = d[origin];
    scalar low = is_right ? -gap / 2 : 0, high = is_last ? 2 * gap : is_right ? 0 : gap / 2;
    scalar tau = is_single ? rho * own_z[0] * own_z[0] : (low + high) / 2;
    if (count > 1) {
        const scalar start = secular_start(count, j, d, own_z, pole, value, gap);
        if (start > low && start < high) tau = start;
    }
    // Equal in all items of the group.
    bool is_found = count <= 1;
    for (int step = 0; step < MAX_STEPS && !is_found; step++) {
        secular_sums(sums, count, j, d, own_z, pole, tau);
        const scalar below = sums[BELOW * THREADS], below_slope = sums[BELOW_SLOPE * THREADS];
        const scalar above = sums[ABOVE * THREADS], above_slope = sums[ABOVE_SLOPE * THREADS];
        const scalar slope = below_slope + above_slope;
        value = inverse_rho + below + above;
        is_found = fabs(value) <= SCALAR_EPSILON * (inverse_rho + 4 * (above - below) + fabs(tau) * slope);
        if (!is_found) {
            if (value < 0) low = tau;
            else high = tau;
            const scalar left = (d[j] - pole) - tau;
            scalar next;
            if (is_last) {
                // A pole at the last one, and a constant, with the value and the slope.
                next = tau + left + slope * left * left / (value - slope * left);
            } else {
                next = tau + secular_step(left, (d[j + 1] - pole) - tau, value, below_slope, above_slope);
            }
            if (!(next > low && next < high)) next = secular_between(low, high);
            is_found = next == tau || !(next > low && next < high);
            if (!is_found) tau = next;
        }
    }
    if (get_local_id(0) == 0) {
        origins[p] = is_root ? origin : 0;
        taus[p] = is_root ? tau : 0;
    }
}

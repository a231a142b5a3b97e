// Steps of divide and conquer for real symmetric tridiagonal matrices (Cuppen 1981; Gu and Eisenstat 1995; LAPACK:
// xSTEDC). Each launch does a step of all merges of a level. Q is n x n; a merge of the rows and columns from
// `start` to `end` has the eigenvectors of two parts there, which meet at `middle`.
//
// Numbers of a merge, NODE_INTS for each: start, middle, end, first rotation, rotation after the last.
#pragma once

#include "common/scalar.cl"
#include "lapack/eigen/secular.cl"

#define NODE_INTS 5

// Rows of a leaf at most, and work-items of its group.
#ifndef MAX_LEAF
#define MAX_LEAF 64
#endif

// QL steps for an eigenvalue at most: about two are needed.
#define MAX_QL_STEPS 60

#if SCALAR_IS_DOUBLE
#define UNIT_ROUNDOFF 0x1p-53
#define NEGLIGIBLE 0x1p-900
#else
#define UNIT_ROUNDOFF 0x1p-24f
#define NEGLIGIBLE 0x1p-100f
#endif

// True for an off-diagonal element that counts as zero. The matrix has a norm of about 1 or more.
#define is_negligible(e, d, next) (fabs(e) <= NEGLIGIBLE || fabs(e) <= UNIT_ROUNDOFF * (fabs(d) + fabs(next)))

// Q := I
__kernel void stedc_identity(int n, __global scalar *restrict q, long stride)
{
    const int i = get_global_id(0);
    const long j = get_group_id(1);
    if (i < n) q[j * stride + i] = i == j ? 1 : 0;
}

// Leaves by the QL iteration with implicit shifts (LAPACK: xSTEQR): d := eigenvalues, and rows and columns of the leaf
// in Q, which are those of I, := eigenvectors. A work-group has a leaf, from row leaves[2 g] to leaves[2 g + 1]; its
// first work-item finds the rotations of a step, and each one applies them to a row. `failed` becomes 1 if an
// eigenvalue has not converged.
__kernel __attribute__((reqd_work_group_size(MAX_LEAF, 1, 1))) void stedc_leaves(
    __global const int *restrict leaves, __global scalar *restrict d, __global const scalar *restrict e,
    __global scalar *restrict q, long stride, __global int *restrict failed)
{
    __local scalar diagonal[MAX_LEAF], beside[MAX_LEAF], cosines[MAX_LEAF], sines[MAX_LEAF];
    __local int rotations[2];
    const int group = get_group_id(0), item = get_local_id(0);
    const int first = leaves[2 * group], rows = leaves[2 * group + 1] - first;
    __global scalar *const row = q + first * stride + first + item;
    if (item < rows) {
        diagonal[item] = d[first + item];
        beside[item] = item + 1 < rows ? e[first + item] : 0;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    int steps = 0;
    for (int l = 0; l < rows && steps < MAX_QL_STEPS;) {
        if (item == 0) {
            int m = l;
            while (m + 1 < rows && !is_negligible(beside[m], diagonal[m], diagonal[m + 1])) m++;
            int i = m - 1;
            if (m > l) {
                // Wilkinson's shift.
                scalar g = (diagonal[l + 1] - diagonal[l]) / (2 * beside[l]);
                g = diagonal[m] - diagonal[l] + beside[l] / (g + copysign(hypot(g, (scalar)1), g));
                scalar sine = 1, cosine = 1, shift = 0;
                for (; i >= l; i--) {
                    const scalar f = sine * beside[i], b = cosine * beside[i], r = hypot(f, g);
                    beside[i + 1] = r;
                    if (r == 0) {
                        diagonal[i + 1] -= shift;
                        break;
                    }
                    sine = f / r;
                    cosine = g / r;
                    g = diagonal[i + 1] - shift;
                    const scalar t = (diagonal[i] - g) * sine + 2 * cosine * b;
                    shift = sine * t;
                    diagonal[i + 1] = g + shift;
                    g = cosine * t - b;
                    cosines[i] = cosine;
                    sines[i] = sine;
                }
                if (i < l) {
                    diagonal[l] -= shift;
                    beside[l] = g;
                }
                beside[m] = 0;
            }
            rotations[0] = i + 1;
            rotations[1] = m;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        const int from = rotations[0], to = rotations[1];
        if (item < rows && from < to) {
            scalar last = row[to * stride];
            for (int i = to - 1; i >= from; i--) {
                const scalar other = row[i * stride];
                row[(i + 1) * stride] = sines[i] * other + cosines[i] * last;
                last = cosines[i] * other - sines[i] * last;
            }
            row[from * stride] = last;
        }
        steps = to > l ? steps + 1 : 0;
        if (to == l) l++;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (item < rows) d[first + item] = diagonal[item];
    if (item == 0 && steps == MAX_QL_STEPS) *failed = 1;
}

// z: the last row of the first part's vectors, and the first row of the second's.
__kernel void stedc_rows(__global const int *restrict nodes, __global const scalar *restrict q, long stride,
                         __global scalar *restrict z)
{
    __global const int *node = nodes + get_group_id(1) * NODE_INTS;
    const long j = node[0] + (long)get_global_id(0);
    if (j >= node[2]) return;
    z[j] = q[j * stride + (j < node[1] ? node[1] - 1 : node[1])];
}

// Rotates pairs of columns, one pair after the other. A work-item has a row.
__kernel void stedc_rotate(__global const int *restrict nodes, __global const int *restrict pairs,
                           __global const scalar *restrict rotations, __global scalar *restrict q, long stride)
{
    __global const int *node = nodes + get_group_id(1) * NODE_INTS;
    const long i = node[0] + (long)get_global_id(0);
    if (i >= node[2]) return;
    for (int r = node[3]; r < node[4]; r++) {
        const long left = pairs[2 * r] * stride + i, right = pairs[2 * r + 1] * stride + i;
        const scalar c = rotations[2 * r], s = rotations[2 * r + 1], x = q[left], y = q[right];
        q[left] = c * x + s * y;
        q[right] = c * y - s * x;
    }
}

// Column j of `to` := column sources[3 j] of `from`, rows sources[3 j + 1] to sources[3 j + 2]. A negative source is
// none.
__kernel void stedc_gather(__global const int *restrict sources, __global const scalar *restrict from,
                           __global scalar *restrict to, long stride)
{
    const long j = get_group_id(1), source = sources[3 * j], i = sources[3 * j + 1] + (long)get_global_id(0);
    if (source < 0 || i >= sources[3 * j + 2]) return;
    to[j * stride + i] = from[source * stride + i];
}

// A merge's poles d, ascending, and the roots of its secular equation, lambda_j = d[origin[j]] + tau[j]. Position p of
// the arrays belongs to the poles from firsts[2 p] on, of which there are firsts[2 p + 1]; `origins` count from there.
#define DELTA(i, j) ((d[i] - d[first + origins[j]]) - tau[j])

// z := the vector for which these roots are exact (Loewner). A work-group has an element.
__kernel __attribute__((reqd_work_group_size(THREADS, 1, 1))) void stedc_loewner(
    __global const int *restrict firsts, __global const scalar *restrict d, __global const int *restrict origins,
    __global const scalar *restrict tau, __global const scalar *restrict z, __global scalar *restrict exact)
{
    __local scalar products[THREADS];
    const int p = get_group_id(0), item = get_local_id(0), first = firsts[2 * p], last = first + firsts[2 * p + 1];
    // All groups come to the barrier.
    const int end = p < last ? last : first;
    scalar product = 1;
    for (int j = first + item; j < end; j += THREADS) {
        const scalar delta = DELTA(p, j);
        product *= j == p ? -delta : delta / (d[p] - d[j]);
    }
    products[item] = product;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (item != 0 || p >= end) return;
    for (int t = 1; t < THREADS; t++) product *= products[t];
    exact[p] = copysign(sqrt(fabs(product)), z[p]);
}

// Column j of U := the unit eigenvector of root j, (z_i / (d_i - lambda_j)), with element i in row first + rows[i].
__kernel __attribute__((reqd_work_group_size(THREADS, 1, 1))) void stedc_vectors(
    __global const int *restrict firsts, __global const scalar *restrict d, __global const int *restrict origins,
    __global const scalar *restrict tau, __global const scalar *restrict exact, __global const int *restrict rows,
    __global scalar *restrict u, long stride)
{
    __local scalar sums[THREADS];
    const int j = get_group_id(0), item = get_local_id(0), first = firsts[2 * j], last = first + firsts[2 * j + 1];
    // All groups come to the barrier.
    const int end = j < last ? last : first;
    const scalar pole = d[first + origins[j]], shift = tau[j];
    scalar sum = 0;
    for (int i = first + item; i < end; i += THREADS) {
        const scalar element = exact[i] / ((d[i] - pole) - shift);
        sum += element * element;
    }
    sums[item] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    scalar total = 0;
    for (int t = 0; t < THREADS; t++) total += sums[t];
    const scalar inverse = 1 / sqrt(total);
    for (int i = first + item; i < end; i += THREADS)
        u[(long)j * stride + first + rows[i]] = exact[i] / ((d[i] - pole) - shift) * inverse;
}

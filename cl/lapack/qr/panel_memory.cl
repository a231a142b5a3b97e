// geqr2 and larft of a panel in global memory, by one work-group: R and the Householder vectors replace the panel;
// tau, and T of the block reflector I - V T V^H. Teams of LANES work-items have some of the columns each.
#pragma once

// Work-items of a group: a multiple of LANES and of REDUCERS.
#ifndef THREADS
#define THREADS 256
#endif

// Work-items of a team, which shares a column.
#ifndef LANES
#define LANES 16
#endif

// Columns, at most.
#ifndef WIDTH
#define WIDTH 32
#endif

#include "lapack/qr/larfg.cl"
#include "lapack/qr/group_squares.cl"

#define TEAMS (THREADS / LANES)
#define SHARE ((WIDTH + TEAMS - 1) / TEAMS)
#define GLOBAL_AND_LOCAL (CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE)

__kernel __attribute__((reqd_work_group_size(THREADS, 1, 1))) void qr_panel(
    int rows, int width, __global scalar *a, long a_offset, long column_stride, __global scalar *tau, long tau_offset,
    __global scalar *t, long t_offset, long t_stride)
{
    __local squares sums[THREADS], level_sums[REDUCERS];
    __local scalar parts[SHARE * THREADS], products[WIDTH];
    const int item = get_local_id(0), team = item / LANES, lane = item % LANES;
    const int steps = min(rows, width);
    a += a_offset;
    t += t_offset;
    for (int j = 0; j < steps; j++) {
        __global scalar *v = a + j * column_stride;
        squares sum = no_squares();
        for (int i = j + 1 + item; i < rows; i += THREADS) sum = squares_of(sum, v[i]);
        sum = reduce_squares(sum, sums, level_sums);
        const reflector h = larfg(v[j], sum);
        const scalar inverse = reciprocal_of(h.divisor);
        for (int i = j + 1 + item; i < rows; i += THREADS) v[i] = divided(v[i] * h.scale, h.divisor, inverse);
        barrier(GLOBAL_AND_LOCAL);

        // v^H times the other columns.
        for (int k = 0; k < SHARE; k++) {
            const int c = team + k * TEAMS;
            scalar part = SCALAR_ZERO;
            if (c < width && c != j) {
                __global const scalar *other = a + c * column_stride;
                if (lane == 0) part = other[j];
                for (int i = j + 1 + lane; i < rows; i += LANES)
                    part = multiply_add(conjugate_if(1, v[i]), other[i], part);
            }
            parts[k * THREADS + item] = part;
        }
        if (item == 0) {
            v[j] = from_real(h.beta);
            tau[tau_offset + j] = h.tau;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int c = item; c < width; c += THREADS) {
            __local const scalar *its = parts + c / TEAMS * THREADS + c % TEAMS * LANES;
            scalar product = its[0];
            for (int l = 1; l < LANES; l++) product += its[l];
            products[c] = product;
        }
        barrier(CLK_LOCAL_MEM_FENCE);

        // larft: a row of T is one work-item's.
        for (int i = item; i <= j; i += THREADS)
            t[i + j * t_stride] = i == j ? h.tau : larft_element(h.tau, t + i, t_stride, i, j, products);
        for (int c = team; c < width; c += TEAMS) {
            if (c <= j) continue;
            __global scalar *other = a + c * column_stride;
            const scalar factor = -multiply(conjugate_if(1, h.tau), products[c]);
            if (lane == 0) other[j] += factor;
            for (int i = j + 1 + lane; i < rows; i += LANES) other[i] = multiply_add(factor, v[i], other[i]);
        }
        barrier(GLOBAL_AND_LOCAL);
    }
}

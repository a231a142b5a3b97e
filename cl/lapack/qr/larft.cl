// larft: the factors T of block reflectors I - V T V^H of PANEL columns at most each, from the Gram matrix G = V^H V
// and tau. A work-group forms one T; a work-item forms some of its rows.
#pragma once

// Work-items of a group.
#ifndef THREADS
#define THREADS 32
#endif

// Columns of a block reflector, at most.
#ifndef PANEL
#define PANEL 32
#endif

#include "common/scalar.cl"

__kernel __attribute__((reqd_work_group_size(THREADS, 1, 1))) void qr_larft(
    int width, __global const scalar *restrict g, long g_offset, long g_stride, __global const scalar *restrict tau,
    long tau_offset, __global scalar *t, long t_offset, long t_stride)
{
    const int first = get_group_id(0) * PANEL, end = min(width, first + PANEL);
    for (int i = first + get_local_id(0); i < end; i += THREADS) {
        __global scalar *row = t + t_offset + i;
        row[i * t_stride] = tau[tau_offset + i];
        for (int j = i + 1; j < end; j++) {
            __global const scalar *column = g + g_offset + j * g_stride;
            scalar sum = SCALAR_ZERO;
            for (int k = i; k < j; k++) sum = multiply_add(row[k * t_stride], column[k], sum);
            row[j * t_stride] = -multiply(tau[tau_offset + j], sum);
        }
    }
}

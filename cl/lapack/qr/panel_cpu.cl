// geqr2 and larft of a panel by one work-item of a CPU, in wide vectors: as panel_memory.cl.
#pragma once

// Columns, at most.
#ifndef WIDTH
#define WIDTH 32
#endif

#include "lapack/qr/level1_cpu.cl"

__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void qr_panel(
    int rows, int width, __global scalar *a, long a_offset, long column_stride, __global scalar *tau, long tau_offset,
    __global scalar *t, long t_offset, long t_stride)
{
    scalar products[WIDTH];
    const int steps = min(rows, width);
    a += a_offset;
    t += t_offset;
    for (int j = 0; j < steps; j++) {
        __global scalar *v = a + j * column_stride + j;
        const int rest = rows - j - 1;
        const reflector h = larfg(*v, squares_of_all(v + 1, rest));
        *v = from_real(h.beta);
        tau[tau_offset + j] = h.tau;
        const scalar inverse = reciprocal_of(h.divisor);
        for (int i = 1; i <= rest; i++) v[i] = divided(v[i] * h.scale, h.divisor, inverse);
        for (int c = 0; c < width; c++) {
            if (c == j) continue;
            __global scalar *other = a + c * column_stride + j;
            const scalar product = *other + dotc(v + 1, other + 1, rest);
            products[c] = product;
            if (c < j) continue;
            const scalar factor = -multiply(conjugate_if(1, h.tau), product);
            *other += factor;
            axpy(factor, v + 1, other + 1, rest);
        }
        for (int i = 0; i < j; i++) t[i + j * t_stride] = larft_element(h.tau, t + i, t_stride, i, j, products);
        t[j + j * t_stride] = h.tau;
    }
}

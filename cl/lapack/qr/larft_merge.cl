// larft of a whole block from its panels: T of the panels is on the diagonal, and for panels I < J, T_IJ = -(T_II G_IJ
// + ... + T_I,J-1 G_J-1,J) T_JJ with G = V^H V. Rows of T are independent: a work-group has ROWS of them, a work-item
// one column of a panel in one row.
#pragma once

// Columns of a panel.
#ifndef PANEL
#define PANEL 32
#endif

// Rows of T for a work-group: a divisor of PANEL.
#ifndef ROWS
#define ROWS 8
#endif

// Columns of T, at most: a multiple of PANEL.
#ifndef COLUMNS
#define COLUMNS 256
#endif

#include "common/scalar.cl"

__kernel __attribute__((reqd_work_group_size(PANEL * ROWS, 1, 1))) void qr_larft_merge(
    int width, __global const scalar *restrict g, long g_offset, long g_stride, __global scalar *t, long t_offset,
    long t_stride)
{
    __local scalar rows[ROWS][COLUMNS], sums[ROWS][PANEL];
    const int c = get_local_id(0) % PANEL, r = get_local_id(0) / PANEL;
    const int top = get_group_id(0) * ROWS, row = top + r, from = top / PANEL * PANEL;
    g += g_offset;
    t += t_offset;
    const bool is_stored = row <= from + c && from + c < width;
    rows[r][from + c] = is_stored ? t[row + (from + c) * t_stride] : SCALAR_ZERO;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int first = from + PANEL; first < width; first += PANEL) {
        const int column = first + c;
        const bool is_there = column < width;
        scalar sum = SCALAR_ZERO;
        // G is Hermitian, and is read along its columns.
        if (is_there) {
            for (int k = from; k < first; k++)
                sum = multiply_add(rows[r][k], conjugate_if(1, g[column + k * g_stride]), sum);
        }
        sums[r][c] = sum;
        barrier(CLK_LOCAL_MEM_FENCE);
        sum = SCALAR_ZERO;
        if (is_there) {
            for (int k = 0; k <= c; k++) sum = multiply_add(sums[r][k], t[first + k + column * t_stride], sum);
            rows[r][column] = -sum;
            t[row + column * t_stride] = -sum;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}

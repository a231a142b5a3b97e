// geqr2 of each matrix of a batch: R and the Householder vectors replace the matrix. A team of TEAM work-items has one
// column each, in registers, scaled by a power of two.
//
// After STEP reflectors each column's elements move up by STEP, so that the next rows are first in the registers;
// finished rows come last.
#pragma once

// Work-items of a team, and columns, at most: a power of two, at least 4.
#ifndef TEAM
#define TEAM 16
#endif

// Teams of a work-group.
#ifndef TEAMS
#define TEAMS 4
#endif

// Rows, at most: a multiple of STEP.
#ifndef HEIGHT
#define HEIGHT 16
#endif

// Reflectors that are found before the registers shift.
#ifndef STEP
#define STEP 4
#endif

#include "lapack/qr/larfg_scaled.cl"
#include "blas/level3/batched/offsets.cl"

#define THREADS (TEAM * TEAMS)

// Applies `work` to each element i of a column below the one in register s. It uses its caller's `s`, `done` and
// `rows`.
#define BELOW(work)                                                        \
    _Pragma("unroll") for (int i = s + 1; i < STEP; i++) { work; }         \
    _Pragma("unroll") for (int g = STEP; g < HEIGHT; g += STEP) {          \
        if (done + g < rows) {                                             \
            _Pragma("unroll") for (int i = g; i < g + STEP; i++) { work; } \
        }                                                                  \
    }

#if SCALAR_IS_COMPLEX
#define square_of(v) ((v).x * (v).x + (v).y * (v).y)
#else
#define square_of(v) ((v) * (v))
#endif

__kernel __attribute__((reqd_work_group_size(THREADS, 1, 1))) void geqrf_batched(
    int rows, int columns, __global scalar *a, long a_offset, long row_stride, long column_stride, __global scalar *tau,
    long tau_offset, long tau_stride, BATCH_PARAMETERS, long a_spacing)
{
    __local scalar vectors[2][TEAMS][HEIGHT], taus[2][TEAMS];
    const int team = get_local_id(0) / TEAM, column = get_local_id(0) % TEAM;
    const long matrix = (long)get_group_id(0) * TEAMS + team;
    const bool has_matrix = matrix < count;
    const int width = has_matrix ? columns : 0, steps = min(rows, width);
    if (has_matrix) a += a_offset + offset_in_batch(matrix, a_spacing);
    a += column * column_stride;

    scalar x[HEIGHT];
    real size = 0;
    #pragma unroll
    for (int i = 0; i < HEIGHT; i++) {
        x[i] = column < width && i < rows ? a[i * row_stride] : SCALAR_ZERO;
        size += capped_modulus(x[i]);
    }
    const int exponent = clamp(ilogb(size), SMALLEST_EXPONENT, LARGEST_EXPONENT);
    const real scale = ldexp((real)1, -exponent);
    #pragma unroll
    for (int i = 0; i < HEIGHT; i++) x[i] *= scale;
    #pragma unroll 1
    for (int done = 0; done < HEIGHT; done += STEP) {
        #pragma unroll
        for (int s = 0; s < STEP; s++) {
            const int j = done + s;
            __local scalar *v = vectors[s & 1][team];
            if (column == j && j < steps) {
                real squares = 0;
                BELOW(squares += square_of(x[i]))
                const scaled_reflector h = larfg_scaled(x[s], squares);
                x[s] = from_real(h.beta);
                BELOW(x[i] = multiply(x[i], h.inverse); v[i] = x[i])
                taus[s & 1][team] = h.tau;
                tau[tau_offset + matrix * tau_stride + j] = h.tau;
            }
            barrier(CLK_LOCAL_MEM_FENCE);
            if (column > j && column < width && j < steps) {
                scalar product = x[s];
                BELOW(product = multiply_add(conjugate_if(1, v[i]), x[i], product))
                const scalar factor = -multiply(conjugate_if(1, taus[s & 1][team]), product);
                x[s] += factor;
                BELOW(x[i] = multiply_add(factor, v[i], x[i]))
            }
        }
        scalar first[STEP];
        #pragma unroll
        for (int i = 0; i < STEP; i++) first[i] = x[i];
        #pragma unroll
        for (int i = 0; i < HEIGHT - STEP; i++) x[i] = x[i + STEP];
        #pragma unroll
        for (int i = 0; i < STEP; i++) x[HEIGHT - STEP + i] = first[i];
    }
    const real scale_back = ldexp((real)1, exponent);
    // From the last row to the first, so that the compiler does not keep all addresses of the loads.
    a += (HEIGHT - 1) * row_stride;
    #pragma unroll
    for (int i = HEIGHT - 1; i >= 0; i--) {
        if (column < width && i < rows) *a = i <= column ? x[i] * scale_back : x[i];
        a -= row_stride;
    }
}

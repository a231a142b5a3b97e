// A column of a reduction to tridiagonal form (LAPACK: xLATRD). It finishes the one before, and begins the next.
//
//   finish   x of column c - 1 gives its reflector, H = I - tau v v^H with H^H x = beta e, and
//            w := tau (A v - V W^H v - W V^H v) - tau^2 (...) v / 2, so that H^H A H = A - v w^H - w v^H
//   begin    x := column c of A - V W^H - W V^H, with the squares below its next element
//
// hetrd_product has multiplied x before its reflector was known: v = (x - beta e) / (x_c - beta), so that A v and the
// products with V and W follow from those of x, of column c of A, and of row c of V and W. A work-group has LANES rows;
// each recomputes what all of them need, row c of W too, so that no launch more is between the sums and their use.
// The panel has the columns V, W, and V again, `width` of each.
#pragma once

#include "lapack/eigen/group_sums.cl"
#include "lapack/qr/larfg_scaled.cl"

// Columns of V at most.
#ifndef PANEL
#define PANEL 64
#endif

#if SCALAR_IS_COMPLEX
#define squared(v) real_multiply_add((v).x, (v).x, (v).y *(v).y)
#else
#define squared(v) ((v) * (v))
#endif

__kernel __attribute__((reqd_work_group_size(THREADS, 1, 1))) void hetrd_column(
    int n, int column, int k, int width, int finish, int begin, __global scalar *restrict a, long stride,
    __global const scalar *restrict x, __global scalar *restrict next, __global const scalar *restrict parts,
    int blocks, __global const real *restrict squares_of_tiles, int tiles, __global const real *restrict squares,
    int squares_count, __global real *restrict next_squares, __global const scalar *restrict products,
    __global scalar *restrict panel, __global real *restrict d, __global real *restrict e,
    __global scalar *restrict factors)
{
    __local real firsts[THREADS], seconds[THREADS];
    __local scalar thirds[THREADS], others[THREADS], more[THREADS];
    __local scalar v_products[PANEL], w_products[PANEL], v_row[PANEL], w_row[PANEL];
    const int item = get_local_id(0), lane = get_local_id(0) % LANES, slice = get_local_id(0) / LANES;
    const int row = column - column % LANES + (int)get_group_id(0) * LANES + lane;
    const bool has_row = row >= column && row < n;
    __global scalar *const v = panel, *const w = panel + width * stride;

    // Without a column to finish, the counts are 0, and the results are not used.
    group_sums own = {0, 0, SCALAR_ZERO};
    for (int i = item; i < squares_count; i += THREADS) own.first += squares[i];
    for (int i = item; i < tiles; i += THREADS) own.second += squares_of_tiles[i];
    for (int i = item; i < blocks; i += THREADS) own.third += parts[i * stride + column];
    const group_sums total = sums_over_group(own, item, firsts, seconds, thirds);
    const scaled_reflector h = larfg_scaled(finish ? x[column] : SCALAR_ZERO, total.first);
    const real diagonal = real_part(a[(long)column * stride + column]);
    const real vav =
        squared(h.inverse) * (total.second - 2 * h.beta * real_part(total.third) + h.beta * h.beta * diagonal);
    own.first = own.second = 0;
    own.third = SCALAR_ZERO;
    for (int s = item; s < k; s += THREADS) {
        const scalar of_v = v[s * stride + column], of_w = w[s * stride + column];
        const scalar with_v = multiply(h.inverse, products[s] - h.beta * conjugate_if(1, of_v));
        const scalar with_w = multiply(h.inverse, products[k + s] - h.beta * conjugate_if(1, of_w));
        v_products[s] = with_v;
        w_products[s] = with_w;
        v_row[s] = of_v;
        w_row[s] = of_w;
        own.first += real_part(multiply(conjugate_if(1, with_v), with_w));
        own.third = multiply_add(of_v, with_w, multiply_add(of_w, with_v, own.third));
    }
    const group_sums corrections = sums_over_group(own, item, firsts, seconds, thirds);
    const real alpha = -squared(h.tau) * (vav - 2 * corrections.first) / 2;
    const scalar y_of_column = multiply(h.inverse, total.third - from_real(h.beta * diagonal));
    const scalar w_of_column = multiply(h.tau, y_of_column - corrections.third) + from_real(alpha);

    scalar y = SCALAR_ZERO, correction = SCALAR_ZERO, update = SCALAR_ZERO;
    if (finish && has_row) {
        for (int s = slice; s < blocks; s += SLICES) y += parts[s * stride + row];
        for (int s = slice; s < k; s += SLICES) {
            const scalar of_v = v[s * stride + row], of_w = w[s * stride + row];
            correction = multiply_add(of_v, w_products[s], multiply_add(of_w, v_products[s], correction));
            update = multiply_add(of_v, conjugate_if(1, w_row[s]),
                                  multiply_add(of_w, conjugate_if(1, v_row[s]), update));
        }
    }
    thirds[item] = y;
    others[item] = correction;
    more[item] = update;
    barrier(CLK_LOCAL_MEM_FENCE);
    real square = 0;
    if (slice == 0 && has_row) {
        for (int s = 1; s < SLICES; s++) {
            y += thirds[s * LANES + lane];
            correction += others[s * LANES + lane];
            update += more[s * LANES + lane];
        }
        const bool is_first = row == column;
        scalar element = a[(long)column * stride + row];
        if (is_first) element = from_real(real_part(element));
        if (finish) {
            const scalar of_v = is_first ? SCALAR_ONE : multiply(h.inverse, x[row]);
            const scalar av = multiply(h.inverse, y - h.beta * element);
            const scalar of_w = multiply(h.tau, av - correction) + alpha * of_v;
            v[k * stride + row] = of_v;
            w[k * stride + row] = of_w;
            panel[(2 * width + k) * stride + row] = of_v;
            a[(long)(column - 1) * stride + row] = is_first ? from_real(h.beta) : of_v;
            if (is_first) {
                e[column - 1] = h.beta;
                factors[column - 1] = h.tau;
            }
            // Row c of v is 1.
            element -= update + multiply(of_v, conjugate_if(1, w_of_column)) + of_w;
        }
        if (begin) {
            if (is_first) d[column] = real_part(element);
            next[row] = element;
            if (row > column + 1) square = squared(element);
        }
    }
    if (slice == 0) firsts[lane] = square;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (item != 0 || !begin) return;
    real sum = 0;
    for (int l = 0; l < LANES; l++) sum += firsts[l];
    next_squares[get_group_id(0)] = sum;
}

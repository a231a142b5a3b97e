// geqr2 and larft of a panel in registers. A work-group factorises the whole panel, or one of the row blocks that TSQR
// cuts it into, or (STACKED) the triangles R of all row blocks, one below the other.
//
//           a: panel                     v_full              T
//     +---------------------+      +-----------------+   +-------+
//     | R \                 |      | 0 (`rows_above`)|   | T \   |
//     |    \   R            |  =>  | 1               |   |   \   |   zeros below the diagonal
//     |  V   \              |      | V  1            |   +-------+
//     |        \            |      |      1          |
//     +---------------------+      +-----------------+
//       WIDTH  WIDTH  ...: column blocks of the panel, PANEL columns at most
//
// A column block of WIDTH columns is factorised column by column, with one reduction over the group for each: it gives
// the norm of the column's rest and its products with the other columns of the block. Then all other columns of the
// panel are multiplied by the block's vectors at once: products with later columns update these (larfb), products with
// earlier vectors give T (larft).
//
// A work-item holds ROWS rows, THREADS apart: all columns if RESIDENT, else those of the column block; the others are
// in `v_full`. Columns are scaled by powers of two; R is stored unscaled.
#pragma once

// Work-items of a group.
#ifndef THREADS
#define THREADS 128
#endif

// Rows of a work-item.
#ifndef ROWS
#define ROWS 2
#endif

// Columns that are factorised one by one, and sums of a reduction.
#ifndef WIDTH
#define WIDTH 4
#endif

// Columns of a panel, at most: more than WIDTH; a multiple of WIDTH, and of WIDTH * BATCH.
#ifndef PANEL
#define PANEL 16
#endif

// All columns of the panel are in registers.
#ifndef RESIDENT
#define RESIDENT 1
#endif

// The panel is triangles, each PANEL high, `part_rows` apart.
#ifndef STACKED
#define STACKED 0
#endif

#include "common/divide.cl"
#include "lapack/qr/larfg_scaled.cl"
#include "lapack/qr/group_reduce.cl"

#define OTHERS (PANEL - WIDTH)
#if RESIDENT
#define HELD_COLUMNS PANEL
#else
#define HELD_COLUMNS WIDTH
#endif
#if STACKED
#define panel_row(row) ((row) / PANEL * part_rows + (row) % PANEL)
#define is_stored(row, column) ((row) % PANEL <= (column))
#else
#define panel_row(row) (row)
#define is_stored(row, column) true
#endif

inline scalar element_if(bool is_there, scalar element)
{
    return is_there ? element : SCALAR_ZERO;
}

// An element of a column that is not in registers. A work-item without the element loads one of its own instead, so
// that no load waits for a condition.
#define ELEMENT(row, column)                                                                        \
    (has_rows ? element_if((row) < rows && (column) < width && (!is_new || is_stored(row, column)), \
                           source[(is_new ? panel_row(own_row(row)) : own_row(row)) * row_step +    \
                                  min(column, width - 1) * column_step] *                           \
                               (is_new ? scales[column] : (real)1))                                 \
              : SCALAR_ZERO)
#define own_row(row) ((row) < rows ? (row) : item)

// larfb, first part: T^H V^H A for all columns outside a column block, from the products V^H A; for the block's own
// columns T^H times the identity, which gives T.
inline void larfb_weights(int first, __local const scalar *block_products, __local const scalar *products,
                          __local const scalar *taus, __local scalar *weights)
{
    const int item = get_local_id(0);
    for (int column = item; column < PANEL; column += THREADS) {
        const bool is_own = column >= first && column < first + WIDTH;
        scalar w[WIDTH];
        #pragma unroll
        for (int c = 0; c < WIDTH; c++)
            w[c] = !is_own ? block_products[column * WIDTH + c] : column == first + c ? SCALAR_ONE : SCALAR_ZERO;
        #pragma unroll
        for (int c = 0; c < WIDTH; c++) {
            w[c] = multiply(conjugate_if(1, taus[c]), w[c]);
            weights[column * WIDTH + c] = w[c];
            #pragma unroll
            for (int d = c + 1; d < WIDTH; d++) w[d] = multiply_add(-products[c + d * WIDTH], w[c], w[d]);
        }
    }
}

// larft: T's columns of the block; above it, T(0:first, block) = -T(0:first, 0:first) times the weights.
inline void larft_block(int first, int width, __local const scalar *weights, __local scalar *t_local,
                        __global scalar *t, long t_stride)
{
    const int item = get_local_id(0);
    for (int e = item; e < PANEL * WIDTH; e += THREADS) {
        const int i = e % PANEL, c = e / PANEL, j = first + c;
        scalar sum = i >= first && i < first + WIDTH ? conjugate_if(1, weights[i * WIDTH + c]) : SCALAR_ZERO;
        if (i < first) {
            for (int k = 0; k < first; k++)
                sum = multiply_add(-t_local[i + k * PANEL], conjugate_if(1, weights[k * WIDTH + c]), sum);
        }
        t_local[i + j * PANEL] = sum;
        if (i < width && j < width) t[i + j * t_stride] = sum;
    }
}

// The panel has at least as many rows as columns.
__kernel __attribute__((reqd_work_group_size(THREADS, 1, 1))) void qr_panel(
    int rows, int part_rows, int width, __global scalar *a, long a_offset, long row_stride, long column_stride,
    __global scalar *tau, long tau_offset, __global scalar *t, long t_offset, long t_stride, int rows_above,
    __global scalar *v_full, long v_full_offset, long v_full_stride)
{
    __local reduce_workspace workspace;
    __local batch_workspace batch;
    // Products of each vector, conjugated, with those before it; T^H V^H A; T.
    __local scalar tops[2][WIDTH], products[WIDTH * WIDTH], taus[WIDTH], weights[PANEL * WIDTH], t_local[PANEL * PANEL];
    __local real scales[PANEL];
    const int item = get_local_id(0), part = get_group_id(0), begin = part * part_rows;
    if (!STACKED) rows = min(part_rows, rows - begin);
    a += a_offset + begin * row_stride;
    tau += tau_offset + part * PANEL;
    t += t_offset + part * PANEL * t_stride;
    v_full += v_full_offset + begin;
    for (int e = item; e < rows_above * width; e += THREADS)
        v_full[e % rows_above + e / rows_above * v_full_stride] = SCALAR_ZERO;
    v_full += rows_above;

    scalar x[ROWS][HELD_COLUMNS], own[WIDTH], batch_products[BATCH * WIDTH];
    UNROLL_BATCHES
    for (int first = 0; first < PANEL; first += BATCH * WIDTH) {
        #pragma unroll
        for (int c = 0; c < BATCH * WIDTH; c++) {
            const int column = first + c;
            real sum = 0;
            #pragma unroll
            for (int r = 0; r < ROWS; r++) {
                const int row = item + r * THREADS;
                const bool is_there = row < rows && column < width && is_stored(row, column);
                const scalar element = is_there ? a[panel_row(row) * row_stride + column * column_stride] : SCALAR_ZERO;
                sum += capped_modulus(element);
#if RESIDENT
                x[r][column] = element;
#endif
            }
            batch_products[c] = from_real(sum);
        }
        SUM_BATCH(batch_products, first / WIDTH)
    }
    complete_sums(&batch, PANEL);
    for (int c = item; c < PANEL; c += THREADS) {
        const int exponent = clamp(ilogb(real_part(batch.totals[c])), SMALLEST_EXPONENT, LARGEST_EXPONENT);
        scales[c] = ldexp((real)1, -exponent);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
#if RESIDENT
    #pragma unroll
    for (int c = 0; c < PANEL; c++) {
        const real scale = scales[c];
        #pragma unroll
        for (int r = 0; r < ROWS; r++) x[r][c] *= scale;
    }
#endif

    // Columns beyond the last are zeros. PoCL 3.1 miscompiles loops with barriers that might not be entered.
    int parity = 0;
    #pragma unroll 1
    for (int first = 0; first < PANEL; first += WIDTH) {
#if !RESIDENT
        // The first column block is read from A, later ones from v_full, where they are scaled.
        __global const scalar *source = first > 0 ? v_full : a;
        const bool is_new = first == 0, has_rows = item < rows;
        const long row_step = is_new ? row_stride : 1, column_step = is_new ? column_stride : v_full_stride;
        #pragma unroll
        for (int c = 0; c < WIDTH; c++) {
            #pragma unroll
            for (int r = 0; r < ROWS; r++) {
                const int row = item + r * THREADS, column = first + c;
                x[r][c] = ELEMENT(row, column);
            }
        }
#endif
        // The block's columns rotate: the next one to be reflected is always first, so that one copy of the code
        // serves all and stays in the instruction cache. Finished columns come last.
        #pragma unroll 1
        for (int c = 0; c < WIDTH; c++) {
            const int j = first + c, later = WIDTH - c;
            __local scalar *top = tops[c & 1];
            #pragma unroll
            for (int p = 0; p < WIDTH; p++) own[p] = SCALAR_ZERO;
            #pragma unroll
            for (int r = 0; r < ROWS; r++) {
                const int row = item + r * THREADS;
                const scalar element = row > j ? conjugate_if(1, x[r][0]) : SCALAR_ZERO;
                #pragma unroll
                for (int p = 0; p < WIDTH; p++) own[p] = multiply_add(element, x[r][p], own[p]);
                if (row == j) {
                    #pragma unroll
                    for (int p = 0; p < WIDTH; p++) top[p] = x[r][p];
                }
            }
            const group_sums sums = reduce_in_group(own, &workspace, parity++);
            // Columns beyond the last need not have a row.
            const scaled_reflector h = larfg_scaled(j < width ? top[0] : SCALAR_ZERO, real_part(sum_of(sums, 0)));
            const scalar inverse = conjugate_if(1, h.inverse), factor = -conjugate_if(1, h.tau);
            if (item >= later && item < WIDTH)
                products[item - later + c * WIDTH] =
                    j < width ? multiply_add(inverse, own_sum(sums), top[item]) : SCALAR_ZERO;
            if (item == 0) taus[c] = h.tau;
            scalar v[ROWS], finished[ROWS];
            #pragma unroll
            for (int r = 0; r < ROWS; r++) {
                const int row = item + r * THREADS;
                v[r] = row > j ? multiply(x[r][0], h.inverse) : row == j ? SCALAR_ONE : SCALAR_ZERO;
                finished[r] = row > j ? v[r] : row == j ? from_real(h.beta) : x[r][0];
            }
            #pragma unroll
            for (int p = 1; p < WIDTH; p++) {
                const scalar w = multiply(factor, multiply_add(inverse, sum_of(sums, p), top[p]));
                const bool is_updated = p < later && !is_zero(factor);
                #pragma unroll
                for (int r = 0; r < ROWS; r++)
                    x[r][p - 1] = is_updated ? multiply_add(w, v[r], x[r][p]) : x[r][p];
            }
            #pragma unroll
            for (int r = 0; r < ROWS; r++) x[r][WIDTH - 1] = finished[r];
        }

        // Stores the block's columns. From here on the registers hold V.
        #pragma unroll
        for (int c = 0; c < WIDTH; c++) {
            const int j = first + c;
            const real unscaled = 1 / scales[j];
            #pragma unroll
            for (int r = 0; r < ROWS; r++) {
                const int row = item + r * THREADS;
                const scalar element = x[r][c];
                x[r][c] = row > j ? element : row == j ? SCALAR_ONE : SCALAR_ZERO;
                if (row < rows && j < width) {
                    a[panel_row(row) * row_stride + j * column_stride] = row > j ? element : element * unscaled;
                    v_full[row + j * v_full_stride] = x[r][c];
                }
            }
        }

        UNROLL_BATCHES
        for (int i = 0; i < OTHERS; i += BATCH) {
            const int column = (first + WIDTH + i) % PANEL;
            #pragma unroll
            for (int b = 0; b < BATCH; b++) {
                #pragma unroll
                for (int c = 0; c < WIDTH; c++) batch_products[b * WIDTH + c] = SCALAR_ZERO;
                #pragma unroll
                for (int r = 0; r < ROWS; r++) {
#if RESIDENT
                    const scalar element = x[r][WIDTH + i + b];
#else
                    const scalar element = ELEMENT(item + r * THREADS, column + b);
#endif
                    #pragma unroll
                    for (int c = 0; c < WIDTH; c++) {
                        const scalar sum = batch_products[b * WIDTH + c];
                        batch_products[b * WIDTH + c] = multiply_add(conjugate_if(1, x[r][c]), element, sum);
                    }
                }
            }
            SUM_BATCH(batch_products, column)
        }
        complete_sums(&batch, PANEL * WIDTH);
        larfb_weights(first, batch.totals, products, taus, weights);
        if (item < WIDTH && first + item < width) tau[first + item] = taus[item];
        barrier(CLK_LOCAL_MEM_FENCE);

        UNROLL_BATCHES
        for (int i = 0; i < OTHERS; i++) {
            const int column = first + WIDTH + i;
            if (column >= width) continue;
            scalar w[WIDTH];
            #pragma unroll
            for (int c = 0; c < WIDTH; c++) w[c] = -weights[column * WIDTH + c];
            #pragma unroll
            for (int r = 0; r < ROWS; r++) {
#if RESIDENT
                scalar element = x[r][WIDTH + i];
#else
                scalar element = ELEMENT(item + r * THREADS, column);
#endif
                #pragma unroll
                for (int c = 0; c < WIDTH; c++) element = multiply_add(w[c], x[r][c], element);
#if RESIDENT
                x[r][WIDTH + i] = element;
#else
                if (item + r * THREADS < rows) v_full[item + r * THREADS + column * v_full_stride] = element;
#endif
            }
        }
        larft_block(first, width, weights, t_local, t, t_stride);
#if RESIDENT
        // The panel's columns rotate, so that the next column block is first.
        #pragma unroll
        for (int r = 0; r < ROWS; r++) {
            scalar finished[WIDTH];
            #pragma unroll
            for (int c = 0; c < WIDTH; c++) finished[c] = x[r][c];
            #pragma unroll
            for (int c = 0; c < OTHERS; c++) x[r][c] = x[r][c + WIDTH];
            #pragma unroll
            for (int c = 0; c < WIDTH; c++) x[r][c + OTHERS] = finished[c];
        }
#endif
    }
}

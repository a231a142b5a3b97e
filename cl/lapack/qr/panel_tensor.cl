// geqr2 and larft of a real panel by one work-group with tensor cores for doubles: as panel_registers.cl; all
// arithmetic is in doubles.
//
// A tile of TILE columns is factorised at once. One reduction over the group gives the products of its rows below the
// diagonal tile with all columns of the panel. From these and the diagonal tile one warp finds the reflectors one by
// one: norms and products of the remaining columns follow by downdating, as in a Cholesky factorisation. Downdating
// cancels: a column of whose squares less than FLOOR is left waits for another pass, which begins with new products.
//
//       lane: g = lane / 4, q = lane % 4
//       fragment of x: column g of each column tile, rows 2q and 2q + 1 of each of the warp's TILES row tiles
//
//            column tiles (they rotate: the active one is first)
//           +-------+-------+-------+-------+
//   warp 0  | diag. |  R    |  R    |  R    |   row tile: the diagonal tile, `top`
//           +-------+-------+-------+-------+
//           |  V    |       |       |       |   V^H X by mma, summed over warps;
//           +-------+-------+-------+-------+   X += V changes by mma
//   warp 1  |  V    |       |       |       |
//           +-------+-------+-------+-------+
#pragma once

// Work-items of a group: two warps of 32, or more.
#ifndef THREADS
#define THREADS 64
#endif

// Row tiles of a warp.
#ifndef TILES
#define TILES 2
#endif

// Columns of a panel, at most: 16 or 32.
#ifndef PANEL
#define PANEL 16
#endif

// The panel is triangles, each PANEL high, `part_rows` apart.
#ifndef STACKED
#define STACKED 0
#endif

#include "common/divide.cl"
#include "lapack/qr/mma_f64.cl"

#define WARP 32
#define WARPS (THREADS / WARP)
#define TILE 8
#define COLUMN_TILES (PANEL / TILE)
#define PAIRS (COLUMN_TILES / 2)
#define SQUARE (TILE * TILE)
#define SHARE (TILE * PANEL)
#define WARP_ROWS (TILES * TILE)
// A warp's local memory: its products, or one tile of columns.
#define WARP_WORKSPACE (TILES > COLUMN_TILES ? TILES * SQUARE : SHARE)
// Row tiles of a warp that can meet the diagonal.
#define TOPMOST (TILES < COLUMN_TILES ? TILES : COLUMN_TILES)
#if STACKED
#define panel_row(row) ((row) / PANEL * part_rows + (row) % PANEL)
#define is_stored(row, column) ((row) % PANEL <= (column))
#else
#define panel_row(row) (row)
#define is_stored(row, column) true
#endif
#if SCALAR_IS_DOUBLE
#define FLOOR 0x1p-4
#else
#define FLOOR 0x1p-22
#endif
// Columns are scaled by powers of two to about 1; squares of floats need no scaling. Smaller squares count as zero.
#define LARGEST_EXPONENT 1000
#define SMALLEST_EXPONENT -1000
#define NEGLIGIBLE 0x1p-700

// Exchanged within the warp that finds reflectors, double-buffered: products of a column with those after it, and the
// column.
typedef struct {
    double products[2][TILE], column[2][TILE];
    int is_empty[2];
} larfg_exchange;

// The reflectors of a pass: T V^H times each column; V in the diagonal tile below its diagonal, with the multipliers
// of the rows below above and on it; products of these rows before the pass; tau.
typedef struct {
    double weights[SHARE], tile[SQUARE], below[SQUARE], taus[TILE];
    int begin, end;
} pass_reflectors;

// larfg of the tile's columns from number `start` on, by one warp. Lanes have the panel's columns: their elements in
// the diagonal tile, `tops`, and their products with the tile's columns over all rows from `start` on. `later` columns
// are not finished.
//
// Replaces `tops` by the rows of R and V. `changes` becomes the matrix by which the rows below are multiplied: X,
// their finished columns, becomes X changes, and later columns gain X changes. Returns the number of the first
// reflector that waits for another pass.
inline int larfg_tile(int start, int later, bool writes, __local double *tops, __local const double *products,
                        __local const double *floors, __local const int *empty, __local larfg_exchange *workspace,
                        __local double *changes, __local pass_reflectors *its)
{
    const int p = get_local_id(0) % WARP;
    const bool is_later = p >= start && p < later;
    writes = writes && p < PANEL;
    const bool writes_tops = writes && is_later;
    bool is_empty = p < TILE && empty[p % TILE];
    // Rows from the next reflector's on; after them the rows of `changes` found so far.
    double x[TILE], row_products[TILE];
    #pragma unroll
    for (int r = 0; r < TILE; r++) {
        const int i = (start + r) % TILE;
        x[r] = i < start ? 0 : tops[i * PANEL + p % PANEL];
        row_products[r] = products[i * PANEL + p % PANEL];
        if (writes) changes[r * PANEL + p] = 0;
    }
    int j = start;
    bool continues = true;
    #pragma unroll 1
    do {
        __local double *row = workspace->products[j % 2], *column = workspace->column[j % 2];
        const bool is_own = p == j;
        if (writes && p >= j && p < TILE) row[p - j] = row_products[0];
        if (writes && is_own) {
            #pragma unroll
            for (int r = 0; r < TILE; r++) column[r] = x[r];
            workspace->is_empty[j % 2] = is_empty;
        }
        warp_barrier();
        const double squares = row[0], alpha = column[0];
        const bool none_below = workspace->is_empty[j % 2];
        continues = j == start || squares >= floors[j];
        if (continues) {
            double v[TILE];
            bool is_none = none_below;
            #pragma unroll
            for (int r = 1; r < TILE; r++) {
                v[r] = column[r];
                is_none = is_none && (r >= TILE - j || v[r] == 0);
            }
            is_none = is_none || squares < NEGLIGIBLE;
            const double of_beta = -copysign(fast_rsqrt(squares), alpha), beta = squares * of_beta;
            const double inverse = is_none ? 1 : fast_reciprocal(alpha - beta);
            // The row of R, and T V^H times the column.
            const bool is_done = p >= start && p < j;
            const double top = is_none ? x[0] : row_products[0] * of_beta, w = is_done ? 0 : x[0] - top;
            const double factor = inverse * w, times = is_own ? inverse : -factor, first = x[0];
            if (writes) its->weights[j * PANEL + p] = w;
            if (writes_tops) tops[j * PANEL + p] = top;
            if (writes && is_own) its->taus[j] = is_none ? 0 : (beta - alpha) * of_beta;
            is_empty = is_empty && (none_below || factor == 0);
            #pragma unroll
            for (int r = 1; r < TILE; r++) {
                x[r - 1] = fma(times, v[r], is_own ? 0 : x[r]);
                row_products[r - 1] = fma(-(row[r] * of_beta), top, row_products[r]);
            }
            x[TILE - 1] = is_own ? inverse : is_done ? first : -factor;
            // Products are not downdated then.
            continues = !is_none;
            j++;
        }
    } while (continues && j < TILE);
    #pragma unroll
    for (int r = 0; r < TILE; r++) {
        const int i = (j + r) % TILE;
        if (writes_tops && i >= start) (i >= min(j, p + 1) ? tops : changes)[i * PANEL + p] = x[r];
        if (writes && p < TILE && i >= start) its->tile[i * TILE + p] = p >= start ? x[r] : 0;
    }
    return j;
}

// larft: the columns of T for a pass. Above the pass's own block, T of the earlier reflectors times the pass's
// products. One of the `teams` warps forms the pass's own block, from V^H V.
inline void larft_pass(int team, int teams, int width, __local const pass_reflectors *its, __local double *workspace,
                          __global scalar *tau, __global scalar *t, long t_stride)
{
    const int lane = get_local_id(0) % WARP, begin = its->begin, first = begin / TILE * TILE, start = begin - first;
    const int end = its->end;
    __local const double *tile = its->tile;
    if (team == 0 || !(warp_may_work_alone)) {
        const int i = lane % TILE;
        #pragma unroll
        for (int j = lane / TILE; j < TILE; j += WARP / TILE) {
            double sum = 0;
            #pragma unroll
            for (int k = 0; k < TILE; k++)
                sum = k >= start && k <= j && j < end ? fma(its->below[i * TILE + k], tile[k * TILE + j], sum) : sum;
            if (team == 0) workspace[i * TILE + j] = sum;
        }
        warp_barrier();
        double acc[2];
        #pragma unroll
        for (int s = 0; s < 2; s++) {
            const int j = lane / TILE + s * (WARP / TILE);
            double sum = 0;
            #pragma unroll
            for (int k = 0; k < TILE; k++) {
                const double its_i = tile[k * TILE + i], its_j = tile[k * TILE + j];
                sum = k >= start && k <= i ? fma(its_i, workspace[k * TILE + j], sum) : sum;
                // V's rows in the diagonal tile.
                const double v_i = k > i ? its_i : k == i, v_j = k > j ? its_j : k == j;
                sum = k >= start ? fma(v_i, v_j, sum) : sum;
            }
            acc[s] = sum;
        }
        warp_barrier();
        #pragma unroll
        for (int s = 0; s < 2; s++)
            if (team == 0) workspace[i * TILE + lane / TILE + s * (WARP / TILE)] = acc[s];
        warp_barrier();
        double own[TILE];
        #pragma unroll
        for (int j = 0; j < TILE; j++) {
            double sum = 0;
            #pragma unroll
            for (int k = 0; k < j; k++) sum = k >= i && k >= start ? fma(own[k], workspace[k * TILE + j], sum) : sum;
            const double factor = its->taus[j];
            own[j] = j == i ? factor : -factor * sum;
            if (team == 0 && lane < TILE && j >= start && j < end && i >= start && first + max(i, j) < width) {
                t[first + i + (first + j) * t_stride] = i <= j ? own[j] : 0;
                if (i == j) tau[first + j] = own[j];
            }
        }
    }
    if (team > 0 || !(warp_may_work_alone)) {
        const int count = teams - warp_may_work_alone, number = team - warp_may_work_alone;
        for (int j = start + number; j < end; j += count) {
            const int i = lane, column = first + j;
            // Team 0 stores the rows from `begin` on.
            const bool is_here = i < begin || i >= first + TILE;
            if (column >= width || i >= width || !is_here) continue;
            double sum = 0;
            #pragma unroll 4
            for (int k = i; k < begin; k++)
                sum = fma(-(double)t[i + k * t_stride], its->weights[j * PANEL + (k - first + PANEL) % PANEL], sum);
            t[i + column * t_stride] = sum;
        }
    }
}

// Products of the tile's columns with all columns over the rows from `start` on: sums over the warps of those below the
// diagonal tile, plus those in it. Also the bounds below which a column waits for another pass.
inline void reduce_products(int start, __local const double *shares, __local const double *tops,
                            __local double *products, __local double *floors, __local int *empty,
                            __local pass_reflectors *its)
{
    const int item = get_local_id(0);
    for (int e = item; e < SHARE; e += THREADS) {
        const int s = e / WARP % 4, i = 2 * (e % 4) + s % 2,
                  p = e / WARP / 4 * 2 * TILE + s / 2 * TILE + e % WARP / 4;
        double below[2] = {0, 0}, in_tile[2] = {0, 0};
        #pragma unroll
        for (int w = 0; w < WARPS; w++) below[w % 2] += shares[w * WARP_WORKSPACE + e];
        #pragma unroll
        for (int r = 0; r < TILE; r++)
            in_tile[r % 2] = fma(r < start ? 0 : tops[r * PANEL + i], tops[r * PANEL + p], in_tile[r % 2]);
        const double of_rows = below[0] + below[1], sum = of_rows + (in_tile[0] + in_tile[1]);
        products[i * PANEL + p] = sum;
        if (p < TILE) its->below[i * TILE + p] = of_rows;
        if (i == p) {
            empty[i] = of_rows == 0;
            floors[i] = FLOOR * sum;
        }
    }
}

// Stores a finished tile of columns, which is in the warp's local memory: R and V to A, V to v_full.
inline void store_tile(int rows, int part_rows, int width, int first, __local const double *listed,
                       __local const int *exponents, __global scalar *a, long row_stride, long column_stride,
                       __global scalar *v_full, long v_full_stride)
{
    const int warp = get_local_id(0) / WARP, lane = get_local_id(0) % WARP;
    #pragma unroll
    for (int r = 0; r < WARP_ROWS; r += WARP) {
        const int row = warp * WARP_ROWS + r + lane;
        if (r + lane < WARP_ROWS && row < rows) {
            __global scalar *target = a + panel_row(row) * row_stride + first * column_stride;
            __global scalar *vector = v_full + row + first * v_full_stride;
            #pragma unroll
            for (int c = 0; c < TILE; c++) {
                const int column = first + c;
                if (column < width) {
                    const double element = listed[r * TILE + c * TILE];
                    vector[c * v_full_stride] = row > column ? element : row == column ? 1 : 0;
#if SCALAR_IS_DOUBLE
                    const double stored = row > column ? element : ldexp(element, exponents[column]);
#else
                    const double stored = element;
#endif
                    // STACKED: only R of the last triangle is stored.
                    if (!STACKED || row <= column) target[c * column_stride] = stored;
                }
            }
        }
    }
}

// The panel has at least as many rows as columns.
__kernel __attribute__((reqd_work_group_size(THREADS, 1, 1))) void qr_panel(
    int rows, int part_rows, int width, __global scalar *a, long a_offset, long row_stride, long column_stride,
    __global scalar *tau, long tau_offset, __global scalar *t, long t_offset, long t_stride, int rows_above,
    __global scalar *v_full, long v_full_offset, long v_full_stride)
{
    DECLARE_FRAGMENT_WORKSPACE
    __local larfg_exchange workspace;
    __local pass_reflectors passes[2];
    __local double shares[WARPS * WARP_WORKSPACE], products[SHARE], tops[SHARE], changes[SHARE], t_workspace[SQUARE],
        floors[TILE];
    __local int empty[TILE], exponents[PANEL], ends[1];
    const int item = get_local_id(0), warp = item / WARP, lane = item % WARP, g = lane / 4, q = lane % 4;
    const int part = get_group_id(0), begin = part * part_rows;
    __local double *share = shares + warp * WARP_WORKSPACE;
    // This work-item's elements in the warp's local memory, as a fragment and in a column.
    __local double *own = share + g * TILE + 2 * q, *listed = share + lane / TILE * SQUARE + lane % TILE;
    if (!STACKED) rows = min(part_rows, rows - begin);
    a += a_offset + begin * row_stride;
    tau += tau_offset + part * PANEL;
    t += t_offset + part * PANEL * t_stride;
    v_full += v_full_offset + begin;
    for (int e = item; e < rows_above * width; e += THREADS)
        v_full[e % rows_above + e / rows_above * v_full_stride] = SCALAR_ZERO;
    v_full += rows_above;

    double x[TILES][COLUMN_TILES][2];
#if SCALAR_IS_DOUBLE
    for (int c = item; c < PANEL; c += THREADS) exponents[c] = SMALLEST_EXPONENT;
    barrier(CLK_LOCAL_MEM_FENCE);
#endif
    #pragma unroll 1
    for (int first = 0; first < PANEL; first += TILE) {
        warp_barrier();
        #pragma unroll
        for (int r = 0; r < WARP_ROWS; r += WARP) {
            const int row = warp * WARP_ROWS + r + lane;
            const bool has_row = r + lane < WARP_ROWS && row < rows;
            __global const scalar *source = a + panel_row(row) * row_stride + first * column_stride;
            #pragma unroll
            for (int c = 0; c < TILE; c++) {
                const bool is_there = has_row && first + c < width && is_stored(row, first + c);
                if (r + lane < WARP_ROWS)
                    listed[r * TILE + c * TILE] = is_there ? source[c * column_stride] : SCALAR_ZERO;
            }
        }
        warp_barrier();
#if SCALAR_IS_DOUBLE
        double largest = 0;
#endif
        #pragma unroll
        for (int r = 0; r < TILES; r++) {
            #pragma unroll
            for (int e = 0; e < 2; e++) {
                #pragma unroll
                for (int k = 1; k < COLUMN_TILES; k++) x[r][k - 1][e] = x[r][k][e];
                x[r][COLUMN_TILES - 1][e] = own[r * SQUARE + e];
#if SCALAR_IS_DOUBLE
                largest = fmax(largest, fabs(x[r][COLUMN_TILES - 1][e]));
#endif
            }
        }
#if SCALAR_IS_DOUBLE
        // ilogb, but for exponents that are out of range in any case.
        atomic_max(&exponents[first + g], min((int)(as_ulong(largest) >> 52) - 1023, LARGEST_EXPONENT));
#endif
    }
#if SCALAR_IS_DOUBLE
    barrier(CLK_LOCAL_MEM_FENCE);
    #pragma unroll
    for (int k = 0; k < COLUMN_TILES; k++) {
        const double scale = as_double((ulong)(1023 - exponents[k * TILE + g]) << 52);
        #pragma unroll
        for (int r = 0; r < TILES; r++) {
            x[r][k][0] *= scale;
            x[r][k][1] *= scale;
        }
    }
#endif

    // No reflector is found yet.
    if (item == 0) passes[1].begin = passes[1].end = 0;
    int done = 0, pass = 0;
    #pragma unroll 1
    do {
        const int start = done % TILE, tile = done / TILE, first = tile * TILE, later = PANEL - first;
        __local pass_reflectors *its = passes + pass % 2;
        // Products of the tile's columns, below the diagonal tile, with all columns.
        double acc[PAIRS][4];
        #pragma unroll
        for (int k = 0; k < PAIRS; k++) acc[k][0] = acc[k][1] = acc[k][2] = acc[k][3] = 0;
        UNROLL_FRAGMENTS
        for (int r = 0; r < TILES; r++) {
            const bool is_below = warp * TILES + r > tile;
            const double below[2] = {is_below ? x[r][0][0] : 0, is_below ? x[r][0][1] : 0};
            UNROLL_FRAGMENTS
            for (int k = 0; k < PAIRS; k++) {
                const double columns[4] = {x[r][2 * k][0], x[r][2 * k + 1][0], x[r][2 * k][1], x[r][2 * k + 1][1]};
                mma_f64(acc[k], columns, below, fragment_workspace);
            }
        }
        warp_barrier();
        #pragma unroll
        for (int k = 0; k < PAIRS; k++) {
            #pragma unroll
            for (int s = 0; s < 4; s++) share[(k * 4 + s) * WARP + lane] = acc[k][s];
        }
        #pragma unroll
        for (int r = 0; r < TOPMOST; r++) {
            if (warp * TILES + r == tile) {
                #pragma unroll
                for (int k = 0; k < COLUMN_TILES; k++) {
                    #pragma unroll
                    for (int e = 0; e < 2; e++) tops[(2 * q + e) * PANEL + k * TILE + g] = x[r][k][e];
                }
            }
        }
        barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
        reduce_products(start, shares, tops, products, floors, empty, its);
        barrier(CLK_LOCAL_MEM_FENCE);
        if (warp == 0 || !warp_may_work_alone) {
            const int last =
                larfg_tile(start, later, warp == 0, tops, products, floors, empty, &workspace, changes, its);
            if (item == 0) {
                ends[0] = its->end = last;
                its->begin = done;
            }
        }
        if (warp > 0 || !warp_may_work_alone)
            larft_pass(warp - warp_may_work_alone, WARPS - warp_may_work_alone, width, passes + (pass + 1) % 2,
                       t_workspace, tau, t, t_stride);
#pragma unroll
        for (int r = 0; r < TILES; r++) {
            const bool is_below = warp * TILES + r > tile;
            own[r * SQUARE] = is_below ? x[r][0][0] : 0;
            own[r * SQUARE + 1] = is_below ? x[r][0][1] : 0;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        const int end = ends[0];

        double factors[PAIRS][4];
        #pragma unroll
        for (int k = 0; k < PAIRS; k++) {
            #pragma unroll
            for (int s = 0; s < 4; s++)
                factors[k][s] = changes[(q + s / 2 * 4) * PANEL + (2 * k + s % 2) * TILE + g];
        }
        const bool is_new = g >= start && g < end, takes[2] = {q >= start && q < end, q + 4 >= start && q + 4 < end};
        UNROLL_FRAGMENTS
        for (int r = 0; r < TILES; r++) {
            const bool is_set = is_new && warp * TILES + r > tile;
            __local const double *turned = share + r * SQUARE + q * TILE + g;
            const double columns[2] = {takes[0] ? turned[0] : 0, takes[1] ? turned[4 * TILE] : 0};
            UNROLL_FRAGMENTS
            for (int k = 0; k < PAIRS; k++) {
                if (2 * k * TILE >= later) continue;
                double changed[4] = {k == 0 && is_set ? 0 : x[r][2 * k][0], k == 0 && is_set ? 0 : x[r][2 * k][1],
                                     x[r][2 * k + 1][0], x[r][2 * k + 1][1]};
                mma_f64(changed, factors[k], columns, fragment_workspace);
                #pragma unroll
                for (int e = 0; e < 2; e++) {
                    if (k > 0 || g >= start) x[r][2 * k][e] = changed[e];
                    if ((2 * k + 1) * TILE < later) x[r][2 * k + 1][e] = changed[2 + e];
                }
            }
        }
        #pragma unroll
        for (int r = 0; r < TOPMOST; r++) {
            if (warp * TILES + r == tile) {
                #pragma unroll
                for (int k = 0; k < COLUMN_TILES; k++) {
                    #pragma unroll
                    for (int e = 0; e < 2; e++) x[r][k][e] = tops[(2 * q + e) * PANEL + k * TILE + g];
                }
            }
        }
        done = first + end;
        pass++;
        if (end == TILE || done >= width) {
            // Stores the tile's columns; the column tiles rotate.
            warp_barrier();
            #pragma unroll
            for (int r = 0; r < TILES; r++) {
                #pragma unroll
                for (int e = 0; e < 2; e++) {
                    const double its_x = x[r][0][e];
                    own[r * SQUARE + e] = its_x;
                    #pragma unroll
                    for (int k = 1; k < COLUMN_TILES; k++) x[r][k - 1][e] = x[r][k][e];
                    x[r][COLUMN_TILES - 1][e] = its_x;
                }
            }
            warp_barrier();
            store_tile(rows, part_rows, width, first, listed, exponents, a, row_stride, column_stride, v_full,
                       v_full_stride);
        }
    } while (done < width);
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    larft_pass(warp, WARPS, width, passes + (pass + 1) % 2, t_workspace, tau, t, t_stride);
}

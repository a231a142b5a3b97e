// A panel of a reduction to tridiagonal form (LAPACK: xLATRD) in one launch. Its work-groups all run at once: they wait
// for each other twice for each column.
//
//   column   of every row: w of the column before, from the parts of its product; x := column c, updated by V and W
//   product  y := A x for the trailing matrix, in parts; V^H x, W^H x and x^H A x
//
// The algebra is that of hetrd_column.cl and hetrd_product.cl. The lower triangle's tiles are dealt to the groups in
// runs of about equal length, row by row:
//
//        0                    parts[J] of the rows I < J gets the product with the adjoint of tile (J, I);
//        1  2                 parts[s] of I gets the direct product with the tiles of the s-th of the runs that
//        3  4  5              share row I. There are at most I + 1 of them.
//        6  7  8  9
//
// Without NVIDIA there is one group.
#pragma once

#include "common/scalar.cl"
#include "lapack/qr/larfg_scaled.cl"

// Shuffles of words among the lanes of a warp, and fences between groups.
#ifndef NVIDIA
#define NVIDIA 0
#endif

// Work-items of a group, a multiple of LANES.
#ifndef THREADS
#define THREADS 512
#endif

// Work-items with neighbouring rows.
#define LANES 32
#define WARPS (THREADS / LANES)

// Rows and columns of a tile.
#ifndef TILE
#define TILE 64
#endif

// Columns of a tile whose elements are on their way together: a power of two, at most LANES.
#ifndef STEP
#define STEP 4
#endif

// Columns of V at most: a multiple of LANES.
#ifndef PANEL
#define PANEL 64
#endif

// Polls of the number of groups that have arrived, at most: a multiple of 1024.
#define MAX_POLLS 4194304

#define ROWS (TILE / LANES)
#define COLUMNS (TILE / WARPS)
#define SHARE ((PANEL + WARPS - 1) / WARPS)

#if SCALAR_IS_COMPLEX
#define squared(v) real_multiply_add((v).x, (v).x, (v).y *(v).y)
#define real_of_product(a, b) real_multiply_add((a).x, (b).x, (a).y *(b).y)
#else
#define squared(v) ((v) * (v))
#define real_of_product(a, b) ((a) * (b))
#endif

#if NVIDIA
inline int shuffle_word(int value, int bits)
{
    int other;
    __asm__ volatile("shfl.sync.bfly.b32 %0, %1, %2, 31, 0xffffffff;" : "=r"(other) : "r"(value), "r"(bits));
    return other;
}
#if SCALAR_IS_DOUBLE
inline real shuffle_real(real value, int bits)
{
    const int2 words = as_int2(value);
    return as_double((int2)(shuffle_word(words.x, bits), shuffle_word(words.y, bits)));
}
#else
#define shuffle_real(value, bits) as_float(shuffle_word(as_int(value), bits))
#endif
#if SCALAR_IS_COMPLEX
#define shuffle(v, bits) ((scalar)(shuffle_real((v).x, bits), shuffle_real((v).y, bits)))
#else
#define shuffle(v, bits) shuffle_real(v, bits)
#endif
#endif

// A barrier of all groups in two halves: what a group writes before it arrives, the others see after they have waited.
// `arrived` counts groups, and `target` is the count that all of them make.
inline void arrive(__global uint *arrived, int item)
{
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
#if NVIDIA
    if (item == 0) __asm__ volatile("red.release.gpu.global.add.u32 [%0], 1;" : : "l"(arrived) : "memory");
#endif
}

// False if a group has given up: after MAX_POLLS, some seconds, it says so in arrived[1].
inline bool wait_for_all(__global uint *arrived, uint target, int item, __local int *lost)
{
#if NVIDIA
    if (item == 0) {
        uint count, polls = 0;
        *lost = 0;
        for (;;) {
            __asm__ volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(count) : "l"(arrived) : "memory");
            if ((int)(count - target) >= 0) break;
            polls++;
            if (polls == MAX_POLLS) *(volatile __global uint *)(arrived + 1) = 1;
            if (polls % 1024 == 0 && *(volatile __global uint *)(arrived + 1) != 0) {
                *lost = 1;
                break;
            }
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    return *lost == 0;
#else
    return true;
#endif
}

// Geometry of a product.
typedef struct {
    int base, blocks, tiles, runs;
} tiling;

// No run is empty.
inline tiling tiling_of(int n, int first, int runs)
{
    tiling t;
    t.base = first - first % LANES;
    t.blocks = (n - t.base + TILE - 1) / TILE;
    t.tiles = t.blocks * (t.blocks + 1) / 2;
    t.runs = min(runs, t.tiles);
    return t;
}

// The first tile of a run, and the run of a tile.
#define first_tile(t, run) ((run) * (t).tiles / (t).runs)
#define run_of_tile(t, tile) ((((tile) + 1) * (t).runs - 1) / (t).tiles)

// Runs that share a block of rows.
inline int sharers(tiling t, int block)
{
    const int first = block * (block + 1) / 2;
    return run_of_tile(t, first + block) - run_of_tile(t, first) + 1;
}

// Two sums over the work-items of a group, in the first one.
inline void sums_to_first(real *first, scalar *second, int item, __local real *firsts, __local scalar *seconds)
{
#if NVIDIA
    #pragma unroll
    for (int bits = LANES / 2; bits > 0; bits /= 2) {
        *first += shuffle_real(*first, bits);
        *second += shuffle(*second, bits);
    }
    if (item % LANES == 0) {
        firsts[item / LANES] = *first;
        seconds[item / LANES] = *second;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (item < LANES) {
        *first = item < WARPS ? firsts[item] : 0;
        *second = item < WARPS ? seconds[item] : SCALAR_ZERO;
        #pragma unroll
        for (int bits = LANES / 2; bits > 0; bits /= 2) {
            *first += shuffle_real(*first, bits);
            *second += shuffle(*second, bits);
        }
    }
#else
    firsts[item] = *first;
    seconds[item] = *second;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (item == 0) {
        for (int i = 1; i < THREADS; i++) {
            *first += firsts[i];
            *second += seconds[i];
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
#endif
}

// The elements of STEP columns of a tile below the diagonal, ROWS of each.
inline void load_step(__global const scalar *a, long stride, int n, int first_row, int column, int lane, bool is_whole,
                      scalar *value)
{
    __global const scalar *element = a + (long)column * stride + first_row + lane;
    #pragma unroll
    for (int s = 0; s < STEP; s++) {
        #pragma unroll
        for (int p = 0; p < ROWS; p++) {
            const int i = first_row + p * LANES + lane;
            const bool is_read = is_whole || (i < n && i > column + s);
            value[s * ROWS + p] = is_read ? element[s * stride + p * LANES] : SCALAR_ZERO;
        }
    }
}

// Keeps what all rows need of a column's reflector: beta, alpha, tau, 1 / (x_c - beta), and row c of w. The sums are
// x^H A x, the element c of A x, (V^H v)^H (W^H v), and row c of V (W^H v) + W (V^H v).
inline void store_scalars(__local real *scalars, scaled_reflector h, real diagonal, real xax, scalar ax, real vw,
                          scalar correction)
{
    const real vav = squared(h.inverse) * (xax - 2 * h.beta * real_part(ax) + h.beta * h.beta * diagonal);
    const real alpha = -squared(h.tau) * (vav - 2 * vw) / 2;
    const scalar av = multiply(h.inverse, ax - from_real(h.beta * diagonal));
    const scalar w = multiply(h.tau, av - correction) + from_real(alpha);
    scalars[0] = h.beta;
    scalars[1] = alpha;
    scalars[2] = real_part(h.tau);
    scalars[3] = imaginary_part(h.tau);
    scalars[4] = real_part(h.inverse);
    scalars[5] = imaginary_part(h.inverse);
    scalars[6] = real_part(w);
    scalars[7] = imaginary_part(w);
}

#if NVIDIA
#define SUMS_SIZE WARPS
#define STRIP_SIZE 1
#else
#define SUMS_SIZE THREADS
#define STRIP_SIZE (THREADS * STEP)
#endif

__kernel __attribute__((reqd_work_group_size(THREADS, 1, 1))) void hetrd_panel(
    int n, int panel_first, int width, int runs, __global scalar *a, long stride, __global scalar *x_of_columns,
    long x_stride,
    __global scalar *parts, __global real *squares, __global scalar *products, __global scalar *panel,
    __global real *d, __global real *e, __global scalar *factors, __global uint *arrived, uint target)
{
    __local scalar direct_sums[WARPS * TILE], of_diagonal[TILE], sums[SUMS_SIZE], strip[STRIP_SIZE];
    __local real real_sums[SUMS_SIZE];
    __local scalar v_products[PANEL], w_products[PANEL], v_row[PANEL], w_row[PANEL];
    __local scalar partial[2 * THREADS];
    __local real scalars[8];
    __local int lost;
    const int item = get_local_id(0), lane = item % LANES, warp = item / LANES;
    const int group = get_group_id(0), groups = get_num_groups(0);
    __global scalar *const v = panel, *const w = panel + width * stride;
    // squares: of x below its first element, by groups, of even and odd columns, and x^H A x by groups.
    __global real *const products_of_x = squares + 2 * groups;
    // In an earlier panel a group may have given up.
    if (item == 0) lost = *(volatile __global uint *)(arrived + 1) != 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lost) return;

    for (int k = 0; k <= width; k++) {
        const int column = panel_first + k;
        const bool finish = k > 0, begin = k < width || width == 0;
        const int before = k - 1;
        __global scalar *const x = x_of_columns + ((column + 1) % 2) * x_stride;
        __global scalar *const next = x_of_columns + (column % 2) * x_stride;
        const tiling t = tiling_of(n, column, runs);
        const int base = t.base;

        // ---- column
        real square = 0;
        for (int chunk = group; base + chunk * LANES < n || chunk == group; chunk += groups) {
            const int row = base + chunk * LANES + lane;
            const bool has_row = row >= column && row < n;
            scalar y = SCALAR_ZERO, of_v[SHARE], of_w[SHARE], element = SCALAR_ZERO, x_of_row = SCALAR_ZERO;
            if (has_row) {
                element = a[(long)column * stride + row];
                if (finish) {
                    x_of_row = x[row];
                    const int block = (row - base) / TILE, shared = sharers(t, block);
                    for (int s = warp; s < t.blocks; s += WARPS)
                        if (s < shared || s > block) y += parts[s * stride + row];
                }
            }
            #pragma unroll
            for (int p = 0; p < SHARE; p++) {
                const int s = warp + p * WARPS;
                const bool is_there = finish && has_row && s < before;
                of_v[p] = is_there ? v[s * stride + row] : SCALAR_ZERO;
                of_w[p] = is_there ? w[s * stride + row] : SCALAR_ZERO;
            }
            if (chunk == group && finish) {
#if NVIDIA
                if (warp == 0) {
                    real first = 0, second = 0;
                    scalar third = SCALAR_ZERO, alpha_of_x = x[column];
                    const real diagonal = real_part(a[(long)column * stride + column]);
                    scalar pv[PANEL / LANES], pw[PANEL / LANES], rv[PANEL / LANES], rw[PANEL / LANES];
                    #pragma unroll
                    for (int p = 0; p < PANEL / LANES; p++) {
                        const int s = lane + p * LANES;
                        const bool is_there = s < before;
                        pv[p] = is_there ? products[s] : SCALAR_ZERO;
                        pw[p] = is_there ? products[PANEL + s] : SCALAR_ZERO;
                        rv[p] = is_there ? v[s * stride + column] : SCALAR_ZERO;
                        rw[p] = is_there ? w[s * stride + column] : SCALAR_ZERO;
                    }
                    for (int i = lane; i < groups; i += LANES) {
                        first += squares[(column + 1) % 2 * groups + i];
                        second += products_of_x[i];
                    }
                    // The first block of rows has one run.
                    for (int s = lane; s < t.blocks; s += LANES)
                        third += parts[s * stride + column];
                    #pragma unroll
                    for (int bits = LANES / 2; bits > 0; bits /= 2) {
                        first += shuffle_real(first, bits);
                        second += shuffle_real(second, bits);
                        third += shuffle(third, bits);
                    }
                    const scaled_reflector h = larfg_scaled(alpha_of_x, first);
                    real fourth = 0;
                    scalar fifth = SCALAR_ZERO;
                    #pragma unroll
                    for (int p = 0; p < PANEL / LANES; p++) {
                        const int s = lane + p * LANES;
                        const scalar with_v = multiply(h.inverse, pv[p] - h.beta * conjugate_if(1, rv[p]));
                        const scalar with_w = multiply(h.inverse, pw[p] - h.beta * conjugate_if(1, rw[p]));
                        v_products[s] = with_v;
                        w_products[s] = with_w;
                        v_row[s] = rv[p];
                        w_row[s] = rw[p];
                        fourth += real_part(multiply(conjugate_if(1, with_v), with_w));
                        fifth = multiply_add(rv[p], with_w, multiply_add(rw[p], with_v, fifth));
                    }
                    #pragma unroll
                    for (int bits = LANES / 2; bits > 0; bits /= 2) {
                        fourth += shuffle_real(fourth, bits);
                        fifth += shuffle(fifth, bits);
                    }
                    if (lane == 0) store_scalars(scalars, h, diagonal, second, third, fourth, fifth);
                }
#else
                // One work-item computes what a warp shares.
                if (item == 0) {
                    real first = 0, second = 0, fourth = 0;
                    scalar third = SCALAR_ZERO, fifth = SCALAR_ZERO;
                    const real diagonal = real_part(a[(long)column * stride + column]);
                    for (int i = 0; i < groups; i++) {
                        first += squares[(column + 1) % 2 * groups + i];
                        second += products_of_x[i];
                    }
                    for (int s = 0; s < t.blocks; s++) third += parts[s * stride + column];
                    const scaled_reflector h = larfg_scaled(x[column], first);
                    for (int s = 0; s < before; s++) {
                        const scalar rv = v[s * stride + column], rw = w[s * stride + column];
                        const scalar with_v = multiply(h.inverse, products[s] - h.beta * conjugate_if(1, rv));
                        const scalar with_w = multiply(h.inverse, products[PANEL + s] - h.beta * conjugate_if(1, rw));
                        v_products[s] = with_v;
                        w_products[s] = with_w;
                        v_row[s] = rv;
                        w_row[s] = rw;
                        fourth += real_part(multiply(conjugate_if(1, with_v), with_w));
                        fifth = multiply_add(rv, with_w, multiply_add(rw, with_v, fifth));
                    }
                    store_scalars(scalars, h, diagonal, second, third, fourth, fifth);
                }
#endif
                barrier(CLK_LOCAL_MEM_FENCE);
            }
            const real beta = finish ? scalars[0] : 0, alpha = finish ? scalars[1] : 0;
            const scalar tau = finish ? from_parts(scalars[2], scalars[3]) : SCALAR_ZERO;
            const scalar inverse = finish ? from_parts(scalars[4], scalars[5]) : SCALAR_ZERO;
            const scalar w_of_column = finish ? from_parts(scalars[6], scalars[7]) : SCALAR_ZERO;
            scalar correction = SCALAR_ZERO, update = SCALAR_ZERO;
            #pragma unroll
            for (int p = 0; p < SHARE; p++) {
                const int s = warp + p * WARPS;
                if (finish && s < before) {
                    correction = multiply_add(of_v[p], w_products[s],
                                              multiply_add(of_w[p], v_products[s], correction));
                    update = multiply_add(of_v[p], conjugate_if(1, w_row[s]),
                                          multiply_add(of_w[p], conjugate_if(1, v_row[s]), update));
                }
            }
            // y less the correction, in one.
            y = multiply(inverse, y) - correction;
            partial[item] = y;
            partial[THREADS + item] = update;
            barrier(CLK_LOCAL_MEM_FENCE);
            if (warp == 0 && has_row) {
                for (int s = 1; s < WARPS; s++) {
                    y += partial[s * LANES + lane];
                    update += partial[THREADS + s * LANES + lane];
                }
                const bool is_first = row == column;
                if (is_first) element = from_real(real_part(element));
                if (finish) {
                    const scalar own_v = is_first ? SCALAR_ONE : multiply(inverse, x_of_row);
                    const scalar own_w =
                        multiply(tau, y - multiply(inverse, beta * element)) + alpha * own_v;
                    v[before * stride + row] = own_v;
                    w[before * stride + row] = own_w;
                    panel[(2 * width + before) * stride + row] = own_v;
                    a[(long)(column - 1) * stride + row] = is_first ? from_real(beta) : own_v;
                    if (is_first) {
                        e[column - 1] = beta;
                        factors[column - 1] = tau;
                    }
                    element -= update + multiply(own_v, conjugate_if(1, w_of_column)) + own_w;
                }
                if (begin) {
                    if (is_first) d[column] = real_part(element);
                    next[row] = element;
                    if (row > column + 1) square += squared(element);
                }
            }
            // The partial sums are written again.
            barrier(CLK_LOCAL_MEM_FENCE);
        }
        if (k == width) break;
        scalar none = SCALAR_ZERO;
        sums_to_first(&square, &none, item, real_sums, sums);
        if (item == 0) squares[column % 2 * groups + group] = square;
        arrive(arrived, item);

        // ---- product
        const int first = column + 1;
        const tiling u = tiling_of(n, first, runs);
        bool has_waited = false;
        square = 0;
        for (int run = group; run < u.runs; run += groups) {
            const int last_tile = first_tile(u, run + 1);
            int tile = first_tile(u, run);
            int row_block = (int)((sqrt((float)(8 * tile + 1)) - 1) / 2);
            while (row_block * (row_block + 1) / 2 > tile) row_block--;
            while ((row_block + 1) * (row_block + 2) / 2 <= tile) row_block++;
            int column_block = tile - row_block * (row_block + 1) / 2;
            scalar value[STEP * ROWS];
            load_step(a, stride, n, u.base + row_block * TILE, u.base + column_block * TILE + warp * COLUMNS, lane,
                      column_block < row_block && u.base + (row_block + 1) * TILE <= n, value);
            // The trailing matrix stays as it is in a panel: its first elements come while the groups wait.
            if (!has_waited && !wait_for_all(arrived, target, item, &lost)) return;
            has_waited = true;
            while (tile < last_tile) {
                const int first_row = u.base + row_block * TILE;
                scalar x_of_rows[ROWS], direct[ROWS];
                #pragma unroll
                for (int p = 0; p < ROWS; p++) {
                    const int i = first_row + p * LANES + lane;
                    x_of_rows[p] = i >= first && i < n ? next[i] : SCALAR_ZERO;
                    direct[p] = SCALAR_ZERO;
                }
                bool is_diagonal = false;
                for (; tile < last_tile && !is_diagonal; tile++, column_block++) {
                    is_diagonal = column_block == row_block;
                    const int first_column = u.base + column_block * TILE + warp * COLUMNS;
                    #pragma unroll
                    for (int c = 0; c < COLUMNS; c += STEP) {
                        scalar own[STEP * ROWS], x_of_column[STEP], mirrored[STEP];
                        #pragma unroll
                        for (int p = 0; p < STEP * ROWS; p++) own[p] = value[p];
                        // The next step's elements, of this tile or the next one.
                        const bool is_next = c + STEP == COLUMNS;
                        const int next_row = is_next && is_diagonal ? row_block + 1 : row_block;
                        const int next_column = !is_next ? column_block : is_diagonal ? 0 : column_block + 1;
                        if (!is_next || tile + 1 < last_tile)
                            load_step(a, stride, n, u.base + next_row * TILE,
                                      u.base + next_column * TILE + warp * COLUMNS + (is_next ? 0 : c + STEP), lane,
                                      next_column < next_row && u.base + (next_row + 1) * TILE <= n, value);
                        #pragma unroll
                        for (int s = 0; s < STEP; s++) {
                            const int j = first_column + c + s;
                            x_of_column[s] = j >= first && j < n ? next[j] : SCALAR_ZERO;
                            mirrored[s] = SCALAR_ZERO;
                        }
                        #pragma unroll
                        for (int s = 0; s < STEP; s++) {
                            #pragma unroll
                            for (int p = 0; p < ROWS; p++) {
                                const scalar element = own[s * ROWS + p];
                                direct[p] = multiply_add(element, x_of_column[s], direct[p]);
                                mirrored[s] = multiply_add(conjugate_if(1, element), x_of_rows[p], mirrored[s]);
                            }
                        }
#if NVIDIA
                        // Two parts of the lanes share the columns, again and again; then a part adds up its column.
                        int bits = LANES / 2;
                        #pragma unroll
                        for (int left = STEP / 2; left > 0; left /= 2) {
                            const bool upper = lane & bits;
                            #pragma unroll
                            for (int s = 0; s < left; s++) {
                                const scalar given = upper ? mirrored[s] : mirrored[s + left];
                                mirrored[s] = (upper ? mirrored[s + left] : mirrored[s]) + shuffle(given, bits);
                            }
                            bits /= 2;
                        }
                        #pragma unroll
                        for (; bits > 0; bits /= 2) mirrored[0] += shuffle(mirrored[0], bits);
                        const int s = lane / (LANES / STEP), j = first_column + c + s;
                        if (lane % (LANES / STEP) == 0) {
                            if (is_diagonal)
                                of_diagonal[warp * COLUMNS + c + s] = mirrored[0];
                            else
                                parts[row_block * stride + j] = mirrored[0];
                        }
#else
                        #pragma unroll
                        for (int s = 0; s < STEP; s++) strip[(warp * STEP + s) * LANES + lane] = mirrored[s];
                        barrier(CLK_LOCAL_MEM_FENCE);
                        if (lane < STEP) {
                            scalar sum = SCALAR_ZERO;
                            for (int l = 0; l < LANES; l++) sum += strip[(warp * STEP + lane) * LANES + l];
                            if (is_diagonal)
                                of_diagonal[warp * COLUMNS + c + lane] = sum;
                            else
                                parts[row_block * stride + first_column + c + lane] = sum;
                        }
                        barrier(CLK_LOCAL_MEM_FENCE);
#endif
                    }
                }
                #pragma unroll
                for (int p = 0; p < ROWS; p++) {
                    square += 2 * real_of_product(x_of_rows[p], direct[p]);
                    direct_sums[warp * TILE + p * LANES + lane] = direct[p];
                }
                barrier(CLK_LOCAL_MEM_FENCE);
                for (int r = item; r < TILE && first_row + r < n; r += THREADS) {
                    const int i = first_row + r;
                    scalar sum = SCALAR_ZERO;
                    #pragma unroll
                    for (int s = 0; s < WARPS; s++) sum += direct_sums[s * TILE + r];
                    if (is_diagonal) {
                        const scalar x_of_row = i >= first ? next[i] : SCALAR_ZERO;
                        const scalar product = real_part(a[(long)i * stride + i]) * x_of_row;
                        sum += of_diagonal[r] + product;
                        square += real_of_product(product, x_of_row);
                    }
                    parts[(run - run_of_tile(u, row_block * (row_block + 1) / 2)) * stride + i] = sum;
                }
                if (is_diagonal) {
                    row_block++;
                    column_block = 0;
                }
                if (tile < last_tile || run + groups < u.runs) barrier(CLK_LOCAL_MEM_FENCE);
            }
        }
        if (!has_waited && !wait_for_all(arrived, target, item, &lost)) return;
        target += groups;
        // Columns of V, and then of W: a group has at least one pass, for the sum of its tiles.
        for (int index = group; index < 2 * k || index == group; index += groups) {
            scalar own = SCALAR_ZERO;
            if (index < 2 * k) {
                __global const scalar *of_panel = panel + (index < k ? index : width + index - k) * stride;
                for (int i = u.base + item; i < n; i += THREADS)
                    if (i >= first) own = multiply_add(conjugate_if(1, of_panel[i]), next[i], own);
            }
            sums_to_first(&square, &own, item, real_sums, sums);
            if (item == 0) {
                if (index == group) products_of_x[group] = square;
                if (index < 2 * k) products[index < k ? index : PANEL + index - k] = own;
            }
            if (index + groups < 2 * k) barrier(CLK_LOCAL_MEM_FENCE);
            square = 0;
        }
        arrive(arrived, item);
        if (!wait_for_all(arrived, target, item, &lost)) return;
        target += groups;
    }
}
